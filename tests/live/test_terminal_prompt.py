"""helve at a terminal: keys, the prompt and commands, in a pane of tmux, with a scripted model."""
import json

from tmux import Terminal
from wires import Answer, call, text


def test_escape_interrupts_and_the_next_prompt_goes_on(case):
    server = case.serve(Answer([call("Bash", {"command": "sleep 600"})]), Answer([text("Again.")]))
    with Terminal(case, server, "--permission-mode", "bypassPermissions") as terminal:
        terminal.prompt("wait")
        terminal.wait("◌ Bash")
        terminal.type("\x1b")
        terminal.wait("Interrupted.", gone=("Working", "◌ Bash"))
        terminal.type("go on\r")
        terminal.wait("Again.")


def test_a_message_typed_meanwhile_is_queued_and_can_be_taken_back(case):
    server = case.serve(Answer([call("Bash", {"command": "until [ -e go ]; do sleep 0.05; done"})]), Answer([text("First.")]), Answer([text("Second.")]))
    with Terminal(case, server, "--permission-mode", "bypassPermissions") as terminal:
        terminal.prompt("wait")
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
        terminal.prompt("an early prompt")
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
        terminal.prompt("write it")
        terminal.wait("Written.")
    assert case.read("new.txt") == "x\n"


def test_control_o_unfolds_what_is_folded(case):
    server = case.serve(Answer([call("Bash", {"command": "seq 1 30"})]), Answer([text("Counted.")]))
    with Terminal(case, server) as terminal:
        terminal.prompt("count")
        shown = terminal.wait("Counted.", "(Ctrl-O shows them)")
        assert "  7\n" not in shown, shown
        terminal.tmux("send-keys", "C-o")
        terminal.wait("  7\n", "  30\n")


def test_a_command_of_the_persons_runs_and_the_model_hears_of_it(case):
    server = case.serve(Answer([text("Seen.")]))
    with Terminal(case, server) as terminal:
        terminal.prompt("!echo from the person")
        terminal.wait("● Bash $ echo from the person")
        terminal.prompt("look")
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
