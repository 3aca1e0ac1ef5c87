"""helve at terminals that are odd: mute ones, tiny ones, huge ones, and what people and programs do to them."""
import fcntl
import json
import os
import pty
import re
import select
import signal
import struct
import subprocess
import termios
import time

from harness import HELVE, MODELS, stop
from tmux import WAIT, Terminal
from wires import Answer, call, text

# What a program may print to take a terminal over, or to pass for something else.
ESCAPES = ["\x1b]0;owned\x07", "\x1b]2;owned\x1b\\", "\x1b]52;c;b3duZWQ=\x07", "\x1b]8;;http://evil.example\x1b\\link\x1b]8;;\x1b\\", "\x1b[2J", "\x1b[3J", "\x1b[H",
           "\x1b[?1049h", "\x1b[?1000h", "\x1b[21t", "\x1b[6n", "\x1b[c", "\x1b[>q", "\x1b]10;?\x07", "\x1b]1337;File=name=eA==:eA==\x07", "\x1b]50;x\x07", "\x1b]777;notify;a;b\x07",
           "\x1bP$q\"p\x1b\\", "\x1bPtmux;\x1b\x1b]0;owned\x07\x1b\\", "\x1b_Gf=32;AAAA\x1b\\", "\x1b^pm\x1b\\", "\x1bc", "\x1b#8", "\x1b(0", "\x0e", "\x9b2J", "\x9d0;owned\x9c",
           "\x1b[1;2r", "\x1b[?25l", "\x1b[4i", "\x1b[20h", "\x1b[8;1;1t", "\x1b[>1u", "\x1b[?2004l", "\b\b\b", "\x05", "\x1b]", "\x1bP", "\x1b["]
HIDDEN = {"\u202e": "202e", "\u2066": "2066", "\u200b": "200b", "\ufeff": "feff", "\U000e0041": "e0041", "\u2028": "2028"}


class Mute:
    """A terminal that answers nothing; what was written to it is in .seen."""

    def __init__(self, case, server, *arguments, columns=80, rows=24, env=None, early=b""):
        self.master, slave = pty.openpty()
        fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
        if early:
            os.write(self.master, early)
        self.seen = b""
        self.process = subprocess.Popen([HELVE, "--model", f"anthropic:{MODELS['anthropic']}", *arguments], stdin=slave, stdout=slave, stderr=slave, cwd=case.project,
                                        env=case.environment(server, {"TERM": "xterm-256color", **(env or {})}), preexec_fn=lambda: (os.setsid(), fcntl.ioctl(0, termios.TIOCSCTTY, 0)))
        os.close(slave)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        stop(self.process)
        self.process.wait()
        if self.master >= 0:
            os.close(self.master)

    def take(self, seconds):
        if not select.select([self.master], [], [], seconds)[0]:
            return False
        try:
            got = os.read(self.master, 1 << 16)
        except OSError:
            got = b""
        self.seen += got
        return bool(got)

    def wait(self, wanted):
        end = time.monotonic() + WAIT
        while wanted.encode() not in self.seen:
            assert time.monotonic() < end, (wanted, self.seen[-3000:])
            self.take(1)

    def type(self, words):
        data = words.encode()
        while data:
            if select.select([], [self.master], [], 0.1)[1]:
                data = data[os.write(self.master, data[:1000]):]
            while self.take(0):
                pass

    def resize(self, columns, rows):
        fcntl.ioctl(self.master, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))

    def end(self):
        """/quit; the exit code."""
        self.type("\x15/quit\r")
        end = time.monotonic() + WAIT
        while self.process.poll() is None:
            assert time.monotonic() < end, self.seen[-3000:]
            self.take(0.05)
        return self.process.returncode


def test_a_terminal_that_answers_nothing_works(case):
    server = case.serve(Answer([text("One.")]), Answer([text("Two.")]))
    with Mute(case, server) as terminal:
        terminal.wait("> ")
        terminal.type("go\r")
        terminal.wait("One.")
        for size in ((40, 10), (1, 1), (5000, 3), (80, 24)):
            terminal.resize(*size)
        terminal.type("again\r")
        terminal.wait("Two.")
        assert terminal.end() == 0, terminal.seen
    assert b"\x1b[>1u" not in terminal.seen and b"\x1b[?2026h" not in terminal.seen and b"\x1b[?1049" not in terminal.seen, terminal.seen


def until(terminal, true, press=""):
    """Wait for it, and press a key now and then: a question takes none for a moment after it came."""
    end, next_key = time.monotonic() + WAIT, 0
    while not true():
        assert time.monotonic() < end, terminal.seen[-2000:]
        if press and time.monotonic() > next_key:
            terminal.type(press)
            next_key = time.monotonic() + 2
        terminal.take(0.05)


def test_one_column_and_five_thousand_work(case):
    for columns, rows in ((1, 24), (5000, 50), (20, 6), (1, 1)):
        made = f"{case.project}/made{columns}x{rows}"
        server = case.serve(Answer([call("Bash", {"command": "touch " + made})]), Answer([text("The *end* of it.\n\n| a | b |\n|--|--|\n| 1 | 2 |\n\n```c\nint x;\n```\n\n- 語 item\n")]))
        with Mute(case, server, columns=columns, rows=rows) as terminal:
            terminal.wait("\x1b[6n")
            terminal.type("go 語 on\r")
            until(terminal, lambda: os.path.exists(made), "y")  # pylint: disable=cell-var-from-loop
            until(terminal, lambda: len(server.requests) == 2)  # pylint: disable=cell-var-from-loop
            assert terminal.end() == 0, terminal.seen[-2000:]
        assert "go 語 on" in server.requests[0].text() and len(terminal.seen) < 100000, len(terminal.seen)


def test_a_dumb_terminal_gets_lines_and_no_escapes(case):
    server = case.serve(Answer([text("The **answer**.")]))
    with Mute(case, server, env={"TERM": "dumb"}) as terminal:
        terminal.wait("> ")
        terminal.type("go\n")
        terminal.wait("answer")
        assert terminal.end() == 0
    assert b"\x1b" not in terminal.seen, terminal.seen


def test_without_a_utf8_locale_what_is_typed_arrives(case):
    server = case.serve(Answer([text("Größe.")]))
    with Mute(case, server, env={"LANG": "C", "LC_ALL": "C"}) as terminal:
        terminal.wait("> ")
        terminal.type("wie groß\r")
        terminal.wait("Größe.")
        assert terminal.end() == 0
    assert "wie groß" in server.requests[0].text()


def test_ten_megabytes_are_pasted_whole(case):
    server = case.serve(Answer([text("Read.")]))
    words = "".join(f"line {number} \x1b[A\x03\x04 ü\n" for number in range(500000))[:10 << 20]
    with Mute(case, server) as terminal:
        terminal.wait("> ")
        terminal.type("\x1b[200~" + words.replace("\n", "\r") + "\x1b[201~")
        terminal.wait("[paste 1: ")
        terminal.type("\r")
        terminal.wait("Read.")
        assert terminal.end() == 0
    assert server.requests[0].messages[0]["content"][-1]["text"] == words.strip()
    assert b" more bytes" in terminal.seen and len(terminal.seen) < 100000, len(terminal.seen)


def test_what_is_typed_fast_and_without_marks_is_kept(case):
    """A terminal without bracketed paste: characters come as if they were typed, a megabyte of them."""
    server = case.serve(Answer([text("Read.")]))
    words = "some words of a long line, " * 40000
    with Mute(case, server) as terminal:
        terminal.wait("> ")
        terminal.type(words)
        terminal.type("end\r")
        terminal.wait("Read.")
        assert terminal.end() == 0
    assert server.requests[0].messages[0]["content"][-1]["text"] == words + "end"


def test_a_paste_before_the_prompt_is_kept(case):
    server = case.serve(Answer([text("Read.")]))
    with Mute(case, server, early="\x1b[200~first line\nsecond ü line\n\x1b[201~".encode()) as terminal:
        terminal.wait("\x1b[6n")
        terminal.type("third\r")
        terminal.wait("Read.")
        assert terminal.end() == 0
    assert server.requests[0].messages[0]["content"][-1]["text"] == "first line\nsecond ü line\nthird"


def test_keys_before_the_prompt_act_in_their_order(case):
    server = case.serve(Answer([text("Read.")]))
    with Mute(case, server, early=b"llo @ you\x01ha") as terminal:
        terminal.wait("hallo @ you")
        terminal.type("\r")
        terminal.wait("Read.")
        assert terminal.end() == 0
    assert server.requests[0].messages[0]["content"][-1]["text"] == "hallo @ you"


def test_a_line_and_enter_before_the_prompt_are_sent_and_several_lines_wait(case):
    server = case.serve(Answer([text("Read.")]), Answer([text("Read.")]))
    with Mute(case, server, early=b"hallo\r") as terminal:
        terminal.wait("Read.")
        assert terminal.end() == 0
    with Mute(case, server, early=b"one\rtwo\r") as terminal:
        terminal.wait("  two")  # below the prompt, not its echo
        terminal.type("three\r")
        terminal.wait("Read.")
        assert terminal.end() == 0
    assert [request.messages[0]["content"][-1]["text"] for request in server.requests] == ["hallo", "one\ntwo\nthree"]


def test_a_storm_of_sizes_is_survived(case):
    lines = [f"Line {number:02} of the answer." for number in range(40)]
    server = case.serve(Answer([text("\n\n".join(lines) + "\n\nThe very end.")], pace=0.01, delta=25))
    with Terminal(case, server) as terminal:
        terminal.prompt("tell")
        terminal.wait("Line 00 ")
        pid = int(terminal.tmux("list-panes", "-F", "#{pane_pid}"))
        with open(f"/proc/{pid}/task/{pid}/children", encoding="ascii") as file:
            helve = int(file.read().split()[0])
        end = time.monotonic() + WAIT
        while not server.requests[0].gone.is_set() and "very end" not in terminal.screen():
            assert time.monotonic() < end
            for _ in range(2000):
                os.kill(helve, signal.SIGWINCH)
        shown = terminal.wait("The very end.", gone=("Working",))
        assert [line for line in shown.splitlines() if line.startswith("Line ")] == lines, shown
        terminal.type("/quit\r")
        terminal.wait("ENDED 0")


def test_a_hang_up_in_the_middle_keeps_the_session(case):
    server = case.serve(Answer([text("One."), call("Bash", {"command": "touch began; sleep 600"})]), Answer([text("Two.")]))
    with Mute(case, server, "--permission-mode", "bypassPermissions") as terminal:
        terminal.wait("> ")
        terminal.type("question\r")
        end = time.monotonic() + WAIT
        while not os.path.exists(case.project + "/began"):
            assert time.monotonic() < end
            terminal.take(0.1)
        terminal.type("sent meanwhile\r")
        terminal.wait("queued: ")
        terminal.type("half typed")
        terminal.wait("half typed")
        os.close(terminal.master)
        terminal.master = -1
        terminal.process.wait(WAIT)
        assert terminal.process.returncode == 128 + signal.SIGHUP, terminal.process.returncode
    with Terminal(case, server, "-c") as terminal:
        shown = terminal.wait("> question", "One.", "■ Interrupted.")
        assert "[The user" not in shown, shown
        terminal.tmux("send-keys", "Up")
        terminal.wait("> half typed")
        terminal.tmux("send-keys", "Up")
        terminal.wait("> sent meanwhile")
        terminal.tmux("send-keys", "C-c")
        terminal.prompt("more")
        terminal.wait("Two.")
    sent = server.requests[1].text()
    assert "question" in sent and "One." in sent and "interrupted" in sent, sent


def test_escapes_of_a_command_and_a_file_are_obeyed_by_nobody(case):
    path = case.write("evil.txt", "".join(f"[{one}]\n" for one in ESCAPES))
    case.write("names.txt", "".join(f"<{one}>" for one in HIDDEN) + "\n")
    raw = os.path.join(case.root, "raw")
    server = case.serve(Answer([call("Bash", {"command": "cat evil.txt names.txt"}), call("Read", {"file_path": path})]),
                        Answer([text("".join(f"({one})\n\n" for one in ESCAPES) + "The end.")]))
    with Terminal(case, server) as terminal:
        terminal.wait("> ")
        terminal.tmux("pipe-pane", f"cat > {raw}")
        terminal.type("go\r")
        shown = terminal.wait("The end.", gone=("Working",))
        terminal.tmux("send-keys", "C-o")
        terminal.tmux("send-keys", "C-o")
        shown = terminal.wait("\\u{202e}", "\\u{200b}", "\\u{e0041}")
        terminal.type("/quit\r")
        terminal.wait("ENDED 0")
        assert "owned" not in terminal.tmux("display-message", "-p", "#{pane_title}")
    for mark in HIDDEN:
        assert mark not in shown, (mark, shown)
    with open(raw, "rb") as file:
        bare = re.sub(rb"\x1b\[(\d*(;\d+)*[ABCDKm]|\?(2026|25|2004|1004)[hl]|2K|6n|>1u|<u|\?u|\?2026\$p|22;0t|23;0t)|\x1b[78]|\x1b\]0;helve [^\x1b]*\x1b\\", b"", file.read())
    assert b"\x1b" not in bare and not re.search(rb"[\x00-\x07\x0b-\x0c\x0e-\x1f\x7f]|\xc2[\x80-\x9f]", bare), bare


def test_hidden_characters_of_a_question_are_shown_as_what_they_are(case):
    command = "touch 'a\u202eb' 'c\u200bd'   \t 'e\x1b[2Jf'"
    server = case.serve(Answer([call("Bash", {"command": command})]), Answer([text("Done.")]))
    with Terminal(case, server) as terminal:
        terminal.prompt("go")
        shown = terminal.wait("may this be done?", "y once")
        assert "a\\u{202e}b" in shown and "c\\u{200b}d" in shown and "e\\u{1b}[2Jf" in shown, shown
        terminal.type("n")
        terminal.wait("Done.")


def test_a_status_line_that_hangs_is_told_of_once(case):
    os.makedirs(os.path.join(case.home, "helve"))
    with open(os.path.join(case.home, "helve", "settings.json"), "w", encoding="utf-8") as file:
        json.dump({"statusLine": {"type": "command", "command": "sleep 1000"}}, file)
    server = case.serve(Answer([text("One.")]), Answer([text("Two.")]))
    with Terminal(case, server) as terminal:
        terminal.prompt("go")
        terminal.wait("One.", "it is not run again")
        terminal.type("again\r")
        shown = terminal.wait("Two.", gone=("Working",))
        assert shown.count("it is not run again") == 1 and "· default" in shown, shown
        terminal.type("/quit\r")
        terminal.wait("ENDED 0")


def test_broken_command_files_are_told_of_and_the_session_goes_on(case):
    case.write(".helve/commands/broken.md", "---\ndescription: \"no end\n---\nx\n")
    case.write(".helve/commands/open.md", "---\ndescription: never closed\n")
    case.write(".helve/commands/binary.md", b"\x00\xff\x01")
    case.write(".helve/commands/fine.md", "Do it.\n")
    server = case.serve(Answer([text("Done.")]))
    with Terminal(case, server) as terminal:
        terminal.wait("> ")
        for name, wanted in (("broken", "a quote is not closed"), ("binary", "it is no text"), ("open", "---")):
            terminal.type(f"/{name}\r")
            terminal.wait(wanted)
        terminal.type("/fine\r")
        terminal.wait("Done.", gone=("Working",))
    assert len(server.requests) == 1
