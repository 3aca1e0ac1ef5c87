"""What was reported of other programs and their servers, in the bytes in which it was sent, beside what test_wires.py shows."""
import json
import os

from harness import KEY
from raw_server import (DONE, START, STOP, RawServer, calls, chat, chunk, data, error, events, head, item, message, piece, reason, response, tool,
                        words)

A, B = '{"file_path":"a.txt"}', '{"file_path":"b.txt"}'
BOTH = ["alpha", "beta"]


def body(answer):
    return answer.split(b"\r\n\r\n", 1)[1]


def asked(*pieces, finish="tool_calls"):
    return chat(*[one if isinstance(one, bytes) else calls(one) for one in pieces], finish=finish)


def runs(case, title, stream, expected):
    """helve exec on a stream: what each call's result holds, and that none has the id of another."""
    case.write("a.txt", "alpha\n")
    case.write("b.txt", "beta\n")
    ran = case.helve("exec", stdin=body(stream))
    results = [json.loads(line) for line in ran.out.splitlines()]
    ids = [one.get("tool_use_id") or one.get("tool_call_id") or one.get("call_id") for one in results]
    texts = [json.dumps(one) for one in results]
    assert len(set(ids)) == len(ids) == len(expected), (title, ran)
    for text, wanted in zip(texts, expected):
        assert wanted in text, (title, wanted, ran)


def ask(case, wire, answers, *arguments, env=None, base="", **options):
    with RawServer(answers) as server:
        ran = case.helve("-p", "x", "--model", f"{wire}:m", "--verbose", *arguments, env={
            "ANTHROPIC_API_KEY": KEY, "OPENAI_API_KEY": KEY, "ANTHROPIC_BASE_URL": server.url, "OPENAI_BASE_URL": server.url + "/v1" + base,
            "HELVE_MAX_RETRIES": "1", **(env or {})}, **options)
        return ran, server.requests


def test_calls_of_chat_servers_that_were_always_read(case):
    rows = {
        "name in every piece": (asked(piece(0, "call_1aa", "Read", ""), piece(0, "call_1aa", "Read", A[:9]), piece(0, "call_1aa", "Read", A[9:])), 1),
        "an empty name first": (asked(piece(0, "call_1aa", "", ""), piece(0, None, "Read", None), piece(0, None, None, A)), 1),
        "the name behind the arguments": (asked(piece(0, "call_1aa", None, A), piece(0, None, "Read", None)), 1),
        "null where nothing is": (chat({"content": None, "tool_calls": None}, calls({**piece(0, "call_1aa", "Read", None), "function": {
            "name": "Read", "arguments": None}}), calls(piece(0, None, None, A)), finish="tool_calls"), 1),
        "no number, an empty id, stop (Gemini)": (asked(piece(None, "", "Read", A), piece(None, "", "Read", B), finish="stop"), 2),
        "number 0 for all, stop (Ollama)": (asked(piece(0, "call_1aa", "Read", A), piece(0, "call_2aa", "Read", B), finish="stop"), 2),
        "arguments as an object": (asked({"index": 0, "id": "call_1aa", "type": "function", "function": {
            "name": "Read", "arguments": {"file_path": "a.txt"}}}), 1),
    }
    for title, (stream, count) in rows.items():
        runs(case, title, stream, BOTH[:count])


def test_an_answer_that_is_not_streamed_may_use_an_id_twice(case):
    case.write("a.txt", "alpha\n")
    case.write("b.txt", "beta\n")
    whole = {"id": "c", "object": "chat.completion", "choices": [{"index": 0, "finish_reason": "tool_calls", "message": {
        "role": "assistant", "content": None, "tool_calls": [piece(None, "call_abcdef", "Read", A), piece(None, "call_abcdef", "Read", B)]}}]}
    ran, requests = ask(case, "openai-chat", [head("application/json") + json.dumps(whole).encode(), chat("fine")])
    given = [entry for entry in requests[1]["messages"] if entry["role"] == "tool"]
    assert ran.out == "fine\n" and ["alpha" in given[0]["content"], "beta" in given[1]["content"]] == [True, True], (ran, given)
    assert given[0]["tool_call_id"] != given[1]["tool_call_id"], given


def test_calls_of_the_other_wires_that_were_always_read(case):
    delta = {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": "stray"}}
    first, second = tool(0, "toolu_1", "Read", A), tool(1, "toolu_2", "Read", B)
    bare = {"type": "function_call", "name": "Read"}
    created, done = {"type": "response.created", "response": {"id": "r"}}, {"type": "response.completed", "response": {"status": "completed"}}
    pieces = [{"type": "response.output_item.added", "output_index": 0, "item": {**bare, "call_id": "call_1aa", "arguments": ""}},
              {"type": "response.function_call_arguments.delta", "output_index": 0, "delta": A[:9]},
              {"type": "response.function_call_arguments.delta", "output_index": 0, "delta": A[9:]},
              {"type": "response.output_item.done", "output_index": 0, "item": {**bare, "call_id": "call_1aa"}}]
    rows = {
        "text in an open block, ends twice": (events(START, first[0], delta, first[1], first[2], first[2], *second, reason("tool_use"), STOP, STOP), 2),
        "items without ids": (events(created, *[{"type": "response.output_item.done", "output_index": index, "item": {**bare, "arguments": text}}
                                                for index, text in enumerate((A, B))], done), 2),
        "arguments in the end only": (response(item("call_1aa", "Read", A), item("call_2aa", "Read", B)), 2),
        "arguments in pieces only": (events(created, *pieces, done), 1),
        "a call announced as nothing": (events(created, {"type": "response.output_item.added", "output_index": 0, "item": {"id": "fc_1"}}, {
            "type": "response.output_item.done", "output_index": 0, "item": item("call_1aa", "Read", A)}, done), 1),
        "items in the last event only": (events(created, {"type": "response.completed", "response": {"status": "completed", "output": [
            item("call_1aa", "Read", A), item("call_2aa", "Read", B)]}}), 2),
    }
    for title, (stream, count) in rows.items():
        runs(case, title, stream, BOTH[:count])


def test_counts_comments_and_absent_texts_are_read(case):
    usage = {"id": "c1", "choices": [], "usage": {"prompt_tokens": 10, "completion_tokens": 3, "prompt_tokens_details": {"cached_tokens": 4}}}
    answer = chat(b": OPENROUTER PROCESSING\n\n", {"role": "assistant", "content": None}, "All", " said.", finish="stop", done=False)
    ran, _ = ask(case, "openai-chat", [answer + data(usage) + DONE], "--output-format", "json")
    assert ran.result["result"] == "All said.", ran
    assert (ran.result["usage"]["input_tokens"], ran.result["usage"]["cache_read_input_tokens"]) == (6, 4), ran


def test_a_server_that_is_overloaded_in_the_middle_is_asked_again(case):
    overloaded = {"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}}
    ran, requests = ask(case, "anthropic", [events(START, *words(0, "half"), overloaded), message("anthropic", "fine")], "--output-format", "json")
    assert ran.code == 0 and ran.result["result"] == "fine" and len(requests) == 2, ran


def test_what_a_paused_turn_holds_goes_back_in_order(case):
    blocks = [{"type": "server_tool_use", "id": "srvtoolu_1", "name": "web_search", "input": {"query": "x"}},
              {"type": "web_search_tool_result", "tool_use_id": "srvtoolu_1", "content": []}, {"type": "redacted_thinking", "data": "Zm9v"}]
    parts = []
    for index, block in enumerate(blocks):
        parts += [{"type": "content_block_start", "index": index, "content_block": block}, {"type": "content_block_stop", "index": index}]
    paused = events(START, *parts, *words(3, ""), reason("pause_turn"), STOP)
    ran, requests = ask(case, "anthropic", [paused, message("anthropic", "fine")])
    assert ran.code == 0 and ran.out == "fine\n", ran
    assert requests[1]["messages"][1]["content"] == blocks, requests[1]["messages"]


def test_a_refusal_in_the_middle_of_a_text_fails(case):
    for wire, word in (("anthropic", "refusal"), ("openai-chat", "content_filter"), ("openai-responses", "content_filter")):
        ran, requests = ask(case, wire, [message(wire, "I begin", finish=word)])
        assert ran.code == 1 and "I begin" in ran.out and ("declin" in ran.err or "refus" in ran.err) and len(requests) == 1, ran


def test_an_overflow_told_in_a_stream_is_one(case):
    text = "Input length (600013 tokens) exceeds the maximum allowed length (536826 tokens)."
    failed = {"type": "response.failed", "response": {"status": "failed", "error": {"code": "invalid_prompt", "message": text}}}
    rows = (("openai-chat", head() + data({"error": {"message": text}}) + DONE),
            ("anthropic", events(START, {"type": "error", "error": {"type": "invalid_request_error", "message": text}})),
            ("openai-responses", events({"type": "response.created", "response": {"id": "r"}}, failed)))
    for wire, answer in rows:
        ran, requests = ask(case, wire, [answer])
        assert ran.code == 1 and "600013" in ran.err and "context window" in ran.err and len(requests) == 1, ran


def test_thinking_written_as_text_is_told(case):
    ran, _ = ask(case, "openai-chat", [chat("<think>hm</think>Done.")])
    assert ran.code == 0 and "Done." in ran.out and "<think>" in ran.err, ran


def test_the_last_4xx_is_final_whatever_its_word(case):
    fault = {"error": {"message": "registry.ollama.ai/library/x does not support tools", "type": "api_error", "param": None, "code": None}}
    for wire, status in (("anthropic", "403 Forbidden"), ("openai-chat", "400 Bad Request"), ("openai-chat", "404 Not Found"),
                         ("openai-responses", "422 Unprocessable Entity")):
        ran, requests = ask(case, wire, [error(status, fault)], env={"HELVE_MAX_RETRIES": "8"})
        assert ran.code == 1 and "does not support tools" in ran.err and len(requests) == 1, ran


def test_terminal_escapes_of_servers_are_taken_out(case):
    escape = "\x1b]0;title\x07\x1b[31mred\x1b[0m \x9b2J"
    answers = (error("400 Bad Request", {"error": {"message": "bad " + escape}}),
               error("400 Bad Request", f"<html><head><title>bad {escape}</title></head></html>".encode(), kind="text/html"),
               head() + data({"error": {"message": "bad " + escape}}), chat("text", finish="odd" + escape),
               head() + b"event: error\ndata: bad " + escape.encode() + b"\n\n")
    for number, answer in enumerate(answers):
        ran, _ = ask(case, "openai-chat", [answer], "--output-format", ("text", "json")[number % 2], env={"HELVE_MAX_RETRIES": "0"})
        assert "\x1b" not in ran.err and "\x9b" not in ran.err and "\x1b" not in ran.out, (answer, ran.err.encode())


def test_what_is_no_text_goes_out_as_valid_json(case):
    lines = [b'{"type":"user","message":{"role":"user","content":"half \\ud83d and \\u0000 nul"}}\n', b'{"type":"user","message":{"role":"user",'
             b'"content":"bytes \xff\xfe"}}\n']
    for line in lines:
        ran, requests = ask(case, "openai-chat", [chat("fine")], "--input-format", "stream-json", "--output-format", "stream-json", stdin=line)
        assert ran.code == 0 and requests, ran
        json.dumps(requests[0], ensure_ascii=False).encode()
    half = head() + chunk("a").replace(b'"a"', b'"b\xff \xc3"') + chunk("a").replace(b'"a"', b'"\\ud83d"') + chunk({}, "stop").replace(b'{"id"', b'{\ndata: "id"') + \
        DONE
    with RawServer([half]) as server:
        process = case.start("-p", "x", "--model", "openai-chat:m", "--output-format", "stream-json", "--verbose", "--include-partial-messages", env={
            "OPENAI_API_KEY": KEY, "OPENAI_BASE_URL": server.url + "/v1"})
        lines = process.communicate()[0].decode().splitlines()
    assert "b\ufffd" in json.dumps([json.loads(line.encode()) for line in lines], ensure_ascii=False) and "\\ud83d" not in "".join(lines), lines
    ran, requests = ask(case, "openai-chat", [chat("fine")], stdin=b"\xff\xfe piped \x80\n")
    assert ran.code == 0 and "piped" in json.dumps(requests[0]), ran


def test_addresses_that_cannot_be_are_refused_with_words(case):
    for base in ("localhost:11434/v1", '"http://localhost/v1"', "http://a b/v1", "ftp://x/v1"):
        ran = case.helve("-p", "x", "--model", "openai-chat:m", env={"OPENAI_API_KEY": KEY, "OPENAI_BASE_URL": base})
        assert ran.code != 0 and "base URL" in ran.err and "http" in ran.err, ran
    ran, requests = ask(case, "openai-chat", [chat("fine")], base="?api-version=1")
    assert ran.code == 0 and requests, ran


def journals(case):
    return [os.path.join(folder, name) for folder, _, names in os.walk(case.home) for name in names if name.endswith(".jsonl")]


def test_a_session_goes_on_after_every_failure(case):
    """Each fault, then --continue at a server in good health: the session is the same, and its history valid."""
    faults = {
        "openai-chat": [chat("half", finish="abort"), chat("half", finish=None, done=False),
                        asked(piece(0, "call_1aa", "Read", A[:9]), finish="length"),
                        head() + chunk("half") + b"error: it broke\n\n",
                        error("429 Too Many Requests", {"error": {
                            "type": "usage_limit_reached", "message": "limit", "resets_in_seconds": 13000}}), b"junk\r\n"],
        "anthropic": [events(START, *words(0, "half"), reason("refusal"), STOP), events(START, *tool(0, "t1", "Read", A)[:2]),
                      events(START, *tool(0, "t1", "Read", A), *tool(1, "t2", "Read", B)[:2]),
                      error("500 Internal Server Error", b"<html>oops</html>", kind="text/html")],
        "openai-responses": [response(status="failed", error={"code": "server_error", "message": "boom"}),
                             events({"type": "response.created", "response": {"id": "r"}}), response(item("call_1aa", "Read", A[:9]), status="incomplete",
                                                                                                    incomplete_details={"reason": "max_output_tokens"})],
    }
    for wire, answers in faults.items():
        for answer in answers:
            case.write("a.txt", "alpha\n")
            before = len(journals(case))
            ran, _ = ask(case, wire, [answer], "--max-turns", "2", env={"HELVE_MAX_RETRIES": "0"})
            assert ran.code in (0, 1), (answer, ran)
            ran, requests = ask(case, wire, [message(wire, ("call_9zz", "Read", A)), message(wire, "fine")], "--continue")
            assert ran.code == 0 and ran.out.endswith("fine\n") and len(requests) == 2, (answer, ran)
            assert len(journals(case)) == before + 1, answer
