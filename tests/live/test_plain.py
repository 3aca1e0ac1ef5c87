"""helve --plain: the interactive session line by line, through pipes, with a scripted model."""
import json
import os
import pty
import subprocess

from harness import HELVE, MODELS, TIMEOUT
from wires import Answer, call, text


def run(case, server, lines, *flags):
    done = subprocess.run([HELVE, "--model", f"anthropic:{MODELS['anthropic']}", *flags], input=lines, cwd=case.project, env=case.environment(server),
                          capture_output=True, text=True, timeout=TIMEOUT, check=False)
    assert done.returncode == 0, (done.stdout, done.stderr)
    assert "\x1b" not in done.stdout + done.stderr, done.stdout
    return done


def test_a_session_line_by_line(case):
    path = case.write("a.txt", "one\ntwo\n")
    server = case.serve(Answer([text("I look.\n\n"), call("Read", {"file_path": path})]),
                        Answer([call("Bash", {"command": "seq 20; touch made"})]), Answer([text("It **is** done.")]), Answer([text("Again.")]))
    done = run(case, server, "look\ny\n/help\nonce more\n", "--ax-screen-reader")
    said = done.stdout
    for part in ("I look.\n", "call: Read a.txt\n", "done: Read, 2 lines\n", "call: Bash $ seq 20; touch made\n", "done: Bash, 20 lines\n", "  20\n", "It **is** done.\n",
                 "/mode", "Again.\n"):
        assert said.count(part) >= 1, (part, said, done.stderr)
    assert "  12\n" not in said and said.index("I look.") < said.index("call: Read") < said.index("It **is**") < said.index("Again."), said
    assert "may this be done? Bash" in done.stderr and "| $ seq 20; touch made" in done.stderr, done.stderr
    assert "once more" in json.dumps(server.requests[3].messages[-1])
    on = run(case, case.serve(Answer([text("On.")])), "go on\n/context\n", "--plain", "-c")
    for part in ("took 120 of 200000 tokens (0 %)", "- results of `Read` ", "- the model's messages ", "- free 199880 tokens, 99.9 %",
                 "> look", "I look.", "done: Read, 2 lines", "It **is** done.", "so far", "On."):
        assert on.stdout.count(part) == 1, (part, on.stdout)


def test_the_question_of_trust_says_what_would_run(case):
    case.write(".helve/settings.json", json.dumps({"permissions": {"allow": ["Bash(make:*)"]},
                                                   "hooks": {"PreToolUse": [{"matcher": "Bash", "hooks": [{"type": "command", "command": "./guard \u202e--all"}]}]}}))
    case.write(".mcp.json", json.dumps({"mcpServers": {"files": {"command": "npx", "args": ["-y", "server"]}}}))
    case.write(".claude/commands/deploy.md", "Deploy it.")
    master, slave = pty.openpty()
    process = subprocess.Popen([HELVE, "-p", "--no-stdin", "--model", f"anthropic:{MODELS['anthropic']}", "go"], stdin=slave, stderr=slave, stdout=subprocess.PIPE,
                               cwd=case.project, env=case.environment(case.serve(Answer([text("Hello.")]))), start_new_session=True)
    os.close(slave)
    seen = b""
    while b"Trust them?" not in seen or not seen.endswith(b"> "):
        seen += os.read(master, 65536)
    os.write(master, b"n\n")
    assert process.communicate(timeout=TIMEOUT)[0].strip() == b"Hello.", seen
    os.close(master)
    shown = seen.decode()
    for part in ("allows    Bash(make:*)  (.helve/settings.json)", "hook      ./guard \\u{202e}--all  (.helve/settings.json)",
                 "server    files: npx -y server  (.mcp.json)", "command   deploy.md  (.claude/commands)"):
        assert part in shown, (part, shown)


def test_one_task_at_a_terminal_streams_its_words(case):
    master, slave = pty.openpty()
    server = case.serve(Answer([text("First words.\nAnd more"), call("Bash", {"command": "seq 9"})]), Answer([text("The\x1b[2J end.")]))
    process = subprocess.Popen([HELVE, "-p", "--no-stdin", "--model", f"anthropic:{MODELS['anthropic']}", "--allowed-tools", "Bash(seq:*)", "go"], stdin=slave, stderr=slave,
                               stdout=slave, cwd=case.project, env=case.environment(server), start_new_session=True)
    os.close(slave)
    seen = b""
    try:
        while piece := os.read(master, 65536):
            seen += piece
    except OSError:
        pass
    assert process.wait(timeout=TIMEOUT) == 0
    os.close(master)
    shown = seen.decode().replace("\r\n", "\n")
    assert shown.index("First words.\nAnd more\n") < shown.index("Bash seq 9") < shown.index("    9\n") < shown.index("The end.\n"), shown
    assert shown.count("First words.") == shown.count("end.") == 1 and "\x1b[2J" not in shown, shown
