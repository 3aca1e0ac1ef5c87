"""helve at a terminal whose size changes at random: what is finished stands in the scroll-back once, whole, in order."""
import base64
import fcntl
import json
import os
import pty
import random
import select
import struct
import subprocess
import termios
import time

from harness import HELVE, MODELS, stop
from npm import FOLDER, node
from tmux import WAIT
from wires import Answer, text

XTERM = os.path.join(os.path.dirname(os.path.abspath(__file__)), "xterm.js")
SIZES = (20, 33, 40, 41, 60, 79, 80, 120, 200), (6, 10, 24, 30, 50)
KEYS = "x", "y ", "語", "\x7f", "\x0a"
LINES = [f"Line {number:02} of the answer, which is long enough to be wrapped in a narrow pane, 語 too." for number in range(50)]


class Xterm:
    """helve in a headless xterm.js; its replies go back to it."""

    def __init__(self, case, server, columns=80, rows=24):
        self.node = subprocess.Popen([node("@xterm/headless"), XTERM, FOLDER, str(columns), str(rows)], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.master, slave = pty.openpty()
        self.set_size(columns, rows)
        self.helve = subprocess.Popen([HELVE, "--model", f"anthropic:{MODELS['anthropic']}"], stdin=slave, stdout=slave, stderr=slave, cwd=case.project,
                                      env=case.environment(server, {"TERM": "xterm-256color"}), preexec_fn=lambda: (os.setsid(), fcntl.ioctl(0, termios.TIOCSCTTY, 0)))
        os.close(slave)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        stop(self.helve)
        self.helve.wait()
        os.close(self.master)
        self.node.stdin.close()
        self.node.wait()
        self.node.stdout.close()

    def set_size(self, columns, rows):
        fcntl.ioctl(self.master, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))

    def tell(self, **what):
        self.node.stdin.write(json.dumps(what).encode() + b"\n")
        self.node.stdin.flush()
        answer = json.loads(self.node.stdout.readline())
        if answer["said"]:
            os.write(self.master, base64.b64decode(answer["said"]))
        return answer

    def take(self, seconds):
        """What helve writes within that time."""
        end = time.monotonic() + seconds
        while select.select([self.master], [], [], max(0, end - time.monotonic()))[0]:
            try:
                self.tell(write=base64.b64encode(os.read(self.master, 1 << 16)).decode())
            except OSError:
                return

    def resize(self, columns, rows):
        self.tell(resize=[columns, rows])
        self.set_size(columns, rows)

    def type(self, words):
        os.write(self.master, words.encode())

    def wait(self, wanted, gone="\0"):
        """Until that stands there, and that other thing nowhere below it: all lines."""
        end = time.monotonic() + WAIT
        while True:
            self.take(0.05)
            lines = self.tell(dump=True)["lines"]
            found = [number for number, line in enumerate(lines) if wanted in line]
            if found and not any(gone in line for line in lines[found[-1]:]):
                return [line.rstrip() for line in lines]
            assert time.monotonic() < end, (wanted, lines)


def check(case, pace, delta, columns, rows, keys, moments, whole=False):
    """That each line stands there once, whatever has happened while they came in pieces of that many bytes."""
    chance = random.Random(27)
    server = case.serve(Answer([text("\n\n".join(LINES) + "\n\nThe very end.")], pace=pace, delta=delta))
    with Xterm(case, server) as terminal:
        terminal.wait("> ")
        terminal.type("tell\r")
        terminal.wait("Line 00 ")
        for _ in range(60):
            if chance.random() < 0.3:
                terminal.type(chance.choice(keys))
            else:
                terminal.resize(chance.choice(columns), chance.choice(rows))
            terminal.take(chance.choice(moments))
        terminal.resize(100, 30)
        lines = terminal.wait("The very end.", gone="Working")
    assert [line for line in lines if (line in LINES if whole else "Line " in line)] == LINES, lines


def test_in_xterm_each_finished_line_stands_there_once(case):
    # Each piece of the stream is a whole paragraph: nothing of it is ever in the part that changes.
    check(case, 0.05, len(LINES[0]) + 2, *SIZES, KEYS, (0, 0.01, 0.05, 0.15))


def test_in_xterm_each_line_that_grew_word_by_word_stands_there_once(case):
    # A remnant of the part that changes may stay, of a frame that was under way when the size changed: in these widths
    # it never looks like a finished line, which is longer.
    check(case, 0.008, 9, (60, 79, 80), SIZES[1][2:], (*KEYS, "some more words to wrap "), (0, 0.01, 0.02, 0.05), whole=True)
