"""Command files of a person's or a project's own, at a terminal and headless."""
import os

from tmux import Terminal
from wires import Answer, call, text


def answered(case):
    return case.serve(Answer([text("Read.")]))


def test_a_command_file_is_filled_in_headless(case):
    case.write(".claude/commands/fix.md", "---\ndescription: Fix: one issue\nallowed-tools: Bash(cat:*)\n---\n"
                                          "Fix $1 in $ARGUMENTS. See @a.txt, but not @/etc/passwd.\nNow: !`echo $1` !`touch made`\n")
    case.write("a.txt", "the file's text\n")
    server = answered(case)
    done = case.helve("-p", "/fix 12 'two words'", server=server)
    assert done.code == 0 and "Read." in done.out, (done.out, done.err)
    sent = server.requests[0].text()
    assert "Fix 12 in 12 'two words'. See" in sent and "the file's text" in sent and "@/etc/passwd" in sent, sent
    assert "Now: 12" in sent and "this command failed" in sent, sent
    assert not os.path.exists(case.project + "/made")


def test_broken_command_files_are_told_of(case):
    case.write(".helve/commands/broken.md", "---\ndescription: \"no end\n---\nx\n")
    with open(case.project + "/.helve/commands/binary.md", "wb") as file:
        file.write(b"\x00\xff\x01")
    server = answered(case)
    done = case.helve("-p", "/broken", server=server)
    assert done.code != 0 and "a quote is not closed" in done.err and "line 2" in done.err, (done.out, done.err)
    done = case.helve("-p", "/binary", server=server)
    assert done.code != 0 and "it is no text" in done.err, (done.out, done.err)
    assert not server.requests


def test_a_command_file_is_completed_and_asks_for_what_it_runs(case):
    case.write(case.home + "/helve/commands/tell.md", "---\ndescription: Tell it\nargument-hint: WHAT\nallowed-tools: Bash(mkdir:*)\n---\nTell $ARGUMENTS: !`touch made; echo done it`\n")
    server = case.serve(Answer([text("Read.")]), Answer([call("Bash", {"command": "mkdir d"})]), Answer([text("All done.")]))
    with Terminal(case, server) as terminal:
        terminal.wait("> ", "helve in")
        terminal.type("/te")
        terminal.wait("/tell WHAT  Tell it")
        terminal.type("\tthem\r")
        terminal.wait("may this be done?", "touch made", "s this session")
        terminal.type("s")
        terminal.wait("Read.")
        terminal.type("/tell more\r")  # what was answered stays, what the file allowed does not
        terminal.wait("may this be done?", "mkdir d", "y once")
        terminal.type("n")
        terminal.wait("All done.")
    assert os.path.exists(case.project + "/made")
    assert "Tell them: done it" in server.requests[0].text(), server.requests[0].text()
