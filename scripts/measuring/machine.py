"""Running programs on this machine: caches, syncs, peak memory, and the card that everything is measured with."""
import hashlib
import json
import os
import pathlib
import platform
import shutil
import subprocess
import sys
import threading
import time

REPOSITORY = pathlib.Path(__file__).resolve().parents[2]


def build():
    """The release build of this repository."""
    print("Building ...", file=sys.stderr)
    subprocess.run(["cargo", "build", "--release", "--locked", "--quiet", "-p", "lightfast"], cwd=REPOSITORY, check=True)
    target = pathlib.Path(os.environ.get("CARGO_TARGET_DIR") or REPOSITORY / "target")
    return target / "release" / "lightfast"


def make_card(program, place, given):
    """A card as a camera leaves it."""
    print(f"Making a card of {given.files} RAWs ...", file=sys.stderr)
    options = ["--files", str(given.files), "--megapixels", str(given.megapixels)]
    subprocess.run([program, "demo-card", place, *options, "--quiet"], check=True)
    os.sync()
    return place


def describe(work):
    """One line on what was measured: processor, memory, file system, load."""
    model = "unknown processor"
    for line in open("/proc/cpuinfo"):
        if line.startswith("model name"):
            model = line.split(":", 1)[1].strip()
            break
    memory = int(next(line for line in open("/proc/meminfo") if line.startswith("MemTotal")).split()[1]) / 1e6
    kind = subprocess.run(["stat", "-f", "-c", "%T", work], capture_output=True, text=True).stdout.strip()
    load = os.getloadavg()[0]
    return f"{os.cpu_count()} x {model}, {memory:.0f} GB, {kind}, Linux {platform.release()}, load {load:.1f}"


def files_of(folder):
    """Every file below a folder, relative, sorted; lightfast's own folder left out."""
    found = []
    for base, folders, names in os.walk(folder):
        folders[:] = [name for name in folders if name != ".lightfast"]
        found += [pathlib.Path(base, name).relative_to(folder) for name in names]
    return sorted(found)


def digest(path):
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "blake2b").hexdigest() if hasattr(hashlib, "file_digest") else \
            hashlib.blake2b(file.read()).hexdigest()


class Watch(threading.Thread):
    """Peaks of resident memory of a process and its descendants, each looked at until it ends."""

    def __init__(self, pid):
        super().__init__(daemon=True)
        self.pid, self.peaks, self.programs, self.done = pid, {}, {}, threading.Event()

    def run(self):
        while not self.done.is_set():
            for pid in self.family():
                try:
                    self.programs[pid] = os.readlink(f"/proc/{pid}/exe")
                    for line in open(f"/proc/{pid}/status"):
                        if line.startswith("VmHWM"):
                            self.peaks[pid] = max(self.peaks.get(pid, 0), int(line.split()[1]) * 1024)
                            break
                except OSError:
                    pass
            self.done.wait(0.01)

    def total(self):
        """The program and its workers, summed; of other programs (ffmpeg for a clip's frame), which run one after the
        other, the largest. At no moment is more in use."""
        program = self.programs.get(self.pid)
        own = sum(peak for pid, peak in self.peaks.items() if self.programs.get(pid) == program)
        others = [peak for pid, peak in self.peaks.items() if self.programs.get(pid) != program]
        return own + max(others, default=0)

    def family(self):
        found, rest = [], [self.pid]
        while rest:
            pid = rest.pop()
            found.append(pid)
            try:
                for task in os.listdir(f"/proc/{pid}/task"):
                    rest += [int(child) for child in open(f"/proc/{pid}/task/{task}/children").read().split()]
            except OSError:
                pass
        return found


class Bench:
    """A program, a card, and a place to work."""

    def __init__(self, program, card, work):
        self.program, self.card, self.work = str(program), card, work
        names = files_of(card)
        self.files = len(names)
        self.bytes = sum((card / name).stat().st_size for name in names)
        self.environment = {**os.environ, "HOME": str(work), "LIGHTFAST_LIBRARY": str(work / "no-library")}
        self.environment.pop("XDG_CONFIG_HOME", None)

    def import_command(self, library, *options, card=None):
        return [self.program, "import", str(card or self.card), "--library", str(library), "--json", *options]

    def drop_caches(self):
        """Forgets what was read and written. Without root, only the card's own files."""
        os.sync()
        try:
            with open("/proc/sys/vm/drop_caches", "w") as file:
                file.write("3")
            return True
        except OSError:
            for name in files_of(self.card):
                with open(self.card / name, "rb") as file:
                    os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)
            return False

    def fresh(self, name):
        """A path where nothing is."""
        place = self.work / name
        shutil.rmtree(place, ignore_errors=True)
        os.sync()
        return place

    def timed(self, command, shell=False):
        """Seconds from the start until a sync, begun after the program has ended, returns."""
        started = time.monotonic()
        done = subprocess.run(command, shell=shell, env=self.environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        os.sync()
        seconds = time.monotonic() - started
        if done.returncode != 0:
            raise RuntimeError(f"{command} ended with {done.returncode}: {done.stderr.decode()[-500:]}")
        return seconds, done.stdout

    def watched(self, command):
        """Runs a command and gives its report and its memory at most."""
        child = subprocess.Popen(command, env=self.environment, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        watch = Watch(child.pid)
        watch.start()
        out = child.stdout.read()
        child.wait()
        watch.done.set()
        watch.join()
        return report_of(out), watch.total(), len(watch.peaks)


def report_of(out):
    """The last line of an import's JSON."""
    report = json.loads(out.splitlines()[-1])
    assert report["event"] == "report", report
    return report


def whole(bench, library, card=None):
    """What differs between a card and a library: nothing, if every file of the card is there byte for byte."""
    card = card or bench.card
    here = {digest(library / name) for name in files_of(library)}
    return [str(name) for name in files_of(card) if digest(card / name) not in here and not is_junk(name)]


def is_junk(name):
    return name.name == ".DS_Store" or name.name.startswith("._") or name.parts[0] in (".Trashes", ".Spotlight-V100")
