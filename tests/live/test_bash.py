"""The reader of shell scripts beside bash itself: what ran is in the list, word for word; what bash refuses is not accepted."""
import base64
import json
import os
import random
import shutil
import subprocess

import bash_scripts
from harness import Skip

LONG = 1 if os.environ.get("LIVE_LONG") else 4  # LIVE_LONG=1 tries four times as many
SCRIPTS, MUTANTS, SECOND_OPINIONS = 1600 // LONG, 800 // LONG, 300
ONELINERS = os.path.join(os.path.dirname(__file__), "bash_oneliners.txt")


def ask(case, scripts, root="/ROOT"):
    given = "".join(json.dumps({"id": i, "command": script, "cwd": root + "/work", "home": root + "/home"}) + "\n" for i, script in enumerate(scripts))
    ran = case.helve("debug", "bash-ast", stdin=given)
    answers = [json.loads(line) for line in ran.out.splitlines()]
    assert len(answers) == len(scripts), ran
    return answers


def refuses(script):
    """What bash -n says. A warning, of a here-document that the end closes, is no refusal."""
    if "\0" in script:
        return True
    ran = subprocess.run(["bash", "-n", "-c", "--", script], stdin=subprocess.DEVNULL, capture_output=True, timeout=600, check=False)
    return ran.returncode != 0


def allows(command, directory, argv):
    if command.get("directory") not in (None, directory) or directory not in command.get("directories", [directory]):
        return False
    if "argv_b64" in command:
        return [base64.b64decode(word) for word in command["argv_b64"]] == argv
    if command["argv"] is None:
        return bash_scripts.fits(command["words"], argv)
    return [word.encode() for word in command["argv"]] == argv


def made(seed, count):
    maker = bash_scripts.Maker(seed)
    return [maker.script() for _ in range(count)]


def test_what_bash_runs_is_in_the_list_with_the_same_words(case):
    scripts = made(20261121, SCRIPTS)
    with bash_scripts.place() as root:
        answers = ask(case, [script for script, _ in scripts], root)
        ran = bash_scripts.record([script.encode() for script, _ in scripts], root)
    assert sum(answer["accepted"] for answer in answers) > 0.85 * SCRIPTS
    assert sum(map(len, ran)) > 2 * SCRIPTS
    exact = 0
    for (script, _), answer, commands in zip(scripts, answers, ran):
        for directory, argv in commands if answer["accepted"] else ():
            exact += any(command.get("argv") and allows(command, directory, argv) for command in answer["commands"])
            assert any(allows(command, directory, argv) for command in answer["commands"]), (script, argv, answer["commands"])
    assert exact > SCRIPTS


def test_a_command_runs_where_the_reader_says(case):
    """Links count: by which name the shell knows a directory does not matter, but where that is."""
    chance = random.Random(20261122)
    scripts = [bash_scripts.moving_script(chance) for _ in range(SCRIPTS)]
    certain = 0
    with bash_scripts.place() as root:
        answers = ask(case, scripts, root)
        ran = bash_scripts.record([script.encode() for script in scripts], root)
        for script, answer, commands in zip(scripts, answers, ran):
            for directory, argv in commands if answer["accepted"] else ():
                if argv[0] != b"c7":
                    continue
                told = [command for command in answer["commands"] if [word.encode() for word in command["argv"] or ()] == argv]
                assert told, (script, argv)
                place = told[0].get("directory")
                some = [place] if place else told[0].get("directories")
                certain += some is not None
                assert not some or os.path.realpath(directory) in map(os.path.realpath, some), (script, argv, directory, told[0])
    assert certain > SCRIPTS


def test_what_bash_refuses_is_not_accepted(case):
    """Scripts in which bytes were taken out, put in or swapped."""
    chance, scripts = random.Random(5), []
    for script, _ in made(7, MUTANTS):
        for _ in range(chance.randint(1, 3)):
            at, length = chance.randrange(len(script) + 1), chance.randint(0, 3)
            script = script[:at] + chance.choice(["", "", "(", ")", "{", "}", "'", '"', "`", ";", "&", "|", "<", ">", "\n", "$(", "${", "esac", " do ",
                                                  " then ", "fi", "!", "[[ ", " ]]", "((", "))", ";;", "\\", "#", "=(", "<<E "]) + script[at + length:]
        scripts.append(script)
    answers = ask(case, scripts)
    wrong = [script for script, answer in zip(scripts, answers) if answer["accepted"] and refuses(script)]
    assert not wrong, wrong[:3]
    assert sum(not answer["accepted"] for answer in answers) > MUTANTS / 10, "nothing was refused"
    for script, answer in zip(scripts, answers):
        assert answer["accepted"] or (answer["reason"] and answer["place"] <= len(script.encode())), (script, answer["reason"], answer["place"])


def test_what_developers_type_is_accepted(case):
    with open(ONELINERS, encoding="utf-8") as file:
        scripts = [line.rstrip("\n").replace("⏎", "\n") for line in file.readlines()[1:] if line.strip()]
    refused = [script for script in scripts if refuses(script)]
    assert len(scripts) > 300 and not refused, refused
    missed = [(script, answer["reason"]) for script, answer in zip(scripts, ask(case, scripts)) if not answer["accepted"]]
    assert len(missed) <= len(scripts) / 100, missed


def simple_commands(node):
    """The calls in shfmt's tree."""
    if isinstance(node, list):
        return sum(map(simple_commands, node))
    if not isinstance(node, dict):
        return 0
    own = node.get("Type") == "CallExpr" or (not node.get("Cmd") and bool(node.get("Redirs"))) or node.get("Type") == "DeclClause" or \
        node.get("Type") == "LetClause"
    return own + sum(map(simple_commands, node.values()))


def test_shfmt_sees_as_many_commands(case):
    if not shutil.which("shfmt"):
        raise Skip("shfmt is not installed")
    scripts = [script for script, _ in made(99, SECOND_OPINIONS)]
    compared, differing = 0, []
    for script, answer in zip(scripts, ask(case, scripts)):
        if not answer["accepted"]:
            continue
        ran = subprocess.run(["shfmt", "-ln", "bash", "--to-json"], input=script.encode(), capture_output=True, timeout=600, check=False)
        if ran.returncode:
            continue
        compared += 1
        if simple_commands(json.loads(ran.stdout)) != len(answer["commands"]):
            differing.append(script)
    assert compared > SECOND_OPINIONS / 3
    # shfmt itself errs now and then: it counts twice what a here-document holds that begins on a line with let
    assert len(differing) <= compared / 100, (len(differing), compared, differing[:2])
