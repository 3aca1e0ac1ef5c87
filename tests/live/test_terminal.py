"""helve at a terminal: the interactive session in a pane of tmux, with a scripted model."""
import json
import os
import random

from tmux import Terminal
from wires import Answer, call, text


def prompt(terminal, words):
    """Type a prompt once the session is ready for it."""
    terminal.wait("> ")
    terminal.type(words + "\r")


def test_an_answer_is_shown_as_markdown_and_the_prompt_comes_back(case):
    server = case.serve(Answer([text("# Title\n\nSome **bold** and `code`.\n\n- [x] done\n- [ ] open\n\n| a | b |\n|--|--|\n| 1 | 2 |\n\n"
                                     "```c\nint x;\n```\n\nThe end.")]))
    with Terminal(case, server) as terminal:
        prompt(terminal, "hello there")
        shown = terminal.wait("The end.", gone=("Working",))
        for line in ("> hello there", "Title", "Some bold and code.", "- [x] done", "- [ ] open", "int x;"):
            assert line in shown.splitlines(), (line, shown)
        assert "**" not in shown and shown.count("The end.") == 1, shown
        terminal.type("/quit\r")
        terminal.wait("ENDED 0")
    assert "hello there" in server.requests[0].text()


def test_a_command_is_asked_for_and_runs_when_it_is_allowed(case):
    server = case.serve(Answer([call("Bash", {"command": "touch made"})]), Answer([text("It is made.")]))
    with Terminal(case, server) as terminal:
        prompt(terminal, "make it")
        shown = terminal.wait("may this be done?", "$ touch made", "Bash(touch:*)", "y once")
        assert not os.path.exists(case.project + "/made")
        terminal.type("q\r")  # neither is an answer
        terminal.type("y")
        shown = terminal.wait("It is made.", "allowed once", gone=("may this be done?",))
        assert "● Bash" in shown, shown
    assert os.path.exists(case.project + "/made")


def test_no_with_words_reaches_the_model(case):
    server = case.serve(Answer([call("Bash", {"command": "touch made"})]), Answer([text("I see.")]))
    with Terminal(case, server) as terminal:
        prompt(terminal, "make it")
        terminal.wait("may this be done?", "y once")
        terminal.type("w")
        terminal.wait("What should it do instead?")
        terminal.type("use a file\r")
        terminal.wait("I see.")
    assert not os.path.exists(case.project + "/made")
    assert "use a file" in server.requests[1].results()[0], server.requests[1].results()


def test_the_input_can_be_changed_in_the_question(case):
    server = case.serve(Answer([call("Bash", {"command": "touch made"})]), Answer([text("Done.")]))
    with Terminal(case, server) as terminal:
        prompt(terminal, "make it")
        terminal.wait("may this be done?", "y once")
        terminal.type("e")
        terminal.wait("The input, as JSON")
        terminal.type("\x7f" * len('made"}') + 'other"}\r')
        terminal.wait("Done.")
    assert os.path.exists(case.project + "/other") and not os.path.exists(case.project + "/made")


def test_always_saves_the_rule_and_does_not_ask_again(case):
    server = case.serve(Answer([call("Bash", {"command": "touch one"})]), Answer([call("Bash", {"command": "touch two"})]), Answer([text("Both.")]))
    with Terminal(case, server) as terminal:
        prompt(terminal, "make them")
        terminal.wait("may this be done?", "y once")
        terminal.type("a")
        shown = terminal.wait("Both.")
        assert shown.count("→ allowed always") == 1, shown
    with open(case.project + "/.helve/settings.local.json", encoding="utf-8") as file:
        assert json.load(file)["permissions"]["allow"] == ["Bash(touch:*)"]


def test_an_edit_is_asked_for_with_its_diff(case):
    path = case.write("a.txt", "one\ntwo\n")
    server = case.serve(Answer([call("Read", {"file_path": path})]), Answer([call("Edit", {"file_path": path, "old_string": "two", "new_string": "three"})]),
                        Answer([text("Changed.")]))
    with Terminal(case, server) as terminal:
        prompt(terminal, "change it")
        shown = terminal.wait("may this be done?", "-two", "+three", "changes files", "y once")
        terminal.type("y")
        shown = terminal.wait("Changed.")
        assert "+three" in shown and "● Edit" in shown, shown
    assert case.read("a.txt") == "one\nthree\n"


def test_escape_interrupts_and_the_next_prompt_goes_on(case):
    server = case.serve(Answer([call("Bash", {"command": "sleep 600"})]), Answer([text("Again.")]))
    with Terminal(case, server, "--permission-mode", "bypassPermissions") as terminal:
        prompt(terminal, "wait")
        terminal.wait("◌ Bash")
        terminal.type("\x1b")
        terminal.wait("Interrupted.", gone=("Working", "◌ Bash"))
        terminal.type("go on\r")
        terminal.wait("Again.")


def test_a_message_typed_meanwhile_is_queued_and_can_be_taken_back(case):
    server = case.serve(Answer([call("Bash", {"command": "until [ -e go ]; do sleep 0.05; done"})]), Answer([text("First.")]), Answer([text("Second.")]))
    with Terminal(case, server, "--permission-mode", "bypassPermissions") as terminal:
        prompt(terminal, "wait")
        terminal.wait("◌ Bash")
        terminal.type("and then this\r")
        terminal.wait("queued: and then this")
        terminal.type("not this\r")
        terminal.wait("queued: not this")
        terminal.tmux("send-keys", "Up")
        terminal.wait("> not this", gone=("queued: not this",))
        terminal.tmux("send-keys", "C-u")
        case.write("go", "")
        terminal.wait("First.", "Second.", "> and then this")
    assert len(server.requests) == 3


def test_the_prompt_has_lines_history_and_undo(case):
    server = case.serve(Answer([text("One.")]), Answer([text("Two.")]))
    with Terminal(case, server) as terminal:
        prompt(terminal, "an early prompt")
        terminal.wait("One.", gone=("Working",))
        terminal.type("first")
        terminal.tmux("send-keys", "C-j")
        terminal.type("second")
        terminal.wait("> first\n  second", whole=False)
        terminal.tmux("send-keys", "C-a", "C-k", "C-y", "C-y", "C-_")
        terminal.wait("> first\n  second\n", whole=False)
        terminal.tmux("send-keys", "C-c")
        terminal.tmux("send-keys", "Up")
        terminal.wait("> first\n  second", whole=False)
        terminal.tmux("send-keys", "C-c", "C-r")
        terminal.type("early")
        terminal.wait("search: early  an early prompt")
        terminal.type("\r")
        terminal.wait("> an early prompt\n", whole=False)
        terminal.type("\r")
        terminal.wait("Two.")
    assert "an early prompt" in json.dumps(server.requests[1].messages[-1])


def test_shift_tab_changes_the_mode(case):
    server = case.serve(Answer([call("Write", {"file_path": case.project + "/new.txt", "content": "x\n"})]), Answer([text("Written.")]))
    with Terminal(case, server) as terminal:
        terminal.wait("· default")
        terminal.tmux("send-keys", "BTab")
        terminal.wait("· acceptEdits")
        prompt(terminal, "write it")
        terminal.wait("Written.")
    assert case.read("new.txt") == "x\n"


def test_control_o_unfolds_what_is_folded(case):
    server = case.serve(Answer([call("Bash", {"command": "seq 1 30"})]), Answer([text("Counted.")]))
    with Terminal(case, server) as terminal:
        prompt(terminal, "count")
        shown = terminal.wait("Counted.", "(Ctrl-O shows them)")
        assert "  7\n" not in shown, shown
        terminal.tmux("send-keys", "C-o")
        terminal.wait("  7\n", "  30\n")


def test_a_command_of_the_persons_runs_and_the_model_hears_of_it(case):
    server = case.serve(Answer([text("Seen.")]))
    with Terminal(case, server) as terminal:
        prompt(terminal, "!echo from the person")
        terminal.wait("● Bash $ echo from the person")
        prompt(terminal, "look")
        terminal.wait("Seen.")
    assert "from the person" in server.requests[0].text()


def test_slash_commands_answer_and_complete(case):
    server = case.serve(Answer([text("Hello.")]))
    with Terminal(case, server) as terminal:
        terminal.wait("> ")
        terminal.type("/he")
        terminal.wait("/help  commands and keys")
        terminal.type("\t")
        terminal.type("\r")
        terminal.wait("Commands", "/clear", "interrupts")
        for command, wanted in (("/model", "with a context of"), ("/mode plan", "The mode is plan."), ("/tools", "- Bash Run a shell command"),
                                ("/permissions", "The mode is plan."), ("/hooks", "No hooks are configured."), ("/memory", "has no AGENTS.md"),
                                ("/tasks", "Nothing runs in the background."), ("/context", "Nothing was sent yet."), ("/cost", "read from cache"),
                                ("/config", "settings.local.json"), ("/resume", "no earlier session"), ("/compact", "still to come"),
                                ("/nonsense", "no command /nonsense")):
            terminal.type(command + "\r")
            terminal.wait(wanted)
    assert not server.requests


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


def _child(parent):
    with open(f"/proc/{parent}/task/{parent}/children", encoding="ascii") as file:
        return int(file.read().split()[0])


def test_after_many_sizes_each_finished_line_stands_there_once(case):
    lines = [f"Line {number:02} of the answer, which is long enough to be wrapped in a narrow pane." for number in range(60)]
    # Each piece of the stream is a whole paragraph: nothing of it is ever in the part that changes.
    server = case.serve(Answer([text("\n\n".join(lines) + "\n\nThe very end.")], pace=0.05, delta=len(lines[0]) + 2))
    chance = random.Random(7)
    with Terminal(case, server) as terminal:
        prompt(terminal, "tell")
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
        prompt(terminal, "go")
        shown = terminal.wait("end", "before")
        assert "before" in shown and "\\u{1b}[2Jafter" in shown and "\\u{202e}turned" in shown, shown
        assert "owned" not in terminal.tmux("display-message", "-p", "#{pane_title}")


def test_a_small_pane_and_no_colour_work(case):
    server = case.serve(Answer([call("Bash", {"command": "touch made"})]), Answer([text("Made.")]))
    with Terminal(case, server, columns=20, rows=6, env={"NO_COLOR": "1"}) as terminal:
        prompt(terminal, "make it")
        terminal.wait("y once")
        terminal.type("y")
        terminal.wait("Made.")
        assert "\x1b[3" not in terminal.tmux("capture-pane", "-e", "-p")
    assert os.path.exists(case.project + "/made")


def test_a_long_paste_is_one_chip_and_arrives_whole(case):
    server = case.serve(Answer([text("Read.")]))
    words = "\n".join(f"pasted line {number}" for number in range(3000))
    with Terminal(case, server) as terminal:
        terminal.wait("> ")
        source = case.write("paste", words)
        terminal.tmux("load-buffer", source)
        terminal.tmux("paste-buffer", "-p")
        terminal.wait("[paste 1: 3000 lines]")
        terminal.type("\r")
        terminal.wait("Read.")
    sent = server.requests[0].messages[0]["content"][-1]["text"]
    assert sent == words, sent[:200]
