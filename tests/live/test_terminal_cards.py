"""helve at a terminal: what is shown of calls and of earlier sessions, in a pane of tmux, with a scripted model."""
import base64
import fcntl
import os
import pty
import re
import select
import signal
import struct
import termios
import time
import zlib

from harness import HELVE, MODELS, Skip
from tmux import WAIT, Terminal
from wires import Answer, call, text

LIBRARIES = ("/usr/lib/x86_64-linux-gnu", "/usr/lib/aarch64-linux-gnu", "/usr/lib64", "/usr/lib")


def test_a_session_that_goes_on_shows_what_was_said_before(case):
    path = case.write("a.txt", "".join(f"line {n}\n" for n in range(1, 30)) + "needle\nneedle\n")
    note = case.write("AGENTS.md", "Look first.\n")
    first = case.serve(Answer([text("I look."), call("Read", {"file_path": path}), call("Grep", {"pattern": "needle", "path": path, "output_mode": "content", "-n": True})]),
                       Answer([text("Two **needles**.")]))
    with Terminal(case, first) as terminal:
        terminal.prompt("where is it")
        now = terminal.wait("Two needles.", gone=("Working",))
        terminal.type("/cost\r")
        spent = re.search(r"Cost so far: \$(0\.\d*[1-9]\d*)\n", terminal.wait("Cost so far: $"))
        assert spent, terminal.all()
        terminal.type("/quit\r")
        terminal.wait("ENDED 0")
    with Terminal(case, case.serve(Answer([text("On.")])), "-c") as terminal:
        shown = terminal.wait("so far", "> \n")
        for line in ("> where is it", "I look.", "● Read a.txt", "    1  line 1", "2 matches in 1 file", "Two needles."):
            assert line in now and shown.count(line) == 1, (line, now, shown)
        assert shown.index("I look.") < shown.index("● Read") < shown.index("● Grep") < shown.index("Two needles."), shown
        terminal.tmux("send-keys", "C-o")
        terminal.wait("   29  line 29")
        terminal.type("/cost\r")
        assert "price" not in terminal.wait("Cost so far: $" + spent[1]), terminal.all()
        terminal.type("/context\r")
        shown = terminal.wait("- free, estimated ")
        for part in ("system prompt", "guides of the tools", "environment", "memory file " + note, "descriptions of the tools", "your messages",
                     "the model's messages", "the model's calls", "results of Read", "results of Grep"):
            assert re.search(r"- " + re.escape(part) + r" [1-9]\d* tokens, \d+\.\d %\n", shown), (part, shown)
        terminal.type("go on\r")
        terminal.wait("On.")


def test_a_failed_command_and_a_list_have_cards(case):
    todos = [{"content": "first", "status": "completed", "activeForm": "doing first"}, {"content": "second", "status": "in_progress", "activeForm": "doing second"}]
    server = case.serve(Answer([call("Bash", {"command": "seq 30; exit 3"}), call("TodoWrite", {"todos": todos})]), Answer([text("- a\n  - b\n    1. c\n- d\n- e\n\nOver.")]))
    with Terminal(case, server, "--permission-mode", "bypassPermissions") as terminal:
        terminal.prompt("go")
        shown = terminal.wait("Over.", gone=("Working",))
        for part in ("- a\n  - b\n    1. c\n- d\n- e\n\nOver.", "✗ Bash $ seq 30; exit 3", "exit 3 ·", "… 25 more lines (Ctrl-O shows them)", "  30\n", "[x] first", "[>] doing second"):
            assert part in shown, (part, shown)
        assert "  25\n" not in shown, shown


def test_the_line_of_a_running_command_shows_what_it_prints_last(case):
    server = case.serve(Answer([call("Bash", {"command": "printf 'one\\nthe last line\\n'; until [ -e go ]; do sleep 0.05; done"})]), Answer([text("Over.")]))
    with Terminal(case, server, "--permission-mode", "bypassPermissions", columns=200) as terminal:
        terminal.prompt("go")
        shown = terminal.wait("s · the last line\n", "◌ Bash", whole=False)
        line = [line for line in shown.splitlines() if "◌ Bash" in line][0]
        assert " bytes" not in line and "one" not in line.split("done")[1], line
        case.write("go", "")
        terminal.wait("Over.", gone=("◌ Bash",))


def png(width, height):
    """A picture whose left half is red and right half blue."""
    rows = b"".join(b"\0" + b"\xff\0\0" * (width // 2) + b"\0\0\xff" * (width // 2) for _ in range(height))
    chunks = ((b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)), (b"IDAT", zlib.compress(rows)), (b"IEND", b""))
    return b"\x89PNG\r\n\x1a\n" + b"".join(struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data)) for name, data in chunks)


def show_picture(case, wanted, **options):
    """What the terminal is sent while a picture of 160×64 pixels is read, once it holds all of these."""
    path, raw = case.write("halves.png", png(160, 64)), os.path.join(case.root, "raw")
    server = case.serve(Answer([call("Read", {"file_path": path})]), Answer([text("Seen.")]))
    with Terminal(case, server, **options) as terminal:
        terminal.wait("> ")
        terminal.tmux("pipe-pane", f"cat > {raw}")
        terminal.prompt("look")
        terminal.wait("Seen.", "160×64 PNG", gone=("Working",))
        end = time.monotonic() + WAIT
        while True:
            with open(raw, "rb") as file:
                sent = file.read()
            if all(one in sent for one in wanted):
                break
            assert time.monotonic() < end, sent
            time.sleep(0.02)
        shown = terminal.tmux("capture-pane", "-p", "-e", "-S", "-")
        terminal.type("/quit\r")
        terminal.wait("ENDED 0")
    os.remove(raw)
    return sent, shown


def test_a_picture_is_shown_in_coloured_characters(case):
    if not any(os.path.exists(folder + "/libchafa.so.0") for folder in LIBRARIES):
        raise Skip("libchafa is not installed")
    _, shown = show_picture(case, (b"\x1b[38;5;",))
    rows = [line for line in shown.splitlines() if "5;196m" in line and "5;21m" in line]
    assert len(rows) == 4, shown  # 160×64 pixels are 20×4 cells


def test_terminals_with_pictures_of_their_own_get_a_png(case):
    sent, _ = show_picture(case, (b"\x1b_Ga=T", b"\x1b8"), env={"TERM": "xterm-kitty"})
    data = re.search(rb"\x1b_Ga=T,f=100,q=2,C=1,c=\d+,r=\d+,m=0;([A-Za-z0-9+/=]+)\x1b\\", sent).group(1)
    assert base64.b64decode(data).startswith(b"\x89PNG\r\n")
    sent, _ = show_picture(case, (b"\x1b]1337;File=inline=1;width=", b"\x1b8"), env={"TERM_PROGRAM": "iTerm.app"})
    assert base64.b64decode(re.search(rb"height=\d+:([A-Za-z0-9+/=]+)\a", sent).group(1)).startswith(b"\x89PNG\r\n")


def test_a_terminal_that_says_so_gets_sixels(case):
    """No tmux stands between: this is the terminal, of 80×30 cells of 10×20 pixels."""
    if not any(os.path.exists(folder + "/libchafa.so.0") for folder in LIBRARIES):
        raise Skip("libchafa is not installed")
    path = case.write("halves.png", png(160, 64))
    server = case.serve(Answer([call("Read", {"file_path": path})]), Answer([text("Seen.")]))
    pid, terminal = pty.fork()
    if pid == 0:
        os.chdir(case.project)
        env = {**case.environment(server), "TERM": "xterm-256color"}
        os.execve(HELVE, [HELVE, "--model", f"anthropic:{MODELS['anthropic']}", "look"], env)
    fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", 30, 80, 800, 600))
    os.kill(pid, signal.SIGWINCH)
    sent, answered, end = b"", {b"\x1b[c": 0, b"\x1b[6n": 0}, time.monotonic() + WAIT
    answers = {b"\x1b[c": b"\x1b[?62;4;22c", b"\x1b[6n": b"\x1b[1;1R"}
    while not re.search(rb"\x1bP[0-9;]*q[^\x1b]+\x1b\\\x1b8", sent):
        assert time.monotonic() < end, sent
        if not select.select([terminal], [], [], 0.1)[0]:
            continue
        sent += os.read(terminal, 65536)
        for question, answer in answers.items():
            for _ in range(sent.count(question) - answered[question]):
                os.write(terminal, answer)
                answered[question] += 1
    os.kill(pid, signal.SIGTERM)
    while select.select([terminal], [], [], WAIT)[0]:
        try:
            if not os.read(terminal, 65536):
                break
        except OSError:
            break
    os.waitpid(pid, 0)
    os.close(terminal)


def test_without_colours_there_is_no_picture(case):
    sent, _ = show_picture(case, (b"Seen.",), env={"NO_COLOR": "1", "TERM_PROGRAM": "iTerm.app"})
    assert b"1337" not in sent
