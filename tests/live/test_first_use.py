"""What a newcomer meets first: choosing a model, `helve doctor`, the last line of stream-json, the demo, examples."""
import glob
import json
import os
import re
import shutil
import subprocess

import wires
from harness import HELVE, KEY
from wires import Answer, call, text


def own_server(server):
    """A server of one's own: its address, and nothing else."""
    return {"OPENAI_BASE_URL": server.url + "/v1", "HELVE_MAX_RETRIES": "0"}


def findings(ran, check):
    return [finding for finding in map(json.loads, ran.out.splitlines()) if finding["check"] == check]


# ---- which model ---------------------------------------------------------------------------------------------

def test_the_only_model_of_a_server_is_taken(case):
    server = case.serve(Answer([text("hi")]), models=["qwen3-coder:30b"])
    ran = case.helve("-p", "hello", env=own_server(server))
    assert (ran.code, ran.out) == (0, "hi\n"), ran
    assert server.requests[0].body["model"] == "qwen3-coder:30b"


def test_of_several_models_one_must_be_named(case):
    server = case.serve(models=["qwen3-coder:30b", "gpt-oss:20b"])
    ran = case.helve("-p", "hello", env=own_server(server))
    assert ran.code == 2 and not server.requests, ran
    assert "the server has 2: qwen3-coder:30b, gpt-oss:20b" in ran.err, ran
    assert "--model openai-chat:qwen3-coder:30b" in ran.err, ran


def test_a_server_without_a_list_chooses_itself(case):
    server = case.serve(Answer([text("hi")]), models=[])
    ran = case.helve("-p", "hello", env=own_server(server))
    assert (ran.code, ran.out) == (0, "hi\n"), ran
    assert server.requests[0].body["model"] == "default"


def test_doctor_tells_the_models_of_the_server(case):
    server = case.serve(models=["a-model", "b-model"])
    env = own_server(server)
    ran = case.helve("doctor", "--json", "--model", "openai-chat:b-model", env=env)
    assert [(f["status"], f["message"]) for f in findings(ran, "models")] == [("ok", "the server has 2: a-model, b-model")], ran
    ran = case.helve("doctor", "--json", "--model", "openai-chat:c-model", env=env)
    assert findings(ran, "models")[0]["message"] == "the server does not list c-model; the server has 2: a-model, b-model", ran
    assert "a-model, b-model" in findings(case.helve("doctor", "--json", env=env), "model")[0]["message"]
    anthropic = {"ANTHROPIC_BASE_URL": server.url, "ANTHROPIC_API_KEY": KEY}
    ran = case.helve("doctor", "--json", "--model", "anthropic:a-model", env=anthropic)
    assert findings(ran, "models")[0]["status"] == "ok", ran
    assert not findings(case.helve("doctor", "--offline", "--json", env=env), "models")


# ---- stream-json ---------------------------------------------------------------------------------------------

OBJECTS = {"hooks": {"SessionEnd": [{"hooks": [{"type": "command", "command": "echo I object >&2; exit 2"}]}]}}
STREAM = ("--output-format", "stream-json", "--verbose", "--include-hook-events", "--settings", json.dumps(OBJECTS))


def test_the_last_line_is_the_result_whatever_is_told_at_the_end(case):
    server = case.serve(Answer([call("Bash", {"command": "sleep 0.3 &"})]), Answer([text("done")]))
    ran = case.ask(server, "go", *STREAM, "--allowed-tools", "Bash")
    assert any("I object" in line.get("content", "") for line in ran.events), ran
    assert [line["type"] for line in ran.events].count("result") == 1, ran
    assert ran.events[-1]["type"] == "result" and ran.events[-1]["result"] == "done", ran


def test_the_last_line_is_the_result_when_messages_come_on_stdin(case):
    server = case.serve(Answer([text("one")]), Answer([text("two")]))
    messages = "".join(json.dumps({"type": "user", "message": {"role": "user", "content": word}}) + "\n" for word in ("a", "b"))
    ran = case.helve("-p", "--model", "anthropic:claude-sonnet-4-5", "--input-format", "stream-json", *STREAM, server=server,
                     stdin=messages)
    assert ran.code == 0, ran
    assert [line["result"] for line in ran.events if line["type"] == "result"] == ["one", "two"], ran
    assert ran.events[-1]["type"] == "result", ran


# ---- the demo ------------------------------------------------------------------------------------------------

def test_the_recorded_demo_works_in_any_folder(case):
    ran = case.helve("-p", "--model", "replay:demo", "hello", env={"TMPDIR": case.root})
    assert ran.code == 0 and "all tests pass" in ran.out, ran
    assert "is a recording" in ran.err and "real" in ran.err, ran
    assert not os.listdir(case.project)
    copy = re.search(r"\S+/helve-demo-\w+", ran.err).group()
    with open(os.path.join(copy, "ini.c"), encoding="utf-8") as file:
        assert "quoted" in file.read()


def test_the_recorded_demo_claims_no_success_that_was_none(case):
    ran = case.helve("-p", "--model", "replay:demo", "--permission-mode", "default", "hello", env={"TMPDIR": case.root})
    assert ran.code == 1 and "pass" not in ran.out, ran
    assert "a call failed" in ran.err, ran


# ---- examples, as they are written ---------------------------------------------------------------------------

def prepare(case):
    """A small project with what the examples speak of."""
    case.write("README.md", "A project.\n")
    case.write("src/main.c", "int main(void) { return 0; }\n")
    case.write("Makefile", "test:\n\t@echo all well\n")
    case.write("calls.jsonl", json.dumps({"type": "tool_use", "id": "1", "name": "Read", "input": {"file_path": "README.md"}}) + "\n")
    stream = b"".join(part for _, part in wires.stream("anthropic", Answer([call("Bash", {"command": "make test"})]), "m", 1))
    case.write("answer.sse", stream)
    case.write("recorded.sse", stream)
    case.write("rules.json", json.dumps({"tests": []}))
    programs = os.path.join(case.root, "programs")
    os.makedirs(programs)
    os.symlink(HELVE, os.path.join(programs, "helve"))
    if not shutil.which("jq"):
        with open(os.path.join(programs, "jq"), "w", encoding="utf-8") as file:
            file.write("#!/bin/sh\ncat\n")
        os.chmod(os.path.join(programs, "jq"), 0o755)
    for folder in (".local/share/bash-completion/completions", ".zfunc", ".config/fish/completions"):
        os.makedirs(os.path.join(case.home, folder), exist_ok=True)
    return programs


def run_line(case, line, env):
    return subprocess.run(["bash", "-o", "pipefail", "-c", line], cwd=case.project, env=env, stdin=subprocess.DEVNULL,
                          capture_output=True, text=True, timeout=120, check=False)


def endless(server):
    class Endless(list):
        def pop(self, index=-1):
            return Answer([text("Because of a test.")])
    server.answers = Endless([None])
    return server


def readme_blocks():
    with open(os.path.join(os.path.dirname(__file__), "..", "..", "README.md"), encoding="utf-8") as file:
        section = file.read().split("## First use")[1].split("## Doors")[0]
    return [[line[4:] for line in block.splitlines()] for block in re.findall(r"(?:^    .*\n)+", section, re.M)]


def test_the_examples_of_the_readme_run_as_written(case):
    programs = prepare(case)
    os.makedirs(os.path.join(case.project, "build"))
    os.symlink(HELVE, os.path.join(case.project, "build/helve"))
    blocks, ran = readme_blocks(), 0
    for block in blocks:
        server = endless(case.serve(models=["qwen3-coder"]))
        env = {**case.environment(), "PATH": programs + ":" + os.environ["PATH"], "HELVE_MAX_RETRIES": "0"}
        for line in block:
            if line.startswith("export "):
                name, value = line.split()[1].split("=")
                env[name] = server.url + "/v1" if name.endswith("URL") else KEY
                if name == "ANTHROPIC_API_KEY":
                    env["ANTHROPIC_BASE_URL"] = server.url
                assert value == "…" or value.startswith("http://localhost:"), line
                continue
            ended = run_line(case, line, env)
            assert ended.returncode == 0, (line, ended)
            ran += 1
        assert not server.faults, server.faults
    assert (len(blocks), ran) == (3, 6), (len(blocks), ran)


COMMANDS = ["-p", "exec", "tool list", "tool describe", "tool call", "explain path", "explain bash", "explain rule", "permissions test",
            "sessions list", "sessions show", "rewind", "replay", "trace", "ps", "trust", "doctor", "completion", "sessions remove", ""]
# What an example cannot end with 0 for: reasons.
OTHERWISE = {"helve explain path ~/.ssh/id_rsa --json": "what is denied", "helve replay": "differences are told",
             "helve rewind --undo": "nothing is left to take back"}


def examples_of(case, command):
    text_of = case.helve(*command.split(), "--help").out
    lines = text_of.split("\nExamples:\n")[1].split("\n\n")[0].splitlines() if "\nExamples:\n" in text_of else []
    return [re.split(r"\s{3,}", line.strip())[0] for line in lines]


def test_the_examples_of_the_help_run_as_written(case):
    programs = prepare(case)
    server = endless(case.serve())
    env = {**case.environment(server), "PATH": programs + ":" + os.environ["PATH"]}
    run_line(case, "git init -q .", env)
    for number in ("3f2a0000", "77770000"):
        for more in ("--session-id " + number, "--resume " + number, "--resume " + number):
            ended = run_line(case, f"helve -p go {more}", env)
            assert ended.returncode == 0, ended
    for journal in glob.glob(case.home + "/**/77770000.jsonl", recursive=True):
        shutil.copy(journal, os.path.join(case.project, "session.jsonl"))
    os.makedirs(os.path.join(case.project, "fresh-copy"))
    ran = 0
    for command in COMMANDS:
        for line in examples_of(case, command):
            ended = run_line(case, line, env)
            wrong_use = ended.returncode == 2 or "unknown flag" in ended.stderr or "unknown command" in ended.stderr
            excused = any(line.startswith(start) for start in OTHERWISE)
            assert not wrong_use and (ended.returncode == 0 or excused), (line, ended)
            ran += 1
    assert ran > 30, ran
    assert not server.faults, server.faults
