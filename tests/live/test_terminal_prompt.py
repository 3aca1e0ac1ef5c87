"""helve at a terminal: keys, the prompt and commands, in a pane of tmux, with a scripted model."""
import base64
import json
import os

from tmux import Terminal
from wires import Answer, call, text

PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="


def test_escape_interrupts_and_the_next_prompt_goes_on(case):
    server = case.serve(Answer([call("Bash", {"command": "sleep 600"})]), Answer([text("Again.")]))
    with Terminal(case, server, "--permission-mode", "bypassPermissions") as terminal:
        terminal.prompt("wait")
        terminal.wait("◌ Bash")
        terminal.type("\x1b")
        terminal.wait("Interrupted.", gone=("Working", "◌ Bash"))
        for key in ("Escape", "C-c"):
            terminal.type("!sleep 600; : " + key + "\r")
            terminal.wait("◌ Bash $ sleep 600; : " + key)
            terminal.tmux("send-keys", key)
            terminal.wait("✗ Bash $ sleep 600; : " + key, gone=("◌ Bash",))
        terminal.type("go on\r")
        terminal.wait("Again.", gone=("Working",))
        terminal.type("half")
        terminal.tmux("send-keys", "C-l")
        shown = terminal.wait("> half", gone=("Again.",), whole=False)
        assert shown.lstrip().startswith("> half") and "Again." in terminal.all(), shown


def test_control_b_sends_the_running_command_to_the_background(case):
    wait = "echo begun; until [ -e go ]; do sleep 0.05; done; echo 'it went on'"
    server = case.serve(Answer([call("Bash", {"command": wait})]), Answer([text("Meanwhile.")]),
                        Answer([call("TaskOutput", {"task_id": "bash_1"})]), Answer([text("Noticed.")]))
    with Terminal(case, server, "--permission-mode", "bypassPermissions") as terminal:
        terminal.prompt("wait")
        terminal.wait("◌ Bash", "begun", "Ctrl-B: to the background")
        terminal.tmux("send-keys", "C-b")
        terminal.wait("Meanwhile.", "· 1 task", gone=("◌ Bash",))
        told = server.requests[1].text()
        for words in ("begun", "The user sent the command to the background", "bash_1", "TaskOutput shows its further output"):
            assert words in told, (words, told)
        terminal.type("/tasks\r")
        terminal.wait("bash_1 running")
        case.write("go", "")
        terminal.wait("Noticed.")
        terminal.type("/quit\r")
        terminal.wait("ENDED 0")
    assert "it went on" in server.requests[3].text(), server.requests[3].text()


def test_a_command_that_cannot_go_to_the_background_says_so_and_keeps_its_result(case):
    wait = "echo begun; until [ -e go ]; do sleep 0.05; done; echo 'it went on'"
    full = [call("Monitor", {"file": "/no/such/file", "persistent": True}) for _ in range(64)]
    server = case.serve(Answer(full), Answer([call("Bash", {"command": wait})]), Answer([text("Seen.")]))
    with Terminal(case, server, "--permission-mode", "bypassPermissions") as terminal:
        terminal.prompt("fill it")
        terminal.wait("◌ Bash", "begun", "Ctrl-B: to the background")
        terminal.tmux("send-keys", "C-b")
        terminal.wait("It stays in the foreground: 64 tasks run in the background already")
        case.write("go", "")
        terminal.wait("Seen.", gone=("◌ Bash",))
    told = server.requests[2].text()
    assert "it went on" in told and "The user wanted it to go on in the background, but: 64 tasks" in told, told


def test_control_b_moves_the_caret_where_no_command_runs_and_sends_ones_own_away(case):
    server = case.serve(Answer([text("Heard.")]))
    with Terminal(case, server) as terminal:
        terminal.wait("> ")
        terminal.type("ab")
        terminal.tmux("send-keys", "C-b")
        terminal.type("x")
        terminal.wait("> axb")
        terminal.tmux("send-keys", "C-u", "C-k")
        terminal.type("!sleep 600\r")
        terminal.wait("◌ Bash $ sleep 600")
        terminal.tmux("send-keys", "C-b")
        terminal.wait("● Bash $ sleep 600", "· 1 task", gone=("◌ Bash",))
        terminal.prompt("look")
        terminal.wait("Heard.", gone=("Working",))
        terminal.type("/quit\r")
        terminal.wait("ENDED 0")
    assert "goes on as bash_1" in server.requests[0].text()


def test_a_message_typed_meanwhile_is_queued_and_can_be_taken_back(case):
    server = case.serve(Answer([call("Bash", {"command": "until [ -e go ]; do sleep 0.05; done"})]), Answer([text("First.")]))
    case.write("ein Bild.png", base64.b64decode(PIXEL))
    case.write("text.png", "no picture\n")
    with Terminal(case, server, "--permission-mode", "bypassPermissions") as terminal:
        terminal.prompt("wait")
        terminal.wait("◌ Bash")
        terminal.type("and then this: @Bil")
        terminal.wait("ein Bild.png")
        terminal.type("\t")
        terminal.wait('this: @"ein Bild.png"')
        terminal.type("@text.png")
        terminal.wait("@text.png\n> text.png")
        terminal.type("\r")
        terminal.wait("queued: and then this")
        terminal.type("not this\r")
        terminal.wait("queued: not this")
        terminal.tmux("send-keys", "Up")
        terminal.wait("> not this", gone=("queued: not this",))
        terminal.tmux("send-keys", "C-u")
        case.write("go", "")
        terminal.wait("> and then this", "@text.png is sent as a name alone", "First.")
    assert len(server.requests) == 2 and not server.faults, server.faults
    words, picture = server.requests[1].messages[-1]["content"][1:]
    assert words["text"].endswith(":]\nand then this: @\"ein Bild.png\" @text.png") and picture["source"]["data"] == PIXEL, (words, picture)


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
    case.write("kept.md", "dear\n")
    with Terminal(case, server) as terminal:
        terminal.wait("> ")
        terminal.type("/he")
        terminal.wait("/help  commands and keys")
        terminal.type("\t")
        terminal.type("\r")
        terminal.wait("Commands", "/clear", "interrupts")
        for command, wanted in (("/model", "with a context of"), ("/mode", "The mode is default"), ("/mode plan", "The mode is plan."), ("/tools", "- Bash Run a shell command"),
                                ("/permissions", "The mode is plan."), ("/hooks", "No hooks are configured."), ("/memory", "has no AGENTS.md"),
                                ("/tasks", "Nothing runs in the background."), ("/tasks stop", "/tasks stop ID ends"), ("/context", "Nothing was sent yet."), ("/cost", "read from cache"),
                                ("/config", "settings.local.json"), ("/diff", "has changed no files"), ("/find x", "Nothing in this session"),
                                ("/copy", "there is no answer yet"), ("/export", "Written to"), ("/permissions Bash(git *)", "commands of this form"),
                                ("/permissions git status", "only reads"), ("/trace", "wrote"), ("/doctor", "terminal   80 x 30, TERM=screen-256color, colours yes"), ("/compact", "still to come"),
                                ("/hepl", "no command /hepl; did you mean /help?"), ("/undo", "did you mean /rewind?"), ("/xyzzy", "no command /xyzzy; /help lists"), ("/config colours", "/config theme NAME changes"), ("/copy all", "/copy code its last"),
                                ("/rewind far", "/rewind alone lists the messages"), ("!", "!command runs a command"), ("/export kept.md", "already; name a file"),
                                ("/trace kept.md", "/trace kept.md\n\nThere is")):
            terminal.type(command + "\r")
            terminal.wait(wanted)
        terminal.type("/quit\r")
        terminal.wait("ENDED 0")
    assert not server.requests and case.read("kept.md") == "dear\n"


def test_without_journal_and_trust_commands_say_so_and_the_session_goes_on(case):
    case.write(".claude/settings.json", json.dumps({"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "true"}]}]}}))
    server = case.serve(Answer([text("One.")]), Answer([text("Two.")]))
    with Terminal(case, server, "--no-session-persistence") as terminal:
        terminal.prompt("first")
        terminal.wait("One.", gone=("Working",))
        for command, wanted in (("/hooks", "This folder is not trusted"), ("/permissions", "No settings file has rules."), ("/model other", "start it with --model NAME"),
                                ("/model", "claude-sonnet-4-5 of anthropic"), ("/rewind", "nothing to go back to"), ("/export", "no journal"), ("/context", "- messages "),
                                ("/clear", "A new conversation.\n\n>")):
            terminal.type(command + "\r")
            terminal.wait(wanted)
        terminal.type("second\r")
        terminal.wait("Two.")


def test_commands_of_ones_own_are_completed_as_they_are_now(case):
    case.write(".helve/commands/fruit.md", "---\ndescription: about apples\n---\nx\n")
    with Terminal(case, case.serve(Answer([text("x")]))) as terminal:
        terminal.wait("> ")
        terminal.type("/fru")
        terminal.wait("/fruit  about apples")
        case.write(".helve/commands/fruit.md", "---\ndescription: about pears\n---\nx\n")
        case.write(".helve/commands/frugal.md", "Spend less.\n")
        terminal.type("\x7f")
        terminal.wait("/fruit  about pears", "/frugal  Spend less.", gone=("about apples",))
        terminal.tmux("send-keys", "C-u", "C-k")
        terminal.type("/quit\r")
        terminal.wait("ENDED 0")


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


def test_what_was_changed_is_shown_rewound_and_taken_back(case):
    path = case.write("a.txt", "one\ntwo\n")
    server = case.serve(Answer([call("Read", {"file_path": path})]), Answer([call("Edit", {"file_path": path, "old_string": "two", "new_string": "three"})]),
                        Answer([text("Changed, see\n\n```\nthe code\n```")]), Answer([text("Later.")]))
    with Terminal(case, server, "--permission-mode", "acceptEdits") as terminal:
        terminal.prompt("change it")
        terminal.wait("the code", gone=("Working",))
        terminal.type("/diff\r")
        terminal.wait("-two", "b/a.txt")
        terminal.type("/diff other.txt\r")
        terminal.wait("has changed no file of that name")
        for words, wanted in (("CHANGED", "answer: Changed, see"), ("two", "result:      2 two")):
            terminal.type(f"/find {words}\r")
            terminal.wait("Found: " + words, wanted, "the code")
            terminal.type("\x1b")
            terminal.wait("> ", gone=("Found: " + words,))
        terminal.type("/copy code\r")
        terminal.wait("copied 9 bytes")
        terminal.type("/rewind 1 code\r")
        shown = terminal.wait("restore")
        assert "-three\n+two" in shown.replace("  ", ""), shown
        assert case.read("a.txt") == "one\ntwo\n"
        terminal.type("/rewind undo\r")
        terminal.wait("/rewind undo", gone=("starting",))
        terminal.type("/model openai-chat:other\r")
        terminal.wait("The model is now other.", "The server does not list other; it has: test-model.")
        terminal.type("/cost\r")
        shown = terminal.wait("Cost so far: $", "The price of this model is not known.")
        assert "Cost so far: $0.0000" not in shown, shown
        terminal.type("go on\r")
        terminal.wait("Later.", gone=("Working",))
        terminal.type("/quit\r")
        terminal.wait("ENDED 0")
    assert case.read("a.txt") == "one\nthree\n"


def test_notes_go_to_memory_files_and_pictures_to_the_model(case):
    case.write("AGENTS.md", "of the whole\n")
    os.mkdir(case.project + "/.git")
    case.project += "/part"
    for name in ("a picture.png", "another.png"):
        case.write(name, base64.b64decode(PIXEL))
    case.write("text.png", "no picture\n")
    server = case.serve(Answer([text("Seen.")]))
    with Terminal(case, server) as terminal:
        terminal.prompt("#always run the tests")
        terminal.wait("Noted in")
        terminal.type("##be brief\r")
        terminal.wait("AGENTS.md.", "# #be brief")
        terminal.type("/memory\r")
        terminal.wait("- " + case.home + "/helve/AGENTS.md 11 bytes", "- " + os.path.dirname(case.project) + "/AGENTS.md 13 bytes",
                      "- " + case.project + "/AGENTS.md 23 bytes")
        terminal.type("!echo another.png\r")
        terminal.wait("● Bash $ echo another.png", "  another.png\n")
        terminal.type("what is ./a\\ picture.png and text.png\r")
        terminal.wait("text.png is sent as a name alone: it is no PNG")
        terminal.wait("Seen.", gone=("Working",))
        terminal.type("/quit\r")
        terminal.wait("ENDED 0")
    assert case.read("AGENTS.md") == "- always run the tests\n"
    sent = server.requests[0].text()
    assert "always run the tests" in sent and sent.count(PIXEL) == 1, sent
