"""helve at a terminal: the interactive session in a pane of tmux, with a scripted model."""
import json
import os
import random
import signal
import subprocess
import time

from tmux import WAIT, Terminal
from wires import Answer, call, text


def test_an_answer_is_shown_as_markdown_and_the_prompt_comes_back(case):
    server = case.serve(Answer([text("# Title\n\nSome **bold** and `code`.\n\n- [x] done\n- [ ] open\n\n| a | b |\n|--|--|\n| 1 | 2 |\n\n"
                                     "```c\nint x;\n```\n\nThe end.")]))
    with Terminal(case, server) as terminal:
        terminal.prompt("hello there")
        shown = terminal.wait("The end.", gone=("Working",))
        for line in ("> hello there", "Title", "Some bold and code.", "- [x] done", "- [ ] open", "a  b", "1  2", "int x;"):
            assert line in shown.splitlines(), (line, shown)
        assert "**" not in shown and shown.count("The end.") == 1, shown
        assert terminal.tmux("display-message", "-p", "#{pane_title}").strip() == "helve · project"
        terminal.type("/quit\r")
        terminal.wait("ENDED 0")
    assert "hello there" in server.requests[0].text()


def test_the_terminal_is_as_before_on_every_way_out(case):
    for number, way in enumerate(("/quit", "TERM", "HUP", "SEGV")):
        server = case.serve(Answer([text("x")]))
        with Terminal(case, server, env={"ASAN_OPTIONS": "handle_segv=0"}) as terminal: # a sanitizer's handler would come first
            terminal.wait("> ")
            if way == "/quit":
                terminal.type("/quit\r")
            else:
                pids = terminal.tmux("list-panes", "-F", "#{pane_pid}").split()
                helve = terminal.case and _child(int(pids[0]))
                os.kill(helve, getattr(__import__("signal"), "SIG" + way))
            shown = terminal.wait("ENDED ", "opost")
            assert {"icanon", "echo", "opost"} <= set(shown.replace(";", " ").split()) and "^[" not in shown, (number, way, shown)


def test_the_terminal_is_restored_after_a_kill(case):
    raw = os.path.join(case.root, "raw")
    with Terminal(case, case.serve(Answer([text("x")]))) as terminal:
        terminal.wait("> ")
        tty, pid = terminal.tmux("list-panes", "-F", "#{pane_tty} #{pane_pid}").split()
        assert "-icanon" in _modes(tty)
        terminal.tmux("pipe-pane", f"cat > {raw}")
        os.kill(_child(int(pid)), signal.SIGKILL)
        terminal.wait("ENDED 137")
        _until(lambda: {"icanon", "echo", "opost", "isig"} <= _modes(tty) and b"\x1b[?2004l" in _bytes(raw) and b"\x1b[?25h" in _bytes(raw))


def _modes(tty):
    return set(subprocess.run(["stty", "-a", "-F", tty], check=True, capture_output=True, text=True).stdout.replace(";", " ").split())


def _child(parent):
    with open(f"/proc/{parent}/task/{parent}/children", encoding="ascii") as file:
        return int(file.read().split()[0])


def test_after_many_sizes_each_finished_line_stands_there_once(case):
    lines = [f"Line {number:02} of the answer, which is long enough to be wrapped in a narrow pane." for number in range(60)]
    # Each piece of the stream is a whole paragraph: nothing of it is ever in the part that changes.
    server = case.serve(Answer([text("\n\n".join(lines) + "\n\nThe very end.")], pace=0.05, delta=len(lines[0]) + 2))
    chance = random.Random(7)
    with Terminal(case, server) as terminal:
        terminal.prompt("tell")
        terminal.wait("Line 00 ")
        for _ in range(50):
            terminal.resize(chance.choice((20, 40, 41, 60, 79, 80, 120, 200)), chance.choice((6, 10, 24, 30, 50)))
        terminal.resize(100, 30)
        shown = terminal.wait("The very end.")
        found = [line for line in shown.splitlines() if line.startswith("Line ")]
        assert found == lines, shown


def test_escapes_of_a_model_are_shown_and_obeyed_by_nobody(case):
    server = case.serve(Answer([text("before \x1b]0;owned\x07 \x1b[2Jafter \u202eturned\n\nend")]))
    with Terminal(case, server) as terminal:
        terminal.prompt("go")
        shown = terminal.wait("end", "before")
        assert "before" in shown and "\\u{1b}[2Jafter" in shown and "\\u{202e}turned" in shown, shown
        assert "owned" not in terminal.tmux("display-message", "-p", "#{pane_title}")


def test_who_looks_elsewhere_is_called_when_a_turn_ends_or_a_question_waits(case):
    server = case.serve(Answer([call("Bash", {"command": "touch made"})]), Answer([text("first done")]), Answer([text("second done")]))
    told, raw = os.path.join(case.root, "told"), os.path.join(case.root, "raw")
    _settings(case, {"hooks": {"Notification": [{"hooks": [{"type": "command", "command": f"cat >> {told}; echo >> {told}"}]}]}})
    with Terminal(case, server) as terminal:
        terminal.wait("> ")
        terminal.tmux("pipe-pane", f"cat > {raw}")
        terminal.tmux("send-keys", "-H", "1b", "5b", "4f")  # the focus goes
        terminal.prompt("go")
        terminal.wait("touch made", "y once")
        _until(lambda: _types(told) == ["permission_prompt"])
        assert b"]9;helve asks you something" in _bytes(raw)
        terminal.type("y")
        terminal.wait("first done", gone=("Working",))
        _until(lambda: _types(told) == ["permission_prompt", "idle_prompt"])
        seen = _bytes(raw)
        assert b"\a\x1b]9;helve is done\x1b\\\x1b]777;notify;helve;helve is done\x1b\\" in seen, seen
        terminal.tmux("send-keys", "-H", "1b", "5b", "49")  # it is back: nobody is called
        terminal.prompt("again")
        terminal.wait("second done", gone=("Working",))
        terminal.type("/quit\r")
        terminal.wait("ENDED 0")
    assert len(_types(told)) == 2 and _bytes(raw).count(b"helve is done") == seen.count(b"helve is done")


def _settings(case, settings):
    os.makedirs(os.path.join(case.home, "helve"), exist_ok=True)
    with open(os.path.join(case.home, "helve", "settings.json"), "w", encoding="utf-8") as file:
        json.dump(settings, file)


def _bytes(path):
    with open(path, "rb") as file:
        return file.read()


def _types(path):
    if not os.path.exists(path):
        return []
    return [json.loads(line)["notification_type"] for line in _bytes(path).splitlines() if line.endswith(b"}")]


def _until(true):
    end = time.monotonic() + WAIT
    while not true():
        assert time.monotonic() < end, "never came"
        time.sleep(0.02)


def test_a_command_makes_the_status_line_and_one_that_floods_is_told_of_once(case):
    told = os.path.join(case.root, "told")
    command = f"cat >> {told}; echo >> {told}; printf '\\033[31mmy line\\033[0m\\nsecond\\n'"
    for command, wanted in ((command, "my line"), ("yes", "printed more than 64 kB; it is not run again")):
        server = case.serve(Answer([text("the answer")]))
        _settings(case, {"statusLine": {"type": "command", "command": command}})
        with Terminal(case, server) as terminal:
            terminal.prompt("go")
            shown = terminal.wait("the answer", wanted, gone=("Working",))
            assert ("· default" in shown) == (wanted != "my line") and "second" not in shown and shown.count(wanted) == 1, shown
            terminal.type("/quit\r")
            terminal.wait("ENDED 0")
    events = [json.loads(line) for line in _bytes(told).splitlines() if line]
    assert events[-1]["model"]["id"] and events[-1]["workspace"]["current_dir"] == case.project and events[-1]["cost"], events
