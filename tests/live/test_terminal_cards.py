"""helve at a terminal: what is shown of calls and of earlier sessions, in a pane of tmux, with a scripted model."""
from tmux import Terminal
from wires import Answer, call, text


def test_a_session_that_goes_on_shows_what_was_said_before(case):
    path = case.write("a.txt", "".join(f"line {n}\n" for n in range(1, 30)) + "needle\nneedle\n")
    first = case.serve(Answer([text("I look."), call("Read", {"file_path": path}), call("Grep", {"pattern": "needle", "path": path, "output_mode": "content", "-n": True})]),
                       Answer([text("Two **needles**.")]))
    with Terminal(case, first) as terminal:
        terminal.prompt("where is it")
        now = terminal.wait("Two needles.", gone=("Working",))
        terminal.type("/quit\r")
        terminal.wait("ENDED 0")
    with Terminal(case, case.serve(Answer([text("On.")])), "-c") as terminal:
        shown = terminal.wait("so far", "> \n")
        for line in ("> where is it", "I look.", "● Read a.txt", "    1  line 1", "2 matches in 1 file", "Two needles."):
            assert line in now and shown.count(line) == 1, (line, now, shown)
        assert shown.index("I look.") < shown.index("● Read") < shown.index("● Grep") < shown.index("Two needles."), shown
        terminal.tmux("send-keys", "C-o")
        terminal.wait("   29  line 29")
        terminal.type("go on\r")
        terminal.wait("On.")


def test_a_failed_command_and_a_list_have_cards(case):
    todos = [{"content": "first", "status": "completed", "activeForm": "doing first"}, {"content": "second", "status": "in_progress", "activeForm": "doing second"}]
    server = case.serve(Answer([call("Bash", {"command": "seq 30; exit 3"}), call("TodoWrite", {"todos": todos})]), Answer([text("Over.")]))
    with Terminal(case, server, "--permission-mode", "bypassPermissions") as terminal:
        terminal.prompt("go")
        shown = terminal.wait("Over.", gone=("Working",))
        for part in ("✗ Bash $ seq 30; exit 3", "exit 3 ·", "… 25 more lines (Ctrl-O shows them)", "  30\n", "[x] first", "[>] doing second"):
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
