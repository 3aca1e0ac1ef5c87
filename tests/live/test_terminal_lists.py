"""Lists at a terminal: earlier sessions, messages to go back to, and what is offered where there is no model."""
import os
import shutil

from harness import Skip
from tmux import Terminal
from wires import Answer, call, text


def speak(case, server, words, answer):
    with Terminal(case, server) as terminal:
        terminal.prompt(words)
        terminal.wait(answer, gone=("Working",))
        terminal.type("/quit\r")
        terminal.wait("ENDED 0")


def test_a_session_is_found_by_its_words_and_goes_on(case):
    server = case.serve(Answer([text("About pears.")]), Answer([text("About plums.")]), Answer([text("On.")]))
    speak(case, server, "first question", "About pears.")
    speak(case, server, "second question", "About plums.")
    with Terminal(case, server, "-r") as terminal:
        terminal.wait("Which session goes on?", "first question", "second question")
        terminal.type("pears")
        terminal.wait("(1 of 2)", gone=("second question",))
        terminal.type("\r")
        terminal.wait("> ", gone=("Which session goes on?",))
        terminal.type("go on\r")
        terminal.wait("On.")
    sent = server.requests[2].text()
    assert "About pears." in sent and "About plums." not in sent, sent


def test_a_session_whose_folder_is_gone_asks(case):
    server = case.serve(Answer([text("There.")]), Answer([text("Here.")]))
    home = case.project
    case.project = os.path.join(home, "gone")
    os.mkdir(case.project)
    speak(case, server, "in the folder", "There.")
    shutil.rmtree(case.project)
    case.project = home
    with Terminal(case, server, "-r") as terminal:
        terminal.wait("Which session goes on?", "in the folder")
        terminal.type("\r")
        terminal.wait("is gone", "fork it in this folder", "cancel")
        terminal.tmux("send-keys", "Down")
        terminal.wait("> fork it")
        terminal.type("\r")
        terminal.wait("> ", gone=("is gone",))
        terminal.type("go on\r")
        terminal.wait("Here.")
    assert "There." in server.requests[1].text()


def test_escape_twice_opens_the_list_of_messages(case):
    server = case.serve(Answer([call("Write", {"file_path": case.project + "/new.txt", "content": "x\n"})]), Answer([text("Written.")]))
    with Terminal(case, server, "--permission-mode", "acceptEdits") as terminal:
        terminal.prompt("write it")
        terminal.wait("Written.", gone=("Working",))
        terminal.tmux("send-keys", "Escape", "Escape")
        terminal.wait("Back to before which message?", "1  write it", "new.txt")
        terminal.type("\r")
        terminal.wait("What goes back?", "the files alone")
        terminal.tmux("send-keys", "Down")
        terminal.wait("> the files alone")
        terminal.type("\r")
        shown = terminal.wait("Is that what shall change?", "-x", "a/new.txt", "/dev/null")
        assert "leave the conversation" not in shown
        terminal.tmux("send-keys", "Down")
        terminal.wait("> no")
        terminal.type("\r")
        terminal.wait("Nothing was changed.", gone=("Is that what",))
        assert case.read("new.txt") == "x\n"
        terminal.tmux("send-keys", "Escape", "Escape")
        terminal.wait("Back to before which message?")
        terminal.type("\r")
        terminal.wait("> files and conversation")
        terminal.type("\r")
        terminal.wait("Is that what shall change?", "1 message and all after leave the conversation", "> yes, go back")
        assert case.read("new.txt") == "x\n"
        terminal.type("\r")
        terminal.wait("remove", "1 file rewound", "/rewind undo takes it back.")
        assert not os.path.exists(case.project + "/new.txt")
        terminal.type("/rewind undo\r")
        shown = terminal.wait("1 file put back")
        assert "b/new.txt" in shown[shown.index("> /rewind undo"):] and "+x" in shown, shown
    assert case.read("new.txt") == "x\n"


def test_found_places_are_gone_through_by_n(case):
    lines = "\n".join(f"line {number}" if number % 40 else f"a pear, {number}" for number in range(100))
    server = case.serve(Answer([call("Bash", {"command": f"printf '{lines}'"})]), Answer([text("Those were pears. " + "Word. " * 5)]))
    with Terminal(case, server) as terminal:
        terminal.prompt("which fruit, pear or plum?")
        terminal.wait("Those were pears.", gone=("Working",))
        terminal.type("/find PEAR\r")
        terminal.wait("1 of 6", "> 1 message: which fruit", "n and N go on")
        for expected in ("2 of 6", "3 of 6", "4 of 6"):
            terminal.type("n")
            terminal.wait(expected, whole=False)
        terminal.wait("> 3 result: a pear, 40", "    line 39\n    a pear, 40\n    line 41\n", whole=False)
        terminal.type("N")
        terminal.wait("3 of 6", whole=False)
        for _ in range(2):
            terminal.type("N")
        terminal.wait("1 of 6", whole=False)
        terminal.type("N")
        terminal.wait("6 of 6", "> 4 answer: Those were pears", whole=False)
        terminal.type("x")
        terminal.type("\r")
        terminal.wait("Those were pears.", "\n>\n", gone=("n and N go on",), whole=False)
        terminal.type("/quit\r")
        terminal.wait("ENDED 0")


def test_without_a_model_a_person_is_offered_what_there_is(case):
    server = case.serve(Answer([text("x")]))
    names = ("ANTHROPIC_API_KEY", "ANTHROPIC_BASE_URL", "OPENAI_API_KEY", "OPENAI_BASE_URL", "HELVE_MODEL")
    with Terminal(case, server, env={name: "" for name in names}, model="") as terminal:
        shown = terminal.wait("helve needs a model", "a key of Anthropic", "the demo", "Which one?")
        number = [line.split()[0] for line in shown.splitlines() if "the demo" in line][0]
        terminal.type(number + "\r")
        terminal.wait("helve in", "demo")


NO_MODEL = {name: "" for name in ("ANTHROPIC_API_KEY", "ANTHROPIC_BASE_URL", "OPENAI_API_KEY", "OPENAI_BASE_URL", "HELVE_MODEL")}


def choose(terminal, words):
    """Type the number of the offer with these words."""
    shown = terminal.wait(words, "Which one?")
    terminal.type([line.split()[0] for line in shown.splitlines() if words in line][0] + "\r")


def test_a_key_is_taken_without_being_shown(case):
    with Terminal(case, case.serve(Answer([text("x")])), env=NO_MODEL, model="") as terminal:
        choose(terminal, "a key of Anthropic")
        terminal.wait("ANTHROPIC_API_KEY (it is not shown): ")
        terminal.type("the-secret-key\r")
        shown = terminal.wait("It holds for this run", "helve in", "> ")
        assert "secret" not in shown and "claude" in shown, shown
        terminal.type("/model\r")
        terminal.wait("of anthropic")
        terminal.type("/quit\r")
        terminal.wait("ENDED 0")


def test_a_server_of_this_machine_is_found_on_its_usual_port(case):
    server = None
    for port in (1234, 11434, 8080, 8000):
        try:
            server = case.serve(Answer([text("From here.")]), port=port, models=("a-local-model",))
            break
        except OSError:  # somebody has it
            continue
    if not server:
        raise Skip("all of the usual ports are taken")
    with Terminal(case, server, env=NO_MODEL, model="") as terminal:
        choose(terminal, f"a-local-model, of the server at 127.0.0.1:{port}")
        terminal.wait(f"To keep it: export OPENAI_BASE_URL=http://127.0.0.1:{port}/v1 HELVE_MODEL=openai-chat:a-local-model")
        terminal.prompt("hello")
        terminal.wait("From here.", gone=("Working",))
        terminal.type("/quit\r")
        terminal.wait("ENDED 0")
    assert len(server.requests) == 1


def test_a_file_is_found_by_letters_of_its_name(case):
    case.write("deep/down/parser_table.c", "x")
    case.write("deep/other.c", "x")
    server = case.serve(Answer([text("x")]))
    with Terminal(case, server) as terminal:
        terminal.wait("> ")
        terminal.type("look at @prstbl")
        terminal.wait("deep/down/parser_table.c", gone=("deep/other.c",))
        terminal.type("\t")
        terminal.wait("> look at @deep/down/parser_table.c")
        terminal.tmux("send-keys", "C-c")
        terminal.wait("helve in", gone=("> look",), whole=False)
        terminal.type("/quit\r")
        terminal.wait("ENDED 0")


def test_a_session_is_renamed_and_forked(case):
    server = case.serve(Answer([text("One.")]), Answer([text("Two.")]))
    with Terminal(case, server) as terminal:
        terminal.prompt("question")
        terminal.wait("One.", gone=("Working",))
        terminal.type("/rename About apples\r")
        terminal.wait("Renamed.")
        terminal.type("/fork\r")
        terminal.wait("This is a fork now")
        terminal.type("more\r")
        terminal.wait("Two.", gone=("Working",))
        terminal.type("/resume\r")
        terminal.wait("Which session goes on?", "About apples")
        terminal.type("\x1b")
        terminal.wait("> ", gone=("Which session goes on?",))
        terminal.type("/quit\r")
        terminal.wait("ENDED 0")
    assert "One." in server.requests[1].text()


def test_a_session_that_another_window_has_leaves_the_present_one(case):
    server = case.serve(Answer([text("One.")]), Answer([text("Two.")]), Answer([text("Three.")]))
    with Terminal(case, server) as first, Terminal(case, server) as second:
        first.prompt("in the first window")
        first.wait("One.", gone=("Working",))
        second.prompt("in the second window")
        second.wait("Two.", gone=("Working",))
        second.type("/resume\r")
        second.wait("Which session goes on?", "in the first window")
        second.type("first\r")
        second.wait("another helve is using the session", gone=("Which session goes on?",))
        second.type("on\r")
        second.wait("Three.")
    assert "Two." in server.requests[2].text() and "One." not in server.requests[2].text(), server.requests[2].text()


def test_a_session_whose_terminal_has_gone_is_kept(case):
    server = case.serve(Answer([text("One.")]), Answer([text("Two.")]))
    with Terminal(case, server) as terminal:
        terminal.prompt("question")
        terminal.wait("One.", gone=("Working",))
    with Terminal(case, server, "-c") as terminal:
        terminal.prompt("more")
        terminal.wait("Two.")
    assert "One." in server.requests[1].text()
