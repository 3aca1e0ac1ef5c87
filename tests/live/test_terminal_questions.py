"""helve at a terminal: what a person is asked, in a pane of tmux, with a scripted model."""
import json
import os
import subprocess

from harness import HELVE, Skip
from tmux import Terminal
from wires import Answer, call, text


def test_a_command_is_asked_for_and_runs_when_it_is_allowed(case):
    server = case.serve(Answer([call("Bash", {"command": "touch made"})]), Answer([text("It is made.")]))
    with Terminal(case, server) as terminal:
        terminal.prompt("make it")
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
        terminal.prompt("make it")
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
        terminal.prompt("make it")
        terminal.wait("may this be done?", "y once")
        terminal.type("e")
        terminal.wait("The input, as JSON")
        terminal.type("\x7f" * len('made"}') + 'other"}\r')
        terminal.wait("Done.")
    assert os.path.exists(case.project + "/other") and not os.path.exists(case.project + "/made")


def test_always_saves_the_rule_and_does_not_ask_again(case):
    def run(command, answer):
        return Answer([call("Bash", {"command": command})]), Answer([text(answer)])

    server = case.serve(*run("touch one", "One."), *run("mkdir one.d", "Two."), *run("mkdir two.d", "Three."), *run("touch two", "Four."), *run("mkdir three.d", "Five."))
    with Terminal(case, server) as terminal:
        terminal.prompt("make them")
        terminal.wait("may this be done?", "y once")
        terminal.type("a")
        terminal.wait("→ allowed always", "One.", gone=("Working",))
        terminal.type("more\r")
        terminal.wait("? Bash: may this be done?", "$ mkdir one.d", "y once")
        terminal.type("s")
        terminal.wait("→ allowed for this session", "Two.", gone=("Working",))
        terminal.type("/model claude-opus-4-5\r")  # the same session, opened anew
        terminal.wait("The model is now claude-opus-4-5.")
        terminal.type("more\r")
        terminal.wait("Three.", gone=("Working",))
        terminal.type("/clear\r")  # another one, whose settings were read before the rule was saved
        terminal.wait("A new conversation.")
        terminal.type("more\r")
        terminal.wait("Four.", gone=("Working",))
        terminal.type("more\r")
        terminal.wait("may this be done?", "$ mkdir three.d", "y once")
        terminal.type("n")
        shown = terminal.wait("Five.")
        assert shown.count("→ allowed") == 2, shown
    with open(case.project + "/.helve/settings.local.json", encoding="utf-8") as file:
        assert json.load(file)["permissions"]["allow"] == ["Bash(touch:*)"]


def test_a_rule_for_any_code_holds_for_the_session_only(case):
    server = case.serve(Answer([call("Bash", {"command": "python3 -c 'print(6 * 7)'"})]), Answer([call("Bash", {"command": "python3 -c 'print(6 * 8)'"})]),
                        Answer([text("Both.")]))
    if "sandbox    full" not in str(case.helve("doctor")):
        raise Skip("there is no full sandbox, where alone such a rule is offered")
    with Terminal(case, server) as terminal:
        terminal.prompt("reckon")
        terminal.wait("may this be done?", "Bash(python3 -c:*)", "any code, which only the sandbox confines", "y once")
        terminal.type("a")
        shown = terminal.wait("Both.", "holds for this session only")
        assert shown.count("→ allowed") == 1, shown
    assert not os.path.exists(case.project + "/.helve/settings.local.json")


def test_an_edit_is_asked_for_with_its_diff(case):
    path = case.write("a.txt", "one\ntwo\n")
    server = case.serve(Answer([call("Read", {"file_path": path})]), Answer([call("Edit", {"file_path": path, "old_string": "two", "new_string": "three"})]),
                        Answer([text("Changed.")]))
    with Terminal(case, server) as terminal:
        terminal.prompt("change it")
        shown = terminal.wait("may this be done?", "-two", "+three", "changes files", "y once")
        terminal.type("y")
        shown = terminal.wait("Changed.")
        assert "+three" in shown and "● Edit" in shown, shown
    assert case.read("a.txt") == "one\nthree\n"


def test_a_small_pane_and_no_colour_work(case):
    server = case.serve(Answer([call("Bash", {"command": "touch made"})]), Answer([text("Made.")]))
    with Terminal(case, server, columns=20, rows=6, env={"NO_COLOR": "1"}) as terminal:
        terminal.prompt("make it")
        terminal.wait("y once")
        terminal.type("y")
        terminal.wait("Made.")
        assert "\x1b[3" not in terminal.tmux("capture-pane", "-e", "-p")
    assert os.path.exists(case.project + "/made")


def test_a_command_is_explained_part_by_part_and_its_rules_can_be_changed(case):
    server = case.serve(Answer([call("Bash", {"command": "ls; touch a && mkdir b"})]), Answer([text("Made.")]))
    with Terminal(case, server) as terminal:
        terminal.prompt("make it")
        shown = terminal.wait("may this be done?", "y once")
        for part in ("3 commands", "ok       ls", "ask      touch a", "ask      mkdir b", "changes files", "Bash(touch:*)", "and: Bash(mkdir:*)"):
            assert part in shown, (part, shown)
        terminal.type("r")
        terminal.wait("> Bash(touch:*)\n  Bash(mkdir:*)", "always, for you in this folder", whole=False)
        terminal.tmux("send-keys", "C-u")
        terminal.type("Bash(mkdir b)\t\t")
        terminal.wait("always, for you everywhere", whole=False)
        terminal.type("\r")
        terminal.wait("Made.", "→ allowed always, in your settings")
    with open(case.home + "/helve/settings.json", encoding="utf-8") as file:
        assert json.load(file)["permissions"]["allow"] == ["Bash(touch:*)", "Bash(mkdir b)"]


def asking(case, *kinds):
    if b"TestingAsk" not in subprocess.run([HELVE, "tool", "list"], check=True, capture_output=True).stdout:
        raise Skip("this is no test build (meson -Dtests=true)")
    return case.serve(*[Answer([call("TestingAsk", {"kind": kind})]) for kind in kinds], Answer([text("The end.")]))


def test_a_choice_a_text_and_a_form_are_answered(case):
    server = asking(case, "choice", "text", "form", "text")
    with Terminal(case, server) as terminal:
        terminal.prompt("ask me")
        terminal.wait("TestingAsk asks", "How shall it be?", "Which colour?", "1 red", "like a brick", "2 green", "A number. Enter answers")
        terminal.type("7\r")  # none of them
        terminal.type("\x7f2\r")
        terminal.wait("answered: 2", "Which title?", "It is needed. Enter answers", gone=("Which colour?",))
        terminal.type("My title\r")
        terminal.wait("answered: My title", "1 of 5: Which colour?", "A number. Enter answers")
        terminal.type("red\r")
        terminal.wait("2 of 5: Which title?")
        terminal.type("T\r")
        terminal.wait("3 of 5: How many?", "It may be left empty.")
        terminal.type("3\r")
        terminal.wait("4 of 5: sure", "Yes or no.")
        terminal.type("\r")
        terminal.wait("5 of 5: others", "Numbers, with blanks between.")
        terminal.type("1 2\r")
        terminal.wait("→ answered\n", "Which title?", "It is needed. Enter answers", gone=("of 5",))
        terminal.type("half")
        terminal.tmux("send-keys", "C-c")  # as Esc: no answer, and the turn goes on
        terminal.wait("→ no", "The end.", gone=("Working",))
    told = [server.requests[at].results()[0].strip() for at in range(1, 5)]
    assert [json.loads(one.removeprefix("The answer: ")) for one in told[:3]] == [
        {"colour": "g"}, {"title": "My title"}, {"colour": "r", "title": "T", "count": 3, "sure": True, "others": ["r", "g"]}], told
    assert told[3] == "No answer:", told


def test_control_c_leaves_what_is_typed_in_a_question(case):
    server = case.serve(Answer([call("Bash", {"command": "touch made"})]), Answer([text("Done.")]))
    with Terminal(case, server) as terminal:
        terminal.prompt("make it")
        terminal.wait("may this be done?", "y once")
        for key, shown in (("w", "What should it do instead?"), ("e", "The input, as JSON"), ("r", "The rule, one a line")):
            terminal.type(key)
            terminal.wait(shown)
            terminal.tmux("send-keys", "C-c")
            terminal.wait("y once", gone=(shown,))
        terminal.type("y")
        terminal.wait("Done.", "allowed once")
    assert os.path.exists(case.project + "/made")
