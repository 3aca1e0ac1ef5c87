"""Themes at a terminal: chosen by the settings, a command or the background; a person's own, with what is wrong in it."""
import json
import os
import time

from tmux import WAIT, Terminal
from wires import Answer, text

DARK, LIGHT = "\x1b[36m", "\x1b[38;5;24m"  # of the mark in front of a prompt


def settings(case, theme, name=None, file=None):
    folder = os.path.join(case.home, "helve")
    os.makedirs(os.path.join(folder, "themes"), exist_ok=True)
    with open(os.path.join(folder, "settings.json"), "w", encoding="utf-8") as out:
        json.dump({"theme": theme} if theme else {}, out)
    if name:
        with open(os.path.join(folder, "themes", name + ".json"), "w", encoding="utf-8") as out:
            out.write(file)


def coloured(terminal):
    return terminal.tmux("capture-pane", "-p", "-e", "-S", "-")


def until_coloured(terminal, wanted):
    terminal.wait("> ")
    end = time.monotonic() + WAIT
    while True:
        shown = coloured(terminal)
        if wanted in shown:
            return shown
        assert time.monotonic() < end, shown
        time.sleep(0.02)


def leave(terminal):
    terminal.type("/quit\r")
    terminal.wait("ENDED 0")


def test_a_theme_is_chosen_by_the_settings_and_changed_by_a_command(case):
    settings(case, "light")
    with Terminal(case, case.serve(Answer([text("x")]))) as terminal:
        assert DARK not in until_coloured(terminal, LIGHT)
        terminal.type("/config theme dark\r")
        terminal.wait("The theme is dark, and is kept in")
        until_coloured(terminal, DARK)
        terminal.type("/config theme nonsense\r")
        terminal.wait('there is no theme "nonsense"', "There are: auto, dark, light.")
        terminal.type("/config theme\r")
        terminal.wait("The theme of your settings is dark.")
        leave(terminal)
    path = os.path.join(case.home, "helve", "settings.json")
    with open(path, encoding="utf-8") as file:
        assert json.load(file) == {"theme": "dark"}
    with Terminal(case, case.serve(Answer([text("x")]))) as terminal:
        assert LIGHT not in until_coloured(terminal, DARK)
        with open(path, "w", encoding="utf-8") as file:
            file.write('{"theme": "dark",}')
        terminal.type("/config theme light\r")
        terminal.wait("The theme is light in this session only", "is not saved")
        leave(terminal)
    with open(path, encoding="utf-8") as file:
        assert file.read() == '{"theme": "dark",}'


def test_the_background_decides_where_no_theme_is_chosen(case):
    for variable, wanted, other in (("0;15", LIGHT, DARK), ("15;0", DARK, LIGHT), ("", DARK, LIGHT)):
        with Terminal(case, case.serve(Answer([text("x")])), env={"COLORFGBG": variable}) as terminal:
            assert other not in until_coloured(terminal, wanted), variable
            leave(terminal)


def test_the_terminals_answer_comes_before_the_variable(case):
    with Terminal(case, case.serve(Answer([text("x")])), env={"COLORFGBG": "15;0"}, background="#ffffff") as terminal:
        until_coloured(terminal, LIGHT)
        leave(terminal)


def test_no_colour_is_no_colour_whatever_the_theme(case):
    settings(case, "light")
    with Terminal(case, case.serve(Answer([text("**bold** and `code`")])), env={"NO_COLOR": "1"}) as terminal:
        terminal.prompt("go")
        terminal.wait("and `code`", gone=("Working",))
        assert "\x1b[" not in coloured(terminal)
        leave(terminal)


def test_a_theme_of_ones_own_is_used_but_for_what_is_wrong_in_it(case):
    settings(case, "mine", "mine", '{\n  "base": "light",\n  "accent": "bold #112233",\n  "haeding": "red",\n  "good": "blurple"\n}\n')
    with Terminal(case, case.serve(Answer([text("x")])), columns=200) as terminal:
        terminal.wait('mine.json:4:3: there is no style "haeding"; "heading"?', 'mine.json:5:11: "blurple" is neither')
        until_coloured(terminal, "38;2;17;34;51")
        leave(terminal)
    settings(case, "mine", "mine", "{")
    with Terminal(case, case.serve(Answer([text("x")])), columns=200) as terminal:
        terminal.wait("mine.json:1:2: ")
        until_coloured(terminal, DARK)
        leave(terminal)
