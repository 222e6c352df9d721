"""A target that is asked questions, and that misbehaves in one way, which $HOSTILE names.

    hostile_session.py GUILTY COMMAND...

COMMAND is the real target. Questions are passed on to it, and its answers are passed back. Those
about a request that has the name GUILTY in it, or in the module beside it, are tampered with.
"""

import os
import signal
import subprocess
import sys
import time

# Names have their length before them, in class files as well as in modules.
guilty, command = bytes([len(sys.argv[1])]) + sys.argv[1].encode(), sys.argv[2:]
mode = os.environ["HOSTILE"]
here = os.path.dirname(os.path.abspath(__file__))
real = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)


def say(data):
    while data:
        data = data[os.write(1, data) :]


def forever():
    while True:
        time.sleep(1000)


def stay(detach):
    """Leaves a process behind that never ends."""
    if os.fork() == 0:
        detach()
        forever()


def double_fork():
    if os.fork() != 0:
        os._exit(0)


# What a call answers with, in either protocol.
ANSWERS = (b"returned", b"value")


def answer(lines, at):
    """The number of the line that answers call `at`."""
    answers = [i for i, line in enumerate(lines) if line.split()[1] in ANSWERS]
    return answers[at]


def changed(line, at, change):
    words = line.split()
    words[at] = change(words[at])
    return b" ".join(words) + b"\n"


def tampered(lines):
    """All lines of an answer, tampered with. Some modes never return."""
    nonce = lines[0].split()[0]
    head, last = lines[:-1], lines[-1]
    first, second = answer(lines, 0), answer(lines, 1)
    n_calls = len([line for line in lines if line.split()[1] in ANSWERS])
    if mode == "no-nonce":
        return [line.split(b" ", 1)[1] for line in lines]
    if mode == "other-nonce":
        return [changed(line, 0, lambda _: b"deadbeef") for line in lines]
    if mode == "replay":
        saved = os.path.join(here, "saved")
        if not os.path.exists(saved):
            with open(saved, "wb") as file:
                file.writelines(lines)
        with open(saved, "rb") as file:
            return file.readlines()
    if mode == "duplicate":
        return lines[: first + 1] + lines[first:]
    if mode == "swapped":
        lines[first], lines[second] = lines[second], lines[first]
        return lines
    if mode == "missing":
        return lines[:first] + lines[first + 1 :]
    if mode == "unknown":
        return head + [changed(lines[second], 2, lambda _: b"99999"), last]
    if mode == "wrong-count":
        return head + [changed(last, 2, lambda n: b"%d" % (int(n) + 1))]
    if mode == "wrong-value":
        lines[second] = changed(lines[second], 3, lambda n: b"%d" % (int(n) ^ 1))
        return lines
    if mode == "no-value":
        lines[second] = changed(lines[second], 3, lambda _: b"NaN")
        return lines
    if mode == "late":
        return lines + [lines[second]]
    if mode == "garbage":
        return lines[: second] + [b"\x1b[2J\xff\xfe\n"] + lines[second:]
    if mode == "escapes":
        why = b"\x1b[31m\x1b]0;evil\x07\xff\xfe\r$(touch evil)"
        word = b"trap"
        if lines[second].split()[1] == b"returned":
            # A JVM counts the repetitions of calls that have not thrown.
            word = b"thrown"
            lines[-1] = changed(last, 3, lambda n: b"%d" % (int(n) - int(n) // n_calls))
        lines[second] = b" ".join([nonce, word, lines[second].split()[2], why]) + b"\n"
        return lines
    if mode == "rejects":
        return [nonce + b" rejected no, thank you\n"]
    if mode == "endless-line":
        say(b"".join(lines[: second]))
        while True:
            say(b"x" * 65536)
    if mode == "flood":
        while True:
            say(b"x\n" * 32768)
    if mode == "flood-stderr":
        for _ in range(256):
            os.write(2, b"x" * 65535 + b"\n")
        return lines
    if mode == "dribble":
        say(lines[0])
        for byte in b"".join(lines[1:]) * 100:
            say(bytes([byte]))
            time.sleep(1)
    if mode == "close-stdout":
        say(b"".join(lines[: second]))
        os.close(1)
        forever()
    if mode == "never":
        say(b"".join(lines[: second]))
        forever()
    if mode == "never-compiles":
        forever()
    if mode == "ignore-term":
        for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
            signal.signal(number, signal.SIG_IGN)
        say(b"".join(lines[: second]))
        forever()
    if mode == "killed":
        say(b"".join(lines[: second]))
        os.kill(os.getpid(), signal.SIGSEGV)
    if mode in ("leaves-a-device", "leaves-a-pipe"):
        # The file that a JVM describes its crash in.
        if mode == "leaves-a-device":
            os.symlink("/dev/zero", "hs_err.log")
        else:
            os.mkfifo("hs_err.log")
        say(b"".join(lines[: second]))
        os.kill(os.getpid(), signal.SIGSEGV)
    if mode == "exits":
        say(b"".join(lines[: second]))
        os._exit(0)
    if mode == "killed-afterwards":
        say(b"".join(lines))
        os.kill(os.getpid(), signal.SIGSEGV)
    if mode == "child-allocates":
        say(b"".join(lines[: second]))
        if os.fork() != 0:
            forever()
    if mode in ("allocates", "child-allocates"):
        if mode == "allocates":
            say(b"".join(lines[: second]))
        held = []
        while len(held) < 3000:
            held.append(b"x" * (10 << 20))
        forever()
    if mode == "writes":
        say(b"".join(lines[: second]))
        with open("large%d" % os.getpid(), "wb") as file:
            for _ in range(3000):
                file.write(b"x" * (10 << 20))
                time.sleep(0.05)
        forever()
    if mode == "leaves-pipes":
        return lines
    if mode == "fork":
        stay(lambda: None)
        return lines
    if mode == "double-fork":
        stay(double_fork)
        return lines
    if mode == "setsid":
        stay(os.setsid)
        return lines
    if mode == "reads-stdin":
        say(b"".join(lines[: second]))
        while True:
            if not sys.stdin.buffer.read(1):
                forever()
    raise ValueError("there is no mode " + mode)


def leave_pipes(request):
    """Leaves pipes where the next request is written: who opens one waits for a reader."""
    for name in filter(os.path.exists, (request, "module.wasm")):
        os.remove(name)
        os.mkfifo(name)


def is_guilty(request):
    names = (request, "module.wasm")
    for name in filter(os.path.exists, names):
        with open(name, "rb") as file:
            if guilty in file.read():
                return True
    return False


if mode == "greets":
    say(b"hello\n")
    forever()
if command[-1] == "Host":
    say(real.stdout.readline())
for question in sys.stdin.buffer:
    real.stdin.write(question)
    real.stdin.flush()
    lines = []
    while not lines or lines[-1].split()[1:2] not in ([b"done"], [b"rejected"]):
        line = real.stdout.readline()
        if not line:
            sys.exit(3)
        lines.append(line)
    if is_guilty(question.decode().strip()):
        lines = tampered(lines)
    if mode == "leaves-pipes":
        leave_pipes(question.decode().strip())
    say(b"".join(lines))
