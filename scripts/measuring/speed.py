"""Import against the plainest ways to copy: rounds that alternate, caches dropped before each, sync inside the time."""
import os
import pathlib
import shlex
import shutil
import statistics
import subprocess
import sys

from . import machine

# What each figure is held to: name, ours, theirs, the most that ours may take of theirs.
GOALS = (
    ("stream, with thumbnails / cp -a; sync", "import stream", "cp -a; sync", 1.00),
    ("stream, no thumbnails / cp -a; sync", "import stream, no thumbnails", "cp -a; sync", 0.90),
    ("cold, everything / cp -a; sync; drop; b3sum", "import cold", "cp -a; sync; drop; b3sum", 0.85),
)


def programs(bench, card):
    """Everything that is run in one round, in this order: a name and a function of a destination."""
    quoted = shlex.quote(str(card))
    ours = lambda *options: lambda to: bench.timed(bench.import_command(to, *options, card=card))[0]  # noqa: E731
    shell = lambda line: lambda to: bench.timed(line.format(c=quoted, d=shlex.quote(str(to))), shell=True)[0]  # noqa: E731

    def copy_and_check(to):
        seconds = shell("cp -a {c} {d}; sync")(to)
        bench.drop_caches()
        return seconds + shell("find {d} -type f -print0 | xargs -0 b3sum --quiet > /dev/null 2>&1 "
                               "|| find {d} -type f -print0 | xargs -0 b3sum > /dev/null")(to)

    def parallel(to):
        to.mkdir()
        folders = sorted({str(name.parent) for name in machine.files_of(card)})
        for folder in folders:
            (to / folder).mkdir(parents=True, exist_ok=True)
        return shell("cd {c} && find . -type f -print0 | xargs -0 -P 2 -n 4 cp -a --parents -t {d}; sync")(to)

    return {
        "cp -a; sync": shell("cp -a {c} {d}; sync"),
        "import stream": ours("--verify", "stream"),
        "import stream, no thumbnails": ours("--verify", "stream", "--thumbnails", "no"),
        "import cold": ours(),
        "two cp at once; sync": parallel,
        "python copyfile; sync": lambda to: plain_copy(bench, card, to),
        **({"cp -a; sync; drop; b3sum": copy_and_check} if shutil.which("b3sum") else {}),
    }


def plain_copy(bench, card, to):
    """File by file in this process: copy_file_range, as std::fs::copy does it; then sync."""
    script = ("import os, pathlib, sys\n"
              "card, to = map(pathlib.Path, sys.argv[1:])\n"
              "for base, folders, names in os.walk(card):\n"
              "    folder = to / pathlib.Path(base).relative_to(card)\n"
              "    folder.mkdir(parents=True, exist_ok=True)\n"
              "    for name in names:\n"
              "        with open(os.path.join(base, name), 'rb') as a, open(folder / name, 'wb') as b:\n"
              "            while os.copy_file_range(a.fileno(), b.fileno(), 1 << 30): pass\n")
    return bench.timed([sys.executable, "-c", script, str(card), str(to)])[0]


def rounds(bench, card, wanted, count, label):
    """Seconds of each program in each round; the first round is thrown away."""
    seconds = {name: [] for name in wanted}
    for number in range(count + 1):
        order = list(wanted)
        # Each round begins with another program, so that no one always comes after the same one.
        order = order[number % len(order):] + order[:number % len(order)]
        for name in order:
            to = bench.fresh("to")
            bench.drop_caches()
            took = wanted[name](to)
            if number:
                seconds[name].append(took)
            print(f"\r{label}: round {number} of {count}, {name:<32} {took:6.2f} s", end="", file=sys.stderr)
        bench.fresh("to")
    print(file=sys.stderr)
    return seconds


def table(bench, seconds):
    rows = [("", "median s", "fastest", "slowest", "MB/s", "of cp -a; sync")]
    base = statistics.median(seconds["cp -a; sync"])
    for name, values in seconds.items():
        middle = statistics.median(values)
        ratio = statistics.median(a / b for a, b in zip(values, seconds["cp -a; sync"]))
        rows.append((name, f"{middle:.2f}", f"{min(values):.2f}", f"{max(values):.2f}",
                     f"{bench.bytes / middle / 1e6:.0f}", f"{ratio:.2f}x"))
    show(rows)
    return base


def show(rows):
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    for row in rows:
        cells = [row[0].ljust(widths[0])] + [cell.rjust(width) for cell, width in zip(row[1:], widths[1:])]
        print("  " + "  ".join(cells).rstrip())


def judge(seconds, goals):
    """The ratio of each round's pair, its median, and whether the goal is met."""
    wrong, figures = [], {}
    for name, ours, theirs, most in goals:
        if ours not in seconds or theirs not in seconds:
            continue
        ratio = statistics.median(a / b for a, b in zip(seconds[ours], seconds[theirs]))
        figures[name] = ratio
        print(f"  {name}: {ratio:.2f}x (at most {most:.2f}x)")
        if ratio > most:
            wrong.append(f"{name} is {ratio:.2f}x, at most {most:.2f}x was wanted")
    return figures, wrong


def speed(bench, given):
    """The rounds on one disk."""
    print("Speed: source and destination on one disk, caches dropped, a closing sync inside the time")
    if not bench.drop_caches():
        print("  (no root: only the card's own files are dropped from the cache)")
    seconds = rounds(bench, bench.card, programs(bench, bench.card), given.rounds, "speed")
    table(bench, seconds)
    figures, wrong = judge(seconds, GOALS)
    return {"seconds": seconds, "ratios": figures}, wrong


def slow(bench, given):
    """A source limited to 300 MB/s, as a fast card reader is."""
    print("Slow source: the card on a disk of its own that gives 300 MB/s")
    disk = Throttled.make(bench, 300_000_000)
    if disk is None:
        print("  left out: it needs root, a loop device and the blkio or io controller")
        return None, []
    try:
        card = disk.mount / "card"
        everything = programs(bench, card)
        wanted = {name: everything[name] for name in ("cp -a; sync", "import cold")}
        seconds = rounds(bench, card, wanted, given.rounds, "slow source")
        table(bench, seconds)
        goal = ("cold, everything / cp -a; sync", "import cold", "cp -a; sync", 1.02)
        figures, wrong = judge(seconds, (goal,))
        return {"seconds": seconds, "ratios": figures}, wrong
    finally:
        disk.remove()


class Throttled:
    """The card on a loop-mounted disk whose reads are limited for this process and what it starts."""

    def __init__(self, image, device, mount, undo):
        self.image, self.device, self.mount, self.undo = image, device, mount, undo

    @classmethod
    def make(cls, bench, limit):
        if os.getuid() != 0:
            return None
        image, mount = bench.work / "card.img", bench.work / "mount"
        run = lambda *words: subprocess.run(words, check=True, capture_output=True, text=True).stdout.strip()  # noqa: E731
        try:
            with open(image, "wb") as file:
                file.truncate(int(bench.bytes * 1.1) + (64 << 20))
            run("mkfs.ext4", "-q", "-F", "-m", "0", str(image))
            # Direct, so that what is in the loop's cache does not come faster than the limit.
            device = run("losetup", "-f", "--show", "--direct-io=on", str(image))
            mount.mkdir()
            run("mount", device, str(mount))
            run("cp", "-a", str(bench.card), str(mount / "card"))
            os.sync()
            undo = limit_reads(pathlib.Path(device), limit)
        except (subprocess.CalledProcessError, OSError) as error:
            print(f"  {error}", file=sys.stderr)
            subprocess.run(["umount", str(mount)], capture_output=True)
            return None
        return cls(image, device, mount, undo)

    def remove(self):
        self.undo()
        subprocess.run(["umount", str(self.mount)], capture_output=True)
        subprocess.run(["losetup", "-d", self.device], capture_output=True)
        self.image.unlink(missing_ok=True)


def limit_reads(device, limit):
    """Puts this process in a control group that reads at most so many bytes a second; gives the way back."""
    number = os.stat(device).st_rdev
    number = f"{os.major(number)}:{os.minor(number)}"
    old = pathlib.Path("/sys/fs/cgroup/blkio")
    root = old if old.is_dir() else pathlib.Path("/sys/fs/cgroup")
    group = root / "lightfast-measure"
    group.mkdir(exist_ok=True)
    if root == old:
        (group / "blkio.throttle.read_bps_device").write_text(f"{number} {limit}")
    else:
        (root / "cgroup.subtree_control").write_text("+io")
        (group / "io.max").write_text(f"{number} rbps={limit}")
    (group / "cgroup.procs").write_text(str(os.getpid()))

    def undo():
        (root / "cgroup.procs").write_text(str(os.getpid()))
        group.rmdir()

    return undo
