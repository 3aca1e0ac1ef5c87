"""The scripted model server itself: that it refuses what the APIs refuse, and sends what it is asked to send."""
import copy
import http.client
import json

from wires import Answer, call, text, thinking

IMAGE = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "iVBORw0KGgo="}}
PATH = {"anthropic": "/v1/messages", "openai-chat": "/v1/chat/completions", "openai-responses": "/v1/responses"}


def post(server, wire, body, headers=None):
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=20)
    connection.request("POST", PATH[wire], body if isinstance(body, (bytes, str)) else json.dumps(body),
                       {"Content-Type": "application/json", "anthropic-version": "2023-06-01", **(headers or {})})
    answer = connection.getresponse()
    try:
        return answer.status, answer.read()
    except http.client.IncompleteRead as cut:
        return answer.status, cut.partial
    finally:
        connection.close()


def expect(case, wire, good, rows):
    """The good body is taken; each row (a fault's words, a change of the body) is refused with these words."""
    server = case.serve()
    server.memory.thinking["sig"] = "hm"
    server.answers = [Answer([text("ok")])]
    status, answer = post(server, wire, good)
    assert status == 200, answer
    for words, change in rows:
        body = copy.deepcopy(good)
        change(body)
        server.answers, server.faults = [Answer([text("ok")])], []
        status, answer = post(server, wire, body)
        assert status == 400 and words in "\n".join(server.faults), (words, status, server.faults)


def put(path, value):
    """A change: set what lies at the path."""
    def change(body):
        for key in path[:-1]:
            body = body[key]
        body[path[-1]] = value
    return change


def drop(*path):
    def change(body):
        for key in path[:-1]:
            body = body[key]
        del body[path[-1]]
    return change


def test_messages_are_checked_as_the_api_does(case):
    good = {
        "model": "m", "max_tokens": 100, "stream": True, "system": [{"type": "text", "text": "be good", "cache_control": {"type": "ephemeral"}}],
        "tools": [{"name": "Read", "description": "reads", "input_schema": {"type": "object", "properties": {"file_path": {"type": "string"}}}}],
        "messages": [
            {"role": "user", "content": [{"type": "text", "text": "hi"}, IMAGE]},
            {"role": "assistant", "content": [{"type": "thinking", "thinking": "hm", "signature": "sig"},
                                              {"type": "tool_use", "id": "toolu_1", "name": "Read", "input": {}},
                                              {"type": "tool_use", "id": "toolu_2", "name": "Read", "input": {}}]},
            {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "toolu_1", "content": "a"},
                                         {"type": "tool_result", "tool_use_id": "toolu_2", "is_error": True,
                                          "content": [{"type": "text", "text": "b"}]},
                                         {"type": "text", "text": "go on"}]},
        ]}
    expect(case, "anthropic", good, [
        ("max_tokens: Field required", drop("max_tokens")),
        ("Extra inputs are not permitted", put(["max_output_tokens"], 1)),
        ("at least one message", put(["messages"], [])),
        ("roles must alternate", lambda body: body["messages"].insert(0, {"role": "user", "content": "before"})),
        ("without `tool_result` blocks", drop("messages", 2, "content", 0)),
        ("without `tool_result` blocks", drop("messages", 2)),
        ("single result", put(["messages", 2, "content", 1, "tool_use_id"], "toolu_1")),
        ("unexpected `tool_use_id`", put(["messages", 2, "content", 1, "tool_use_id"], "toolu_9")),
        ("must be unique", put(["messages", 1, "content", 2, "id"], "toolu_1")),
        ("must come first", lambda body: body["messages"][2]["content"].insert(0, {"type": "text", "text": "x"})),
        ("non-whitespace text", put(["messages", 0, "content", 0, "text"], " \n")),
        ("Invalid `signature`", put(["messages", 1, "content", 0, "signature"], "forged")),
        ("Invalid `signature`", put(["messages", 1, "content", 0, "thinking"], "changed")),
        ("pattern", put(["messages", 1, "content", 1, "id"], "call:1")),
        ("wrong type str", put(["messages", 1, "content", 1, "input"], "{}")),
        ("Extra inputs", put(["messages", 2, "content", 0, "name"], "Read")),
        ("is_error is true", put(["messages", 2, "content", 1, "content"], [])),
        ("not base64", put(["messages", 0, "content", 1, "source", "data"], "***")),
        ("media type", put(["messages", 0, "content", 1, "source", "media_type"], "image/tiff")),
        ("cannot hold", lambda body: body["messages"][0]["content"].append({"type": "tool_use", "id": "x", "name": "Read", "input": {}})),
        ("names must be unique", lambda body: body["tools"].append(body["tools"][0])),
        ("Input should be 'object'", put(["tools", 0, "input_schema", "type"], "array")),
        ("anyOf", put(["tools", 0, "input_schema", "anyOf"], [])),
        ("Property keys", put(["tools", 0, "input_schema", "properties", "a b"], {})),
        ("pattern", put(["tools", 0, "name"], "mcp:tool")),
        ("maximum of 4", lambda body: [block.update(cache_control={"type": "ephemeral"}) for block in body["messages"][2]["content"] * 1
                                       + [body["tools"][0]]]),
        ("budget_tokens", put(["thinking"], {"type": "enabled", "budget_tokens": 1024})),
        ("lone surrogate", put(["messages", 0, "content", 0, "text"], "\ud83d")),
    ])


def test_chat_is_checked_as_the_api_does(case):
    calls = [{"id": "call_1", "type": "function", "function": {"name": "Read", "arguments": "{}"}},
             {"id": "call_2", "type": "function", "function": {"name": "Read", "arguments": "{\"a\": 1}"}}]
    good = {"model": "m", "stream": True, "stream_options": {"include_usage": True},
            "tools": [{"type": "function", "function": {"name": "Read", "parameters": {"type": "object"}}}],
            "messages": [{"role": "system", "content": "be good"}, {"role": "user", "content": "hi"},
                         {"role": "assistant", "content": None, "tool_calls": calls},
                         {"role": "tool", "tool_call_id": "call_1", "content": "a"}, {"role": "tool", "tool_call_id": "call_2", "content": "b"},
                         {"role": "user", "content": [{"type": "text", "text": "x"}, {"type": "image_url", "image_url": {"url": "data:"}}]}]}
    expect(case, "openai-chat", good, [
        ("did not have response messages: call_2", drop("messages", 4)),
        ("answers no call", put(["messages", 4, "tool_call_id"], "call_1")),
        ("must be a response to a preceding", drop("messages", 2)),
        ("duplicate tool call ids", put(["messages", 2, "tool_calls", 1, "id"], "call_1")),
        ("not valid JSON", put(["messages", 2, "tool_calls", 0, "function", "arguments"], "{")),
        ("wrong type dict", put(["messages", 2, "tool_calls", 0, "function", "arguments"], {})),
        ("too short", put(["messages", 2, "tool_calls"], [])),
        ("does not match", put(["messages", 2, "tool_calls", 0, "function", "name"], "a.b")),
        ("got null", lambda body: body["messages"].append({"role": "assistant", "content": None})),
        ("unknown role", put(["messages", 0, "role"], "robot")),
        ("invalid content type", put(["messages", 3, "content"], [{"type": "image_url", "image_url": {"url": "data:"}}])),
        ("Extra inputs", put(["messages", 3, "is_error"], True)),
        ("Extra inputs", put(["system"], "x")),
        ("'stream' is enabled", put(["stream"], False)),
        ("maximum length 128", put(["tools"], good["tools"] * 129)),
        ("names must be unique", put(["tools"], good["tools"] * 2)),
        ("too short", put(["tools"], [])),
    ])


def test_responses_are_checked_as_the_api_does(case):
    good = {"model": "m", "stream": True, "store": False, "instructions": "be good", "include": ["reasoning.encrypted_content"],
            "tools": [{"type": "function", "name": "Read", "parameters": {"type": "object"}, "strict": False}],
            "input": [{"role": "user", "content": [{"type": "input_text", "text": "hi"}]},
                      {"type": "reasoning", "id": "rs_1", "summary": [], "encrypted_content": "sig"},
                      {"type": "function_call", "id": "fc_1", "call_id": "call_1", "name": "Read", "arguments": "{}", "status": "completed"},
                      {"type": "function_call_output", "call_id": "call_1", "output": "a"}]}
    expect(case, "openai-responses", good, [
        ("No tool output found", drop("input", 3)),
        ("No tool call found", drop("input", 2)),
        ("required following item", drop("input", 2)),
        ("not persisted", drop("input", 1, "encrypted_content")),
        ("could not be verified", put(["input", 1, "encrypted_content"], "forged")),
        ("Duplicate item", put(["input", 2, "id"], "rs_1")),
        ("Invalid value: 'output_text'", put(["input", 0, "content", 0, "type"], "output_text")),
        ("unknown item", put(["input", 3, "type"], "tool_result")),
        ("Extra inputs", put(["input", 3, "is_error"], True)),
        ("Extra inputs", put(["max_tokens"], 5)),
        ("minimum value", put(["max_output_tokens"], 5)),
        ("does not match", put(["tools", 0, "name"], "a.b")),
    ])


def test_heads_and_ends_are_checked(case):
    server = case.serve(key="right", model="m")
    body = {"model": "m", "max_tokens": 5, "messages": [{"role": "user", "content": "hi"}]}
    assert post(server, "anthropic", body)[0] == 401
    assert post(server, "anthropic", body, {"x-api-key": "right", "anthropic-version": "1"})[0] == 400
    assert post(server, "anthropic", "{", {"x-api-key": "right"})[0] == 400
    assert post(server, "anthropic", {**body, "model": "other"}, {"Authorization": "Bearer right"})[0] == 404
    faults = len(server.faults)
    assert post(server, "anthropic", body, {"x-api-key": "right"})[0] == 400
    assert "no answer is left" in server.faults[faults]


def ask(case, wire, answer):
    server = case.serve(answer)
    body = {"model": "m", "max_tokens": 5, "stream": True, "messages": [{"role": "user", "content": "hi"}]}
    if wire == "openai-chat":
        del body["max_tokens"]
    if wire == "openai-responses":
        body = {"model": "m", "stream": True, "input": "hi"}
    status, data = post(server, wire, body)
    assert status == 200, data
    return data


def test_streams_are_whole_events_of_valid_json(case):
    for wire in PATH:
        data = ask(case, wire, Answer([thinking("hm"), text("Grüße"), call("Read", {"a": "ü"}, identity="call_x")])).decode()
        assert data.endswith("\n\n")
        lines = [line[6:] for line in data.splitlines() if line.startswith("data: ")]
        events = [json.loads(line) for line in lines if line != "[DONE]"]
        assert len(events) > 5 and "call_x" in data and "Grüße" in data
        assert (lines[-1] == "[DONE]") == (wire == "openai-chat")


def test_streams_are_cut_and_garbled_where_asked(case):
    whole = ask(case, "anthropic", Answer([text("Grüße")]))
    assert ask(case, "anthropic", Answer([text("Grüße")], cut=17)) == whole[:17]
    cut = ask(case, "anthropic", Answer([text("Grüße")], cut="utf8"))
    assert cut.endswith(b"Gr\xc3") and whole.startswith(cut)
    assert ask(case, "anthropic", Answer([text("Grüße")], cut="stop 0")).endswith(b"}\n\n")
    assert b"\xff\xfe" in ask(case, "anthropic", Answer([text("x")], garble=("stop 0", b"\xff\xfe")))
    assert b"overloaded_error" in ask(case, "anthropic", Answer([text("x")], fail=("stop 0", "overloaded_error", "later")))
    assert ask(case, "anthropic", Answer([text("Grüße")], piece=1, chunked=False)) == whole
    assert ask(case, "anthropic", Answer([text("Grüße")], crlf=True)) == whole.replace(b"\n", b"\r\n")
