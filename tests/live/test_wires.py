"""What servers of models really send, and what comes of it: calls, ends, what goes back, faults. Each test is a kind."""
import functools
import json
import os
import subprocess

from harness import KEY, stop
from raw_server import (DONE, START, STOP, RawServer, calls, chat, chunk, data, error, events, head, item, message, piece, reason, response, said,
                        tool, words)

A, B = '{"file_path":"a.txt"}', '{"file_path":"b.txt"}'
WIRES = ("anthropic", "openai-chat", "openai-responses")
MODELS = {"anthropic": "claude-sonnet-4-5", "openai-chat": "m", "openai-responses": "gpt-5.1"}
FINE = {wire: message(wire, "fine") for wire in WIRES}
ENOUGH = {"HELVE_MAX_RETRIES": "1"}


def on_each(function):
    for wire in WIRES:
        globals()[f"test_{function.__name__}_{wire.replace('-', '_')}"] = functools.partial(function, wire=wire)
    return function


def ask(case, wire, answers, *arguments, model=None, env=None, models=(), **options):
    """helve -p with such answers: what it did, and the requests it sent."""
    case.write("a.txt", "alpha\n")
    case.write("b.txt", "beta\n")
    with RawServer(answers, models) as server:
        ran = case.helve("-p", "x", "--model", f"{wire}:{model or MODELS[wire]}", "--verbose", *arguments, env={
            "ANTHROPIC_API_KEY": KEY, "OPENAI_API_KEY": KEY, "ANTHROPIC_BASE_URL": server.url, "OPENAI_BASE_URL": server.url + "/v1",
            **ENOUGH, **(env or {})}, **options)
        return ran, server.requests


def asked(request, wire):
    """(id, tool, input) of all calls that a request's history holds, and (id, text) of their results."""
    made, given = [], []
    for entry in request.get("messages") or request.get("input"):
        if wire == "anthropic":
            for block in entry["content"] if isinstance(entry["content"], list) else []:
                if block["type"] == "tool_use":
                    made.append((block["id"], block["name"], block["input"]))
                elif block["type"] == "tool_result":
                    text = block["content"]
                    given.append((block["tool_use_id"], text if isinstance(text, str) else "".join(part.get("text", "") for part in text)))
        elif wire == "openai-chat":
            made += [(one["id"], one["function"]["name"], json.loads(one["function"]["arguments"])) for one in entry.get("tool_calls") or []]
            if entry["role"] == "tool":
                given.append((entry["tool_call_id"], entry["content"]))
        elif entry.get("type") == "function_call":
            made.append((entry["call_id"], entry["name"], json.loads(entry["arguments"])))
        elif entry.get("type") == "function_call_output":
            given.append((entry["call_id"], entry["output"]))
    return made, given


def ends_well(ran, out="fine\n"):
    assert ran.code == 0 and ran.out == out, ran


def runs(case, wire, answers, expected, *arguments, **options):
    """All calls of the answers run, in order, each with an id of its own; expected: what their results begin with or hold."""
    ran, requests = ask(case, wire, [*answers, FINE[wire]], *arguments, **options)
    ends_well(ran)
    made, given = asked(requests[-1], wire)
    assert len(made) == len(given) == len(expected), (made, given)
    assert len({one[0] for one in made}) == len(made), made
    assert [one[0] for one in made] == [one[0] for one in given], (made, given)
    for text, (_, result) in zip(expected, given):
        assert text in result, (expected, given)
    return made, requests


def fails(ran, *parts):
    assert ran.code == 1, ran
    for part in parts:
        assert part in ran.err, (part, ran)


# ---- A: ids ----------------------------------------------------------------------------------------------------

@on_each
def an_id_used_twice_in_a_message_names_two_calls(case, wire):
    runs(case, wire, [message(wire, ("call_same", "Read", A), ("call_same", "Read", B))], ["alpha", "beta"])


@on_each
def an_id_used_again_in_a_later_message_gets_another(case, wire):
    runs(case, wire, [message(wire, ("Read_0", "Read", A)), message(wire, ("Read_0", "Read", B))], ["alpha", "beta"])


def test_an_id_used_again_after_continuing_gets_another(case):
    ask(case, "anthropic", [message("anthropic", ("Read_0", "Read", A)), FINE["anthropic"]])
    runs(case, "anthropic", [message("anthropic", ("Read_0", "Read", B))], ["alpha", "beta"], "--continue")


def chat_calls(*pieces, finish="tool_calls"):
    return chat(*[one if isinstance(one, bytes) or "tool_calls" in one else calls(one) for one in pieces], finish=finish)


def test_calls_of_chat_servers_in_every_shape(case):
    rows = {
        "one call over several numbers, one id (LocalAI)": ([piece(0, "LipwoT0p", "Read", ""), piece(1, "LipwoT0p", None, '{"file_path"'),
                                                             piece(2, "LipwoT0p", None, ':"a.txt"}')], ["alpha"]),
        "two whole calls without a number, one id": ([calls(piece(None, "call_abcdef", "Read", A), piece(None, "call_abcdef", "Read", B))],
                                                     ["alpha", "beta"]),
        "another id in the following pieces (pool)": ([piece(0, "call_AAAA", "Read", ""), piece(0, "other-BBBB", None, '{"file_path"'),
                                                       piece(0, "other-BBBB", None, ':"a.txt"}')], ["alpha"]),
        "a new id in each piece (OCI)": ([piece(0, "tool-a91e", "Read", ""), piece(0, "call_b49ea", "", '{"file_path": "'),
                                          piece(0, "call_ed820", "", 'a.txt"}'), piece(0, "call_72b4a", "", "")], ["alpha"]),
        "a name in pieces": ([piece(0, "call_n1", "Re", None), piece(0, "call_n1", "ad", None), piece(0, None, None, A)], ["alpha"]),
        "{} before the arguments": ([piece(0, "call_b1", "Read", "{}"), piece(0, None, None, A)], ["alpha"]),
        "the last piece repeats the whole": ([piece(0, "call_d1", "Read", '{"file_path":'), piece(0, None, None, '"a.txt"}'), piece(0, None, None, A)],
                                             ["alpha"]),
        "each piece holds all so far": ([piece(0, "call_c1", "Read", '{"file_path"'), piece(0, "call_c1", None, '{"file_path":"a'),
                                         piece(0, "call_c1", None, A)], ["alpha"]),
        "two objects in one slot": ([piece(0, "call_t1", "Read", A + B)], ["alpha", "beta"]),
        "a tail of markup behind the arguments": ([piece(0, "call_m1", "Read", A + "</tool_call>")], ["alpha"]),
        "a name with its namespace and a tail": ([piece(0, "call_k1", "functions.Read<|channel|>json", A)], ["alpha"]),
        **{f"the name {name!r}": ([piece(0, "call_k2", name, A)], ["alpha"])
           for name in ("default_api:Read", "functions.Read:0", "to=functions.Read<|message|>", " `Read` ", "Read</tool_call>", "Read({", "Read\n")},
        "reasons that are none": ([chunk(calls(piece(0, "call_f1", "Read", '{"file_path"')), "null"), piece(0, None, None, ':"a.txt"}')], ["alpha"]),
        "a reason before the last pieces": ([chunk(calls(piece(0, "call_f2", "Read", '{"file_path"')), "tool_calls"),
                                             piece(0, None, None, ':"a.txt"}')], ["alpha"]),
        "parallel calls whose pieces are mixed": ([piece(0, "call_x1", "Read", ""), piece(1, "call_x2", "Read", ""), piece(1, None, None, B[:9]),
                                                   piece(0, None, None, A), piece(1, None, None, B[9:])], ["alpha", "beta"]),
    }
    for title, (pieces, expected) in rows.items():
        try:
            made, _ = runs(case, "openai-chat", [chat_calls(*pieces)], expected)
        except AssertionError as why:
            raise AssertionError(f"{title}: {why}") from why
        assert all(name == "Read" for _, name, _ in made), (title, made)


@on_each
def a_name_with_its_namespace_or_a_tail_finds_its_tool(case, wire):
    for name in ("functions.Read", "default_api:Read", "Read<|channel|>json", "functions.Read:0"):
        made, _ = runs(case, wire, [message(wire, ("call_k1", name, A))], ["alpha"])
        assert made[0][1] == "Read", (name, made)


# ---- D, E: input ------------------------------------------------------------------------------------------------

@on_each
def the_history_holds_what_was_run(case, wire):
    made, _ = runs(case, wire, [message(wire, ("call_e1", "Read", json.dumps(A)))], ["alpha"])
    assert made[0][2] == {"file_path": "a.txt"}, made
    for nothing in ("null", "[]", '""', ""):
        made, _ = runs(case, wire, [message(wire, ("call_l1", "Glob", nothing))], ["pattern"])
        assert made[0][2] == {}, (nothing, made)


@on_each
def an_input_that_came_twice_counts_once(case, wire):
    made, _ = runs(case, wire, [message(wire, ("call_e1", "Read", A + "\n" + A))], ["alpha"])
    assert made[0][2] == {"file_path": "a.txt"}, made


# ---- S: order ---------------------------------------------------------------------------------------------------

def test_calls_run_in_the_order_in_which_the_model_wrote_them(case):
    write = tool(0, "call_w", "Write", {"file_path": "new.txt", "content": "x"})
    read = tool(1, "call_r", "Read", {"file_path": "new.txt"})
    rows = {
        "anthropic": events(START, write[0], write[1], *read, reason("tool_use"), STOP),
        "openai-responses": response(item("call_w", "Write", {"file_path": "new.txt", "content": "x"}), item("call_r", "Read", {"file_path": "new.txt"}),
                                     order=(1, 0)),
        "openai-chat": chat_calls(piece(0, "call_w", "Write", ""), piece(1, "call_r", "Read", '{"file_path":"new.txt"}'),
                                  piece(0, None, None, '{"file_path":"new.txt","content":"x"}')),
    }
    for wire, answer in rows.items():
        case.write("new.txt", "old")
        made, _ = runs(case, wire, [chat_or(wire, ("call_0", "Bash", {"command": "rm new.txt"})), answer], ["", "", "x"], "--permission-mode",
                       "bypassPermissions")
        assert [name for _, name, _ in made] == ["Bash", "Write", "Read"], made


def chat_or(wire, *parts):
    return message(wire, *parts)


# ---- G, H, I, J: ends -------------------------------------------------------------------------------------------

@on_each
def a_reason_that_means_failure_is_no_success(case, wire):
    rows = {"anthropic": [message(wire, "The first half", finish="error")],
            "openai-chat": [chat("The first half", finish=word) for word in ("abort", "insufficient_system_resource", "network_error", "error")] +
                           [chat({"content": ""}, finish="MALFORMED_FUNCTION_CALL")],
            "openai-responses": [response(status="failed", error={"code": "server_error", "message": "boom"}), response(said("half"), status="cancelled")]}
    for answer in rows[wire]:
        ran, requests = ask(case, wire, [answer], "--output-format", "json")
        assert ran.code == 1 and ran.result["is_error"] and len(requests) == 2, ran
        ran, requests = ask(case, wire, [answer, FINE[wire]], "--output-format", "json")
        assert ran.code == 0 and ran.result["result"] == "fine", ran


def test_a_call_that_the_server_broke_off_is_asked_for_again(case):
    ran, requests = ask(case, "openai-chat", [chat_calls(piece(0, "call_1aa", "Read", '{"file_pa'), finish="network_error"), FINE["openai-chat"]])
    ends_well(ran)
    assert asked(requests[-1], "openai-chat") == ([], []), requests


def test_a_full_context_window_is_told(case):
    ran, _ = ask(case, "openai-chat", [chat("The first half", finish="model_context_window_exceeded")])
    fails(ran, "context window is full")


@on_each
def an_unknown_reason_is_told(case, wire):
    if wire != "openai-responses":
        ran, _ = ask(case, wire, [message(wire, "all of it", finish="because")])
        ends_well(ran, "all of it\n")
        assert "because" in ran.err, ran


@on_each
def an_empty_answer_is_asked_once_more_and_then_an_error(case, wire):
    empty = {"anthropic": events(START, reason("end_turn"), STOP), "openai-chat": chat({"content": ""}), "openai-responses": response()}[wire]
    ran, requests = ask(case, wire, [empty])
    fails(ran, "nothing")
    assert len(requests) == 2
    ran, _ = ask(case, wire, [empty, FINE[wire]])
    ends_well(ran)


def test_an_answer_of_thinking_alone_is_empty(case):
    ran, requests = ask(case, "openai-chat", [chat({"reasoning_content": "I have thought"})])
    fails(ran, "nothing")
    assert len(requests) == 2


@on_each
def a_call_that_the_limit_has_cut_is_told_to_both(case, wire):
    cut = '{"file_path":"o.txt","content":"line one\\nline tw'
    limit = {"anthropic": "max_tokens", "openai-chat": "length", "openai-responses": "max_output_tokens"}[wire]
    ran, requests = ask(case, wire, [message(wire, ("call_w1", "Write", cut), finish=limit), FINE[wire]])
    ends_well(ran)
    _, given = asked(requests[-1], wire)
    assert "limit of output tokens" in given[0][1] and "maxOutputTokens" in ran.err, (given, ran)
    ran, requests = ask(case, wire, [message(wire, ("call_w1", "Write", cut), finish=limit)])
    fails(ran, "again and again", "maxOutputTokens")
    assert len(requests) == 4, requests


@on_each
def markup_that_the_server_did_not_read_is_told(case, wire):
    text = 'I will read it.\n<tool_call>\n{"name": "Read"}\n</tool_call>'
    ran, _ = ask(case, wire, [message(wire, text)])
    ends_well(ran, text + "\n")
    assert "parser" in ran.err, ran


def test_markup_is_told_where_it_names_a_tool(case):
    rows = {'I will read it. <tool_call>{"name": "Read"}</tool_call>': True, "[TOOL_CALLS]Read{}": True,
            "<|channel|>commentary to=functions.Read <|message|>{}": True, '<tool_call>{"name": "Reader"}</tool_call>': False,
            "Qwen writes <tool_call> around its calls.": False, 'It is `<tool_call>{"name": "Read"}`.': False,
            '```\n<tool_call>{"name": "Read"}</tool_call>\n```': False}
    for text, told in rows.items():
        ran, _ = ask(case, "openai-chat", [message("openai-chat", text)])
        ends_well(ran, text + "\n")
        assert ("parser" in ran.err) == told, (text, ran)


# ---- T, U, V: ends of streams -----------------------------------------------------------------------------------

def test_a_clean_end_behind_whole_calls_is_a_message(case):
    runs(case, "openai-chat", [chat(calls(piece(0, "call_1aa", "Read", A)), finish=None, done=False)], ["alpha"])
    body = chat("All of it.", finish=None, done=False).split(b"\r\n\r\n", 1)[1]
    ran, _ = ask(case, "openai-chat", [head(more=f"Content-Length: {len(body)}\r\n") + body])
    ends_well(ran, "All of it.\n")
    ran, requests = ask(case, "openai-chat", [chat("The first half of", finish=None, done=False)])
    fails(ran, "cut")
    assert len(requests) == 2


def test_a_stream_that_has_said_why_it_ends_does_so(case):
    ping = (b": ping\n\n", 0.3)
    for wire, answer in (("openai-chat", chat("All said.", done=False)), ("anthropic", events(START, *words(0, "All said."), reason("end_turn")))):
        ran, _ = ask(case, wire, [[(answer, 0)] + [ping] * 300])
        ends_well(ran, "All said.\n")
        ran, _ = ask(case, wire, [[(answer, 90)]])
        ends_well(ran, "All said.\n")


@on_each
def a_stream_that_only_pings_ends(case, wire):
    ping = (b'event: ping\ndata: {"type": "ping"}\n\n' if wire == "anthropic" else b": ping\n\n", 0.1)
    half = {"anthropic": events(START, *words(0, "Half")[:2]), "openai-chat": head() + chunk("Half"),
            "openai-responses": events({"type": "response.created", "response": {"id": "r"}},
                                       {"type": "response.output_text.delta", "output_index": 0, "delta": "Half"})}[wire]
    ran, requests = ask(case, wire, [[(half, 0)] + [ping] * 900, FINE[wire]], "--settings", '{"streamContentTimeout":1}', env={"HELVE_MAX_RETRIES": "2"})
    ends_well(ran)
    assert len(requests) == 2


def test_an_error_in_a_stream_is_one_in_each_of_its_shapes(case):
    shapes = {
        b'error: {"code":500,"message":"Context size has been exceeded.","type":"server_error"}\n\n': "Context size",
        data({"object": "error", "message": "CUDA out of memory", "type": "InternalServerError", "code": 500}): "CUDA out of memory",
        b'event: error\ndata: {"message":"quota exceeded"}\n\n': "quota exceeded",
        b"event: error\ndata: the engine has died\n\n": "engine has died",
        data({"error": {"message": "it broke"}}): "it broke",
        data({"error": "it broke badly"}): "it broke badly",
    }
    for shape, text in shapes.items():
        for before in (b"", chunk("The first half of")):
            ran, _ = ask(case, "openai-chat", [head() + before + shape + DONE])
            fails(ran, text)
            assert "base URL" not in ran.err, ran
        ran, _ = ask(case, "anthropic", [events(START, *words(0, "half"), shape)])
        fails(ran, text)
        begun = ({"type": "response.created", "response": {"id": "r"}}, {"type": "response.output_text.delta", "output_index": 0, "delta": "half"})
        ran, _ = ask(case, "openai-responses", [events(*begun, shape)])
        fails(ran, text)
    ran, _ = ask(case, "openai-chat", [head() + DONE])
    assert ran.code == 1 and "base URL" not in ran.err, ran


# ---- L to O: what goes back -------------------------------------------------------------------------------------

def back(case, *deltas):
    """The assistant's message of the second request."""
    _, requests = ask(case, "openai-chat", [chat(*deltas, finish="tool_calls"), FINE["openai-chat"]])
    return next(entry for entry in requests[1]["messages"] if entry["role"] == "assistant")


def test_reasoning_goes_back_in_the_shape_in_which_it_came(case):
    one = calls(piece(0, "D681PevKs", "Read", A))
    parts = back(case, {"content": [{"type": "thinking", "thinking": [{"type": "text", "text": "hm"}]}]},
                 {"content": [{"type": "text", "text": "Reading."}]}, one)
    assert parts["content"] == [{"type": "thinking", "thinking": [{"type": "text", "text": "hm"}]}, {"type": "text", "text": "Reading."}], parts
    assert "reasoning_content" not in parts, parts
    detail = {"type": "reasoning.text", "index": 0, "format": "x"}
    listed = back(case, {"reasoning": "he", "reasoning_details": [{**detail, "text": "he"}]},
                  {"reasoning": "llo", "reasoning_details": [{**detail, "text": "llo"}]}, {"reasoning_details": [{**detail, "signature": "SIG=="}]},
                  {"reasoning_details": [{"type": "reasoning.encrypted", "data": "ENC==", "id": "t1", "index": 1}]}, one)
    assert listed["reasoning"] == "hello", listed
    assert listed["reasoning_details"] == [{**detail, "text": "hello", "signature": "SIG=="},
                                           {"type": "reasoning.encrypted", "data": "ENC==", "id": "t1", "index": 1}], listed
    blocks = back(case, {"reasoning_content": "hm", "thinking_blocks": [{"type": "thinking", "thinking": "hm"}]},
                  {"thinking_blocks": [{"type": "thinking", "thinking": "", "signature": "C"}]}, one)
    assert blocks["thinking_blocks"] == [{"type": "thinking", "thinking": "hm", "signature": "C"}], blocks
    empty = back(case, {"reasoning_content": ""}, one)
    assert empty["reasoning_content"] == "", empty


def test_empty_reasoning_is_said_where_the_server_says_it_once(case):
    answers = [chat({"reasoning_content": "hm"}, calls(piece(0, "call_1aa", "Read", A)), finish="tool_calls"),
               chat(calls(piece(0, "call_2aa", "Read", B)), finish="tool_calls"), FINE["openai-chat"]]
    _, requests = ask(case, "openai-chat", answers)
    sent = [entry for entry in requests[2]["messages"] if entry["role"] == "assistant"]
    assert [entry["reasoning_content"] for entry in sent] == ["hm", ""], sent


def test_what_came_with_a_call_goes_back_with_it(case):
    long = "call_abc__thought__" + "Q" * 3000
    sent = back(case, calls(piece(0, long, "Read", A, provider_specific_fields={"thought_signature": "G"})))
    assert sent["tool_calls"][0]["id"] == long and sent["tool_calls"][0]["provider_specific_fields"] == {"thought_signature": "G"}, sent
    for wire in ("anthropic", "openai-responses"):
        made, _ = runs(case, wire, [message(wire, (long, "Read", A))], ["alpha"])
        assert made[0][0] == long, made


def test_what_came_with_a_call_on_the_other_wires_goes_back(case):
    fields = {"provider_specific_fields": {"thought_signature": "G"}}
    with_fields = tool(0, "toolu_1", "Read", A)
    with_fields[0]["content_block"].update(fields)
    rows = {"anthropic": events(START, *with_fields, reason("tool_use"), STOP), "openai-responses": response({**item("call_1aa", "Read", A), **fields})}
    for wire, answer in rows.items():
        ran, requests = ask(case, wire, [answer, FINE[wire]])
        ends_well(ran)
        assert '"thought_signature": "G"' in json.dumps(requests[1]), (wire, requests[1])
        ran, requests = ask(case, wire, [FINE[wire]], "--continue", model="other")
        ends_well(ran)
        assert "thought_signature" not in json.dumps(requests[0]), (wire, requests[0])


def test_reasoning_goes_to_no_other_model(case):
    ask(case, "openai-chat", [chat({"reasoning_content": "hm"}, calls(piece(0, "call_1aa", "Read", A)), finish="tool_calls"), FINE["openai-chat"]])
    ran, requests = ask(case, "openai-chat", [FINE["openai-chat"]], "--continue", model="other")
    ends_well(ran)
    assert "reasoning_content" not in json.dumps(requests), requests


def thought(signature=None):
    block = {"type": "thinking", "thinking": "", **({} if signature is None else {"signature": ""})}
    parts = [{"type": "content_block_start", "index": 0, "content_block": block},
             {"type": "content_block_delta", "index": 0, "delta": {"type": "thinking_delta", "thinking": "hm"}}]
    if signature:
        parts.append({"type": "content_block_delta", "index": 0, "delta": {"type": "signature_delta", "signature": signature}})
    return parts + [{"type": "content_block_stop", "index": 0}]


def test_thinking_that_is_not_signed_goes_back_to_its_server(case):
    _, requests = ask(case, "anthropic", [events(START, *thought(), *tool(1, "toolu_1", "Read", A), reason("tool_use"), STOP), FINE["anthropic"]])
    assert requests[1]["messages"][1]["content"][0] == {"type": "thinking", "thinking": "hm"}, requests[1]["messages"]


# ---- P, Q, b: refusals ------------------------------------------------------------------------------------------

def refuses(sign, status, body, good):
    return lambda request: error(status, body) if sign in request else good


def test_a_refused_signature_is_left_out(case):
    ask(case, "anthropic", [events(START, *thought("FOREIGN"), *tool(1, "toolu_1", "Read", A), reason("tool_use"), STOP), FINE["anthropic"]])
    refusal = {"type": "error", "error": {"type": "invalid_request_error", "message": "messages.1.content.0: Invalid `signature` in `thinking` block"}}
    answers = [refuses(b"FOREIGN", "400 Bad Request", refusal, FINE["anthropic"])]
    ran, requests = ask(case, "anthropic", answers, "--continue", model="claude-opus-4-1")
    ends_well(ran)
    assert len(requests) == 2 and "thinking" in ran.err, ran
    ran, requests = ask(case, "anthropic", answers, "--continue", model="claude-opus-4-1")
    ends_well(ran)


def test_refused_reasoning_items_are_left_out(case):
    thinks = {"id": "rs_1", "type": "reasoning", "summary": [], "encrypted_content": "gAAA1"}
    refusal = {"error": {"message": "The encrypted content gAAA... could not be verified.", "type": "invalid_request_error", "param": None,
                         "code": "invalid_encrypted_content"}}
    ran, requests = ask(case, "openai-responses", [response(thinks, item("call_r1", "Read", A)),
                                                   refuses(b"gAAA1", "400 Bad Request", refusal, FINE["openai-responses"])])
    ends_well(ran)
    assert len(requests) == 3, ran


def test_a_refused_picture_becomes_a_text(case):
    import base64
    case.write("p.png", base64.b64decode("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAADElEQVR4nGP4z8AAAAMBAQDJ/pLvAAAAAElFTkSuQmCC"))
    look = json.dumps({"file_path": "p.png"})
    rows = {
        "anthropic": (b"image/png", "400 Bad Request", {"type": "error", "error": {
            "type": "invalid_request_error", "message": "messages.2.content.0.tool_result.content.0.image: Could not process image"}}),
        "openai-chat": (b"image_url", "500 Internal Server Error", {"error": {
            "code": 500, "type": "server_error", "message": "image input is not supported - hint: you may need to provide the mmproj"}}),
        "openai-responses": (b"input_image", "400 Bad Request", {"error": {"message": "This model does not support image inputs."}}),
    }
    for wire, row in rows.items():
        ran, requests = ask(case, wire, [message(wire, ("call_i1", "Read", look)), refuses(*row, FINE[wire])])
        ends_well(ran)
        assert len(requests) == 3 and "pictures" in ran.err, ran
        ran, requests = ask(case, wire, [refuses(*row, FINE[wire])], "--continue")
        ends_well(ran)


def test_an_option_that_is_refused_is_left_out(case):
    refusal = {"error": {"message": "stream_options: Extra inputs are not permitted"}}
    answers = [refuses(b"stream_options", "422 Unprocessable Entity", refusal, message("openai-chat", ("call_1aa", "Read", A))),
               refuses(b"stream_options", "422 Unprocessable Entity", refusal, message("openai-chat", ("call_1aa", "Read", A))),
               refuses(b"stream_options", "422 Unprocessable Entity", refusal, FINE["openai-chat"])]
    ran, requests = ask(case, "openai-chat", answers)
    ends_well(ran)
    assert len(requests) == 3, ran


def test_options_of_responses_that_are_refused_are_left_out(case):
    """Each by the words of a server that has it; one that refuses several gets them out one after another."""
    rows = {b'"include"': "Unknown parameter: 'include'.", b'"store"': "body.store: Extra inputs are not permitted",
            b'"strict"': '"strict" is not a known property of a tool', b'"reasoning":{': "Unrecognized request argument supplied: 'reasoning'",
            b'"summary"': "Your organization must be verified to generate reasoning summaries."}

    def picky(body):
        for sign, text in rows.items():
            if sign in body and not (sign == b'"summary"' and b'"reasoning":{' in rows):
                return error("400 Bad Request", {"error": {"message": text, "type": "invalid_request_error"}})
        return FINE["openai-responses"]
    ran, requests = ask(case, "openai-responses", [picky], "--settings", '{"thinkingBudget":4000}')
    ends_well(ran)
    assert len(requests) == 5 and not {"include", "store", "reasoning"} & set(requests[-1]), [sorted(request) for request in requests]
    summary = [refuses(b'"summary"', "400 Bad Request", {"error": {"message": rows[b'"summary"']}}, FINE["openai-responses"])]
    ran, requests = ask(case, "openai-responses", summary, "--settings", '{"thinkingBudget":4000}')
    ends_well(ran)
    assert len(requests) == 2 and "effort" in requests[1]["reasoning"] and "summary" not in requests[1]["reasoning"], requests
    for text in ("We cannot reason about the store", "We include this"):
        ran, requests = ask(case, "openai-responses", [error("400 Bad Request", {"error": {"message": text}})])
        assert ran.code == 1 and len(requests) == 1, (ran, len(requests))


@on_each
def calls_of_the_history_name_tools_of_the_request(case, wire):
    ask(case, wire, [message(wire, ("call_g1", "Read", A)), FINE[wire]])
    ran, requests = ask(case, wire, [FINE[wire]], "--continue", "--tools", "")
    ends_well(ran)
    names = [one.get("name") or one["function"]["name"] for one in requests[0]["tools"]]
    assert names == ["Read"] and requests[0]["tool_choice"] in ("none", {"type": "none"}), requests
    ran, requests = ask(case, wire, [FINE[wire]], "--tools", "")
    assert "tools" not in requests[0] and "tool_choice" not in requests[0], requests


def test_a_user_right_after_a_tool_is_kept_apart_where_that_is_refused(case):
    import base64
    case.write("p.png", base64.b64decode("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAADElEQVR4nGP4z8AAAAMBAQDJ/pLvAAAAAElFTkSuQmCC"))

    def strict(body):
        roles = [entry["role"] for entry in json.loads(body)["messages"]]
        bad = any(pair == ("tool", "user") for pair in zip(roles, roles[1:]))
        return error("400 Bad Request", {"message": "Unexpected role 'user' after role 'tool'", "type": "invalid_request_error"}) if bad \
            else FINE["openai-chat"]

    ran, requests = ask(case, "openai-chat", [message("openai-chat", ("D681PevKs", "Read", '{"file_path":"p.png"}')), strict])
    ends_well(ran)
    assert "image_url" in json.dumps(requests[-1]) and len(requests) == 3, requests
    ran, requests = ask(case, "openai-chat", [message("openai-chat", ("D681PevKs", "Read", '{"file_path":"p.png"}')), strict],
                        model="mistral-small-latest")
    ends_well(ran)
    assert "image_url" in json.dumps(requests[-1]) and len(requests) == 2, requests


# ---- R: damaged streams -----------------------------------------------------------------------------------------

def test_a_block_that_begins_again_ends_the_whole_one_before_it(case):
    first, second = tool(0, "toolu_1", "Read", A), tool(0, "toolu_2", "Read", B)
    runs(case, "anthropic", [events(START, *first[:2], *second, reason("tool_use"), STOP)], ["alpha", "beta"])


# ---- W to a: faults ---------------------------------------------------------------------------------------------

def test_an_overflow_is_known_in_all_its_words(case):
    said_so = ("The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).",
               "prompt token count of 128001 exceeds the limit of 128000", "Range of input length should be [1, 98304]",
               "Your request exceeded model token limit: 131072", "Prompt exceeds max length")
    for text in said_so:
        ran, requests = ask(case, "openai-chat", [error("400 Bad Request", {"error": {"message": text}})])
        fails(ran, text, "context window")
        assert len(requests) == 1
    for wire in WIRES:
        ran, requests = ask(case, wire, [error("400 Bad Request", {"type": "error", "error": {"type": "invalid_request_error", "message": said_so[0]}})])
        fails(ran, said_so[0], "context window")
        assert len(requests) == 1
    ran, requests = ask(case, "openai-chat", [error("500 Internal Server Error", {"error": {
        "code": 500, "message": "the request exceeds the available context size", "type": "server_error"}})])
    fails(ran, "context window")
    assert len(requests) == 1
    ran, _ = ask(case, "openai-chat", [error("400 Bad Request", {"error": {"message": "the name of the context is too long"}})])
    assert ran.code == 1 and "window" not in ran.err, ran


def test_what_cannot_pass_is_not_tried_again(case):
    rows = (("429 Too Many Requests", {"error": {"message": "Request too large for gpt-4o on tokens per min (TPM): Limit 30000, Requested 61337.",
                                                 "type": "tokens", "code": "rate_limit_exceeded"}}, "", "limit"),
            ("429 Too Many Requests", {"error": {"type": "usage_limit_reached", "message": "The usage limit has been reached",
                                                 "resets_in_seconds": 13000}}, "", "4 hours"),
            ("429 Too Many Requests", {"error": {"message": "Slow down"}}, "retry-after: 10800\r\n", "3 hours"),
            ("429 Too Many Requests", {"error": {"message": "Monthly usage limit reached."}}, "retry-after: 1382400\r\n", "16 days"),
            ("403 Forbidden", {"error": {"message": "does not support tools", "type": "api_error"}}, "", "does not support tools"),
            ("422 Unprocessable Entity", {"error": {"message": "no", "type": "server_error"}}, "", "422"))
    for status, body, more, text in rows:
        ran, requests = ask(case, "openai-chat", [error(status, body, more)], env={"HELVE_MAX_RETRIES": "8"})
        fails(ran, text)
        assert len(requests) == 1, (body, ran)


def test_the_servers_own_words_reach_the_person(case):
    rows = (({"msg": "the deployment sleeps"}, "the deployment sleeps"), ({"errors": ["first fault", "second"]}, "first fault"),
            ({"detail": [{"loc": ["body"], "msg": "field required"}]}, "field required"),
            ({"error": {"message": "Provider returned error", "metadata": {"raw": "it is full"}}}, "it is full"),
            (b"just words\nand more", "just words and more"),
            (b"<html><head><title>502 Bad Gateway</title></head><body><h1>nginx</h1></body></html>", "502 Bad Gateway"))
    for number, (body, text) in enumerate(rows * 2):
        ran, _ = ask(case, WIRES[(number + number // len(rows)) % 3], [error("400 Bad Request", body)])
        fails(ran, text)
        assert "<h1>" not in ran.err, ran


@on_each
def a_missing_model_is_told_with_those_that_there_are(case, wire):
    bodies = {"anthropic": {"type": "error", "error": {"type": "not_found_error", "message": "model: none"}},
              "openai-chat": {"error": {"message": 'model "none" not found, try pulling it first', "type": "api_error"}},
              "openai-responses": {"error": {"message": "no such model", "type": "invalid_request_error", "code": "model_not_found"}}}
    refusal = error("400 Bad Request" if wire == "openai-responses" else "404 Not Found", bodies[wire])
    many = [f"model-{number}" for number in range(40)]
    for models, parts in ((("qwen3:4b", "gpt-oss:20b"), ("qwen3:4b, gpt-oss:20b", f"--model {wire}:")), (many, ("model-0, model-1,", "…")),
                          ((), ("check the model's name",)), (("none",), ("check the model's name",))):
        ran, requests = ask(case, wire, [refusal], model="none", models=models, env={"HELVE_MAX_RETRIES": "8"})
        fails(ran, "404" if wire != "openai-responses" else "400", *parts)
        assert len(requests) == 1, requests


def test_waiting_times_in_the_body_are_kept(case):
    rows = (("openai-chat", [{"error": {"code": 429, "message": "Quota exceeded.", "status": "RESOURCE_EXHAUSTED", "details": [
        {"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": "1.3s"}]}}]),
            ("openai-chat", {"error": {"code": 429, "message": "Slow down. Please retry in 1.3s."}}),
            ("anthropic", {"type": "error", "error": {"type": "rate_limit_error", "message": "Please try again in 1300ms."}}))
    for wire, body in rows:
        ran, _ = ask(case, wire, [error("429 Too Many Requests", body), FINE[wire]])
        ends_well(ran)
        assert "again in 1.3 s" in ran.err, ran
    failed = response(status="failed", error={"code": "rate_limit_exceeded", "message": "Rate limit reached. Please try again in 1.3s."})
    ran, _ = ask(case, "openai-responses", [failed, FINE["openai-responses"]])
    ends_well(ran)
    assert "again in 1.3 s" in ran.err, ran


# ---- d: networks; e, f: stdin and sessions ------------------------------------------------------------------------

def test_a_proxy_that_does_not_answer_is_named(case):
    ran = case.helve("-p", "x", "--model", "openai-chat:m", env={"OPENAI_API_KEY": KEY, "OPENAI_BASE_URL": "http://192.0.2.2:1/v1",
                                                                 "http_proxy": "http://127.0.0.1:9", "HELVE_MAX_RETRIES": "0"})
    fails(ran, "http_proxy", "NO_PROXY")


def test_a_server_on_this_machine_that_is_not_started_is_asked_twice(case):
    ran = case.helve("-p", "x", "--model", "openai-chat:m", "--output-format", "stream-json", "--verbose", env={
        "OPENAI_API_KEY": KEY, "OPENAI_BASE_URL": "http://127.0.0.1:9/v1", "HELVE_MAX_RETRIES": "8"})
    assert ran.code == 1 and len([one for one in ran.events if one.get("subtype") == "api_retry"]) == 1, ran


def test_a_pipe_whose_writer_lives_is_waited_for(case):
    with RawServer([FINE["openai-chat"]]) as server:
        process = case.start("-p", "summarise the input", "--model", "openai-chat:m", stdin=subprocess.PIPE, env={
            "OPENAI_API_KEY": KEY, "OPENAI_BASE_URL": server.url + "/v1"})
        try:
            line = process.stderr.readline().decode()
            assert "waiting" in line and "--no-stdin" in line, line
            out, err = process.communicate(b"the real data\n", 60)
        finally:
            stop(process)
        assert process.returncode == 0 and out == b"fine\n", err
        assert "the real data" in json.dumps(server.requests[0]["messages"]), server.requests


def test_a_pipe_that_nobody_means_is_left_alone_when_asked_to(case):
    with RawServer([FINE["openai-chat"]]) as server:
        process = case.start("-p", "--no-stdin", "go", "--model", "openai-chat:m", stdin=subprocess.PIPE, env={
            "OPENAI_API_KEY": KEY, "OPENAI_BASE_URL": server.url + "/v1"})
        try:
            assert process.stdout.read() == b"fine\n"
        finally:
            stop(process)


def journals(case):
    found = [os.path.join(folder, name) for folder, _, names in os.walk(case.home) for name in names if name.endswith(".jsonl")]
    return sorted(found, key=os.path.getmtime)


def test_a_broken_newest_journal_does_not_stand_before_the_others(case):
    ask(case, "openai-chat", [message("openai-chat", "first answer")])
    good = journals(case)[0]
    for number, content in enumerate((b"", b"\0" * 100, b"no json\n")):
        with open(os.path.join(os.path.dirname(good), f"0000000{number}-0000-4000-8000-000000000000.jsonl"), "wb") as file:
            file.write(content)
    ran, requests = ask(case, "openai-chat", [FINE["openai-chat"]], "--continue")
    ends_well(ran)
    assert "first answer" in json.dumps(requests) and "passed over 3" in ran.err, ran


def old_journal():
    with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "journal_1.jsonl"), "rb") as file:
        return file.read()


def test_a_journal_that_holds_an_id_twice_goes_on(case):
    """Within one message and in two: what it holds of before calls were given ids of their own."""
    lines = old_journal().replace(b"call_one1", b"same").replace(b"call_two2", b"same").splitlines(keepends=True)
    again = [line for line in lines if line.startswith(b'{"type":"message"')]
    path = case.write("old.jsonl", b"".join(lines + again))
    for wire in WIRES:
        ran, requests = ask(case, wire, [message(wire, ("same", "Read", A)), FINE[wire]], "--resume", path, "--fork-session")
        ends_well(ran)
        made, given = asked(requests[-1], wire)
        assert len({one[0] for one in made}) == 5 and [one[0] for one in made] == [one[0] for one in given], (made, given)
        assert [one[2]["file_path"][0] for one in made] == ["a", "b", "a", "b", "a"], made
        assert [("alpha" in text, "beta" in text) for _, text in given] == [(True, False), (False, True)] * 2 + [(True, False)], given


def test_a_journal_of_the_first_version_opens(case):
    path = case.write("old.jsonl", old_journal())
    for wire in WIRES:
        ran, requests = ask(case, wire, [FINE[wire]], "--resume", path, "--fork-session")
        ends_well(ran)
        body = json.dumps(requests)
        assert "look at both" in body and "alpha" in body and "beta" in body and "Both are read" in body, body
