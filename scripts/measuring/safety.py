"""What an import promises, looked at from outside: memory, the second run, where it writes, and forty kill -9."""
import os
import pathlib
import random
import re
import shutil
import signal
import subprocess
import sys
import time

from . import machine
from .machine import digest, files_of, report_of, whole

MEGABYTE = 1e6


def memory(bench, given):
    """The sum of the peaks of the program and its workers."""
    print("Memory: the sum of the peaks of lightfast and its workers")
    figures, wrong = {}, []
    clip = bench.work / "clip"
    shutil.rmtree(clip, ignore_errors=True)
    (clip / "DCIM/100EOS5D").mkdir(parents=True)
    with open(clip / "DCIM/100EOS5D/MVI_0001.MOV", "wb") as file:
        file.truncate(5 << 30)
    cases = (
        ("cold, with thumbnails", bench.card, (), 256),
        ("cold, no thumbnails", bench.card, ("--thumbnails", "no"), 64),
        ("a clip of 5 GiB, no thumbnails", clip, ("--thumbnails", "no"), 64),
    )
    for name, card, options, most in cases:
        to = bench.fresh("to")
        bench.drop_caches()
        report, peak, processes = bench.watched(bench.import_command(to, *options, card=card))
        assert report["safe_to_format"], report
        figures[name] = peak
        print(f"  {name:<32} {peak / MEGABYTE:6.0f} MB in {processes} processes (at most {most} MB)")
        if peak > most * MEGABYTE:
            wrong.append(f"memory, {name}: {peak / MEGABYTE:.0f} MB, at most {most} MB was wanted")
    bench.fresh("to")
    shutil.rmtree(clip)
    return figures, wrong


def second(bench, given):
    """The same card again, cold caches; then the same bytes on another card."""
    print("Second run over the same card")
    wrong = []
    to = bench.fresh("to")
    first = report_of(bench.timed(bench.import_command(to))[1])
    bench.drop_caches()
    seconds, out = bench.timed(bench.import_command(to))
    again = report_of(out)
    print(f"  {again['duplicates']} of {first['copied']} already here, {again['copied']} copied, {seconds:.2f} s (at most 3 s)")
    if again["copied"] or not again["safe_to_format"] or again["duplicates"] != first["copied"] + first["duplicates"]:
        wrong.append(f"the second run copied {again['copied']} files")
    if seconds > 3:
        wrong.append(f"the second run took {seconds:.2f} s, at most 3 s was wanted")
    differ = whole(bench, to)
    print(f"  every file of the card is in the library byte for byte: {'no: ' + ', '.join(differ) if differ else 'yes'}")
    wrong += [f"{name} is not in the library as it is on the card" for name in differ]
    bench.fresh("to")
    return {"seconds": seconds, "copied": again["copied"], "duplicates": again["duplicates"]}, wrong


def trace(bench, given):
    """Every path that is opened for writing, made or renamed lies in the library; the card is as it was."""
    print("Where it writes, by strace")
    if not shutil.which("strace"):
        print("  left out: strace is not installed")
        return None, []
    card = small(bench)
    before = state(card)
    to, log = bench.fresh("to"), bench.work / "trace"
    command = ["strace", "-f", "-qq", "-y", "-s", "4096", "-e", "trace=%file,ftruncate,fchmod,fchown",
               "-o", str(log), *bench.import_command(to, card=card)]
    bench.timed(command)
    outside = sorted(written_outside(log, to))
    print(f"  paths outside the library that are written, made or renamed: {', '.join(outside) or 'none'}")
    same = state(card) == before
    print(f"  the card's names, bytes and times are as they were: {'yes' if same else 'no'}")
    wrong = [f"writes outside the library: {path}" for path in outside]
    if not same:
        wrong.append("the card was changed")
    bench.fresh("to")
    return {"outside": outside, "card_unchanged": same}, wrong


# Calls that change what they name, and opens that can.
CHANGING = re.compile(
    r"^\d+ +(?:rename(?:at2?)?|mkdir(?:at)?|unlink(?:at)?|rmdir|link(?:at)?|symlink(?:at)?|mknod(?:at)?|creat"
    r"|l?chown|fchown(?:at)?|fchmod(?:at2?)?|chmod|f?truncate|utime(?:s|nsat)?|futimesat)\("
)
OPENING = re.compile(r"^\d+ +open(?:at)?2?\(.*\b(?:O_WRONLY|O_RDWR|O_CREAT)\b")
FAILED = re.compile(r"= -1 E\w+")


def written_outside(log, library):
    for line in open(log, errors="replace"):
        if FAILED.search(line) or not (CHANGING.match(line) or OPENING.match(line)):
            continue
        folder = re.search(r"AT_FDCWD<([^>]*)>|\d+<([^>]*)>", line)
        base = next((part for part in (folder.groups() if folder else ()) if part), "/")
        for path in re.findall(r'"((?:[^"\\]|\\.)*)"', line):
            full = pathlib.Path(os.path.normpath(os.path.join(base, path)))
            if not full.is_relative_to(library) and not str(full).startswith(("/dev/null", "/proc/self/fd", "/memfd:")):
                yield str(full)


def state(card):
    return [(str(name), digest(card / name), (card / name).stat().st_mtime_ns) for name in files_of(card)]


def small(bench):
    """A part of the card, so that many runs do not take all day."""
    place = bench.work / "small"
    shutil.rmtree(place, ignore_errors=True)
    for name in files_of(bench.card)[:24]:
        (place / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(bench.card / name, place / name)
    return place


def kill(bench, given):
    """kill -9 at a random moment, look, run the same command again, look."""
    print(f"kill -9 at a random moment, {given.kills} times, each finished by the same command")
    card = small(bench)
    known = {digest(card / name) for name in files_of(card)}
    to = bench.fresh("reference")
    usual, _ = bench.timed(bench.import_command(to, card=card))
    reference = tree(to)
    dice, wrong, landed = random.Random(1), [], 0
    for number in range(given.kills):
        to = bench.fresh("to")
        child = subprocess.Popen(bench.import_command(to, card=card), env=bench.environment, stdout=subprocess.DEVNULL,
                                 stderr=subprocess.DEVNULL)
        time.sleep(dice.uniform(0, usual))
        landed += child.poll() is None
        child.send_signal(signal.SIGKILL)
        child.wait()
        torn = [str(name) for name in files_of(to) if digest(to / name) not in known and (to / name).stat().st_size]
        wrong += [f"after kill {number}: {name} differs from the card" for name in torn]
        report = report_of(bench.timed(bench.import_command(to, card=card))[1])
        if not report["safe_to_format"]:
            wrong.append(f"after kill {number}: the same command did not end with safe to format")
        if tree(to) != reference:
            wrong.append(f"after kill {number}: the final tree is another one")
        left = files_of(to / ".lightfast" / "incoming")
        if left:
            wrong.append(f"after kill {number}: incoming holds {len(left)} files")
        print(f"\rkill {number + 1} of {given.kills}", end="", file=sys.stderr)
    print(file=sys.stderr)
    print(f"  {landed} of {given.kills} came while it ran; {len(wrong)} broken promises")
    bench.fresh("to")
    bench.fresh("reference")
    return {"kills": given.kills, "landed": landed, "wrong": wrong}, wrong


def tree(library):
    return [(str(name), digest(library / name)) for name in files_of(library)]
