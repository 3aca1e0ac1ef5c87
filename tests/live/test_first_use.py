"""What a newcomer meets first: choosing a model, `helve doctor`, the last line of stream-json."""
import json

from harness import KEY
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
