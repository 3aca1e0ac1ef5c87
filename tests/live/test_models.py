"""`helve -p` against models that speak the three protocols, in good health and in bad."""
import base64
import functools
import json
import os
import signal
import time

from harness import KEY, MODELS, stop
from wires import Answer, call, text, thinking

WIRES = ("anthropic", "openai-chat", "openai-responses")
MIXED = "Grüße, 世界! 👩‍👩‍👧‍👦 \u202eabc\u202c \ufeff zero\u200bwidth \\u0041 \"quoted\" \t tab"


def on(*wires):
    """Make one test a wire of a function of (case, wire)."""
    def spread(function):
        for wire in wires:
            name = f"{function.__name__}_{wire.replace('-', '_')}"
            globals()["test_" + name] = functools.partial(function, wire=wire)
        return function
    return spread


def clean(server, requests):
    """All requests came, and none was one that the API would refuse."""
    assert not server.faults, "\n".join(server.faults)
    assert len(server.requests) == requests, f"{len(server.requests)} requests, not {requests}"


def said(ran, words):
    assert ran.code == 0, ran
    assert ran.out == words + "\n", ran


def retries(ran):
    return [event for event in ran.events if event["type"] == "system" and event["subtype"] == "api_retry"]


# ---- answers -------------------------------------------------------------------------------------------------

@on(*WIRES)
def a_text_is_printed(case, wire):
    server = case.serve(Answer([text("Hello, world.")]), key=KEY, model=MODELS[wire])
    said(case.ask(server, "say hello", wire=wire), "Hello, world.")
    clean(server, 1)
    request = server.requests[0]
    assert "say hello" in request.text()
    assert request.body["stream"] is True


@on(*WIRES)
def text_in_every_script_survives_both_ways(case, wire):
    for piece in (1, 7):
        server = case.serve(Answer([text(MIXED)], piece=piece, delta=1))
        ran = case.ask(server, "repeat: " + MIXED, wire=wire)
        assert ran.out.rstrip("\n") == MIXED.rstrip("\n"), ran
        clean(server, 1)
        assert MIXED in json.dumps(server.requests[0].body, ensure_ascii=False).encode().decode("unicode_escape", "ignore") \
            or json.dumps(MIXED, ensure_ascii=False)[1:-1] in json.dumps(server.requests[0].body, ensure_ascii=False)


@on(*WIRES)
def a_stream_may_come_in_any_pieces(case, wire):
    words = "A sentence that is long enough. " * 8 + "ünïcödé 😀 end."
    for variation in ({"piece": 1}, {"piece": 3, "crlf": True}, {"piece": 1000, "comments": True}, {"chunked": False, "keep_alive": False},
                      {"gzip": True, "piece": 50}, {"delta": 100000}, {"piece": 10 ** 6}):
        server = case.serve(Answer([text(words)], **variation))
        said(case.ask(server, "go", wire=wire), words)
        clean(server, 1)


@on(*WIRES)
def a_tool_runs_and_its_result_goes_back(case, wire):
    case.write("notes.txt", "the secret word is xylophone\n")
    server = case.serve(Answer([text("I look."), call("Read", {"file_path": case.project + "/notes.txt"})]), Answer([text("It is xylophone.")]))
    said(case.ask(server, "what is the secret word?", wire=wire), "It is xylophone.")
    clean(server, 2)
    assert len(server.requests[1].results()) == 1
    assert "xylophone" in server.requests[1].results()[0]


@on(*WIRES)
def parallel_calls_are_answered_in_their_order(case, wire):
    names = [f"file{number}.txt" for number in range(6)]
    for name in names:
        case.write(name, f"content of {name}\n")
    server = case.serve(Answer([call("Read", {"file_path": f"{case.project}/{name}"}) for name in names], delta=5), Answer([text("done")]))
    said(case.ask(server, "read them all", wire=wire), "done")
    clean(server, 2)
    results = server.requests[1].results()
    assert len(results) == 6
    for name, result in zip(names, results):
        assert f"content of {name}" in result, results


@on(*WIRES)
def a_long_loop_keeps_a_history_that_the_api_takes(case, wire):
    case.write("a.txt", "one\n")
    path = case.project + "/a.txt"
    steps = [Answer([text(f"step {number}"), call("Read", {"file_path": path}), call("Glob", {"pattern": "*.txt"})]) for number in range(5)]
    server = case.serve(*steps, Answer([text("finished")]))
    said(case.ask(server, "loop", wire=wire), "finished")
    clean(server, 6)
    previous = None
    for request in server.requests:  # what was sent once is sent again byte for byte
        messages = [json.dumps(message) for message in strip(request.messages)]
        assert previous is None or messages[:len(previous)] == previous
        previous = messages


def strip(value):
    """Without cache breakpoints, which move."""
    if isinstance(value, dict):
        return {name: strip(inner) for name, inner in value.items() if name != "cache_control"}
    return [strip(inner) for inner in value] if isinstance(value, list) else value


@on(*WIRES)
def connections_are_kept_between_requests(case, wire):
    case.write("a.txt", "one\n")
    server = case.serve(*[Answer([call("Read", {"file_path": case.project + "/a.txt"})]) for _ in range(3)], Answer([text("ok")]))
    said(case.ask(server, "go", wire=wire), "ok")
    clean(server, 4)
    # A request may go out before the last byte of the former answer has come: then there is a second connection.
    assert len({request.connection for request in server.requests}) <= 2


@on(*WIRES)
def a_session_goes_on_with_its_history(case, wire):
    case.write("a.txt", "one\n")
    server = case.serve(Answer([call("Read", {"file_path": case.project + "/a.txt"})]), Answer([text("first answer")]),
                        Answer([text("second answer")]))
    said(case.ask(server, "first question", wire=wire), "first answer")
    said(case.ask(server, "second question", "--continue", wire=wire), "second answer")
    clean(server, 3)
    body = server.requests[2].text()
    for part in ("first question", "first answer", "second question"):
        assert part in body, part


# ---- thinking ------------------------------------------------------------------------------------------------

def test_thinking_goes_back_unchanged_with_its_signature(case):
    case.write("a.txt", "one\n")
    thought = thinking("Let me see… 思考 \"quotes\" \\ and\nlines", "EqoBCkgIARABGAIiQL+/" + "x" * 200 + "==")
    hidden = {"type": "redacted_thinking", "data": "RW5jcnlwdGVk" * 20}
    server = case.serve(Answer([thought, hidden, text("I read."), call("Read", {"file_path": case.project + "/a.txt"})]), Answer([text("ok")]))
    said(case.ask(server, "think"), "ok")
    clean(server, 2)
    assistant = server.requests[1].messages[1]["content"]
    assert assistant[0] == thought and assistant[1] == hidden, assistant


def test_thinking_between_calls_keeps_its_place(case):
    case.write("a.txt", "one\n")
    path = case.project + "/a.txt"
    blocks = [thinking("first", "sig-one"), call("Read", {"file_path": path}), thinking("second", "sig-two"), call("Glob", {"pattern": "*"})]
    server = case.serve(Answer(blocks), Answer([text("ok")]))
    said(case.ask(server, "think"), "ok")
    clean(server, 2)
    kinds = [block["type"] for block in server.requests[1].messages[1]["content"]]
    assert kinds == ["thinking", "tool_use", "thinking", "tool_use"], kinds


def test_thinking_with_an_empty_text_is_sent_back(case):
    case.write("a.txt", "one\n")
    server = case.serve(Answer([thinking("", "sig-omitted"), call("Read", {"file_path": case.project + "/a.txt"})]), Answer([text("ok")]))
    said(case.ask(server, "think"), "ok")
    clean(server, 2)
    assert server.requests[1].messages[1]["content"][0] == {"type": "thinking", "thinking": "", "signature": "sig-omitted"}


def test_reasoning_items_go_back_before_their_calls(case):
    case.write("a.txt", "one\n")
    blocks = [thinking("I should read", "gAAAAencrypted"), call("Read", {"file_path": case.project + "/a.txt"})]
    server = case.serve(Answer(blocks), Answer([text("ok")]))
    said(case.ask(server, "think", wire="openai-responses"), "ok")
    clean(server, 2)
    kinds = [item.get("type", "message") for item in server.requests[1].messages]
    at = kinds.index("reasoning")
    assert kinds[at:at + 3] == ["reasoning", "function_call", "function_call_output"], kinds
    assert server.requests[1].messages[at]["encrypted_content"] == "gAAAAencrypted"
    assert server.requests[1].body["store"] is False


def test_reasoning_of_chat_servers_is_no_part_of_the_answer(case):
    for quirks in ((), ("reasoning",)):
        server = case.serve(Answer([thinking("hmm, hmm"), text("42")], quirks=quirks))
        said(case.ask(server, "think", wire="openai-chat"), "42")
        clean(server, 1)


# ---- broken calls --------------------------------------------------------------------------------------------

@on(*WIRES)
def an_unknown_tool_is_told_to_the_model(case, wire):
    server = case.serve(Answer([call("Reed", {"file_path": "/x"})]), Answer([text("sorry")]))
    said(case.ask(server, "go", wire=wire), "sorry")
    clean(server, 2)
    assert "Read" in server.requests[1].results()[0], server.requests[1].results()


@on(*WIRES)
def an_input_that_is_no_json_is_told_to_the_model(case, wire):
    for raw in ('{"file_path": "/etc/passwd"', "not json", '["file_path"]', '{"file_path": "/x", }', '"text"'):
        server = case.serve(Answer([call("Read", raw=raw)]), Answer([text("sorry")]))
        said(case.ask(server, "go", wire=wire), "sorry")
        clean(server, 2)
        assert len(server.requests[1].results()) == 1 and server.requests[1].results()[0].strip()
        assert "root:" not in server.requests[1].results()[0]


@on(*WIRES)
def an_empty_input_is_an_empty_object(case, wire):
    server = case.serve(Answer([call("Glob", raw="")]), Answer([text("sorry")]))
    said(case.ask(server, "go", wire=wire), "sorry")
    clean(server, 2)
    assert "pattern" in server.requests[1].results()[0]


@on(*WIRES)
def calls_with_the_same_id_leave_a_history_that_the_api_takes(case, wire):
    case.write("a.txt", "content a\n")
    case.write("b.txt", "content b\n")
    server = case.serve(Answer([call("Read", {"file_path": case.project + "/a.txt"}, identity="call_the_same"),
                                call("Read", {"file_path": case.project + "/b.txt"}, identity="call_the_same")]), Answer([text("ok")]))
    ran = case.ask(server, "go", "--verbose", wire=wire)
    said(ran, "ok")
    clean(server, 2)
    results = server.requests[1].results()
    assert len(results) == 2 and "content a" in results[0] and "content b" in results[1], results


@on("openai-chat")
def ids_that_servers_count_from_zero_are_told_apart(case, wire):
    steps = []
    for number, identities in enumerate((("0", "0"), ("0", "1"), ("call_0", "call_1"), ("call_0", "call_1"))):
        steps.append([])
        for which, identity in zip("ab", identities):
            path = case.write(f"{which}{number}.txt", f"content {which}{number}\n")
            steps[-1].append(call("Read", {"file_path": path}, identity=identity))
    server = case.serve(*[Answer(blocks) for blocks in steps], Answer([text("ok")]))
    said(case.ask(server, "go", wire=wire), "ok")
    clean(server, 5)
    for number, request in enumerate(server.requests[1:]):
        results = request.results()
        assert len(results) == 2 and f"content a{number}" in results[0] and f"content b{number}" in results[1], results


@on("openai-chat")
def quirks_of_chat_servers_are_understood(case, wire):
    case.write("a.txt", "content a\n")
    case.write("b.txt", "content b\n")
    for quirks in (("no_id",), ("no_index",), ("empty_id", "repeat_name"), ("whole",), ("object",), ("stop_with_calls",), ("nulls",),
                   ("no_usage",), ("no_id", "whole", "stop_with_calls"), ("whole", "no_index", "nulls")):
        server = case.serve(Answer([call("Read", {"file_path": case.project + "/a.txt"}), call("Read", {"file_path": case.project + "/b.txt"})],
                                   quirks=quirks), Answer([text("ok")]))
        ran = case.ask(server, "go", wire=wire)
        assert ran.out == "ok\n", (quirks, ran)
        clean(server, 2)
        results = server.requests[1].results()
        assert len(results) == 2 and "content a" in results[0] and "content b" in results[1], (quirks, results)


@on(*WIRES)
def odd_ids_and_names_leave_a_history_that_the_api_takes(case, wire):
    case.write("a.txt", "content a\n")
    good = {"file_path": case.project + "/a.txt"}
    odd = [call("Read", good, identity="call:1/ü {x}"), call("Read", good, identity="x" * 300), call("bad name! (v2)", good), call("n" * 300, good),
           call("mcp.server:tool", good), call("Read", good, identity=" "), call("read", good)]
    server = case.serve(Answer(odd), Answer([text("ok")]))
    said(case.ask(server, "go", wire=wire), "ok")
    clean(server, 2)
    assert len(server.requests[1].results()) == len(odd)


@on(*WIRES)
def half_characters_of_the_model_are_mended(case, wire):
    case.write("a.txt", "content a\n")
    server = case.serve(Answer([text("half \ud83d of a smile"), call("Bash", raw='{"command": "echo half \\ud83d"}'),
                                call("Grep", {"pattern": "x\udc00"})]), Answer([text("ok")]))
    said(case.ask(server, "go", "--permission-mode", "bypassPermissions", wire=wire), "ok")
    clean(server, 2)


@on(*WIRES)
def inputs_of_any_depth_and_size_are_survived(case, wire):
    deep = '{"file_path": ' + "[" * 50000 + "]" * 50000 + "}"
    wide = json.dumps({"file_path": "x" * (3 << 20)})
    many = "{" + ",".join(f'"k{number}": {number}' for number in range(20000)) + "}"
    server = case.serve(*[Answer([call("Read", raw=raw)], delta=4000) for raw in (deep, wide, many, '{"file_path": 1e999}')], Answer([text("ok")]))
    said(case.ask(server, "go", wire=wire), "ok")
    clean(server, 5)
    for request in server.requests[1:]:
        assert len(request.results()) == 1 and len(request.results()[0]) < 100000


# ---- what tools give back ------------------------------------------------------------------------------------

@on(*WIRES)
def bytes_that_are_no_text_reach_the_model_as_text(case, wire):
    case.write("latin.txt", "gr\u00fc\u00dfe\n".encode("latin-1"))
    case.write("odd.txt", b"a\x01b\x1b[31mred\x7f\xed\xa0\x80 \xff\xfe end\n")
    server = case.serve(Answer([call("Bash", {"command": "cat odd.txt; printf 'x\\000y'"}), call("Read", {"file_path": case.project + "/odd.txt"}),
                                call("Read", {"file_path": case.project + "/latin.txt"}), call("Bash", {"command": "true"}),
                                call("Bash", {"command": "head -c 300000 /dev/urandom"})]),
                        Answer([text("ok")]))
    said(case.ask(server, "go", "--permission-mode", "bypassPermissions", wire=wire), "ok")
    clean(server, 2)
    results = server.requests[1].results()
    assert len(results) == 5 and "end" in results[0], results


@on(*WIRES)
def pictures_are_shown_to_the_model(case, wire):
    dot = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAADElEQVR4nGP4z8AAAAMBAQDJ/pLvAAAAAElFTkSuQmCC"
    message = {"type": "user", "message": {"role": "user", "content": [
        {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": dot}}, {"type": "text", "text": "what is it?"}]}}
    server = case.serve(Answer([text("a dot")]))
    ran = case.helve("-p", "--model", f"{wire}:{MODELS[wire]}", "--input-format", "stream-json", "--output-format", "stream-json", "--verbose",
                     server=server, stdin=json.dumps(message) + "\n")
    assert ran.code == 0 and ran.result["result"] == "a dot", ran
    clean(server, 1)
    assert dot in server.requests[0].text() and "what is it?" in server.requests[0].text()


@on(*WIRES)
def pictures_that_tools_return_are_shown_to_the_model_beside_what_they_are(case, wire):
    dot = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAADElEQVR4nGP4z8AAAAMBAQDJ/pLvAAAAAElFTkSuQmCC"
    case.write("dot.png", base64.b64decode(dot))
    server = case.serve(Answer([call("Read", {"file_path": case.project + "/dot.png"})]), Answer([text("a dot")]))
    said(case.ask(server, "what is it?", wire=wire), "a dot")
    clean(server, 2)
    assert dot in server.requests[1].text() and "1×1 PNG, 69 bytes" in server.requests[1].text(), server.requests[1].text()


@on(*WIRES)
def many_calls_in_one_answer_are_all_answered(case, wire):
    count = 120
    server = case.serve(Answer([call("Glob", {"pattern": f"*{number}"}) for number in range(count)]), Answer([text("ok")]))
    said(case.ask(server, "go", wire=wire), "ok")
    clean(server, 2)
    assert len(server.requests[1].results()) == count


# ---- stop reasons --------------------------------------------------------------------------------------------

@on(*WIRES)
def an_answer_cut_at_the_token_limit_is_said_to_be(case, wire):
    server = case.serve(Answer([text("The beginning of")], stop="max_tokens"))
    ran = case.ask(server, "go", wire=wire)
    assert "The beginning of" in ran.out, ran
    assert "limit" in ran.err, ran
    clean(server, 1)


@on(*WIRES)
def a_call_cut_at_the_token_limit_is_not_run(case, wire):
    target = case.project + "/new.txt"
    server = case.serve(Answer([call("Write", raw=json.dumps({"file_path": target, "content": "half of the"})[:-12])], stop="max_tokens"),
                        Answer([text("I stop.")]))
    case.ask(server, "go", "--permission-mode", "acceptEdits", wire=wire)
    assert not server.faults, server.faults
    try:
        case.read("new.txt")
        raise AssertionError("the cut call was run")
    except FileNotFoundError:
        pass


def test_a_paused_turn_goes_on_with_what_came(case):
    paused = [text("searching"), {"type": "server_tool_use", "id": "srvtoolu_1", "name": "web_search", "input": {"query": "x"}}]
    server = case.serve(Answer(paused, stop="pause_turn"), Answer([text("found it")]))
    ran = case.ask(server, "search")
    assert ran.code == 0 and "found it" in ran.out, ran
    assert len(server.requests) == 2
    kinds = [block["type"] for block in server.requests[1].messages[1]["content"]]
    assert server.requests[1].messages[-1]["role"] == "assistant" and kinds == ["text", "server_tool_use"], server.requests[1].messages


@on("anthropic", "openai-chat")
def a_refusal_fails_with_a_clear_message(case, wire):
    server = case.serve(Answer([text("")], stop="refusal"))
    ran = case.ask(server, "something bad", wire=wire)
    assert ran.code != 0 and ("declin" in ran.err or "refus" in ran.err), ran
    clean(server, 1)


@on("openai-chat", "openai-responses")
def words_of_refusal_are_shown(case, wire):
    server = case.serve(Answer([{"type": "refusal", "refusal": "I cannot help with that."}]))
    ran = case.ask(server, "something bad", wire=wire)
    assert "I cannot help with that." in ran.out + ran.err, ran
    clean(server, 1)


@on(*WIRES)
def an_empty_answer_is_asked_for_once_more(case, wire):
    server = case.serve(Answer([]), Answer([text("whole")]))
    said(case.ask(server, "go", wire=wire), "whole")
    clean(server, 2)


@on(*WIRES)
def two_empty_answers_after_results_are_an_error_and_the_session_can_go_on(case, wire):
    case.write("a.txt", "one\n")
    # The Messages API joins neighbouring messages of one role; no other test needs that.
    server = case.serve(Answer([call("Read", {"file_path": case.project + "/a.txt"})]), Answer([]), Answer([]), Answer([text("more")]),
                        alternate=False)
    ran = case.ask(server, "go", wire=wire)
    assert ran.code == 1 and "nothing" in ran.err, ran
    said(case.ask(server, "and now?", "--continue", wire=wire), "more")
    clean(server, 4)


# ---- faults that pass ----------------------------------------------------------------------------------------

@on(*WIRES)
def a_busy_server_is_asked_again(case, wire):
    for status, kind in ((429, "rate_limit_error"), (529, "overloaded_error"), (500, "api_error"), (503, "service_unavailable"), (408, "timeout")):
        server = case.serve(Answer(status=status, error=(kind, "try later"), headers={"retry-after-ms": "10"}), Answer([text("now")]))
        ran = case.ask(server, "go", wire=wire)
        assert ran.code == 0 and ran.out == "now\n", (status, ran)
        clean(server, 2)


@on(*WIRES)
def retry_after_is_kept(case, wire):
    server = case.serve(Answer(status=429, error=("rate_limit_error", "slow down"), headers={"retry-after": "1"}), Answer([text("now")]))
    ran = case.ask(server, "go", "--output-format", "stream-json", "--verbose", wire=wire)
    assert ran.code == 0, ran
    clean(server, 2)
    assert server.requests[1].time - server.requests[0].time >= 0.95
    assert [event["retry_delay_ms"] for event in retries(ran)] == [1000], ran


@on(*WIRES)
def a_stream_that_is_cut_is_asked_for_again(case, wire):
    words = text("A text with ünïcödé inside, long enough to be cut.")
    for answer in (Answer([words], cut="in delta 0 2"), Answer([words], cut="utf8"), Answer([words], cut="delta 0 1"), Answer([words], cut=0),
                   Answer([words], cut="in start", reset=True), Answer([words], cut="in delta 0 2", chunked=False)):
        server = case.serve(answer, Answer([text("whole")]))
        ran = case.ask(server, "go", wire=wire)
        assert ran.code == 0 and ran.out == "whole\n", (answer.cut, ran)
        clean(server, 2)
        assert server.requests[0].body == server.requests[1].body


@on(*WIRES)
def a_call_before_a_cut_runs_once(case, wire):
    def step(**trouble):
        return Answer([call("Bash", {"command": "echo ran >> log.txt"}), text("and then more and more words")], **trouble)
    # Either the call had begun: then its result comes; or it had not: then the model is asked anew.
    server = case.serve(step(cut="in delta 1 1"), lambda request: Answer([text("done")]) if request.results() else step(),
                        Answer([text("done")]))
    said(case.ask(server, "go", "--permission-mode", "bypassPermissions", wire=wire), "done")
    clean(server, 3 - len(server.answers))
    assert case.read("log.txt") == "ran\n"


@on(*WIRES)
def a_call_that_was_cut_does_not_run(case, wire):
    command = {"command": "echo ran >> log.txt", "description": "a long description so that there are many pieces"}
    server = case.serve(Answer([call("Bash", command)], cut="in delta 0 4"), Answer([text("done")]))
    said(case.ask(server, "go", "--permission-mode", "bypassPermissions", wire=wire), "done")
    clean(server, 2)
    try:
        raise AssertionError("the cut call was run: " + case.read("log.txt"))
    except FileNotFoundError:
        pass


@on(*WIRES)
def an_error_within_a_stream_is_asked_again_or_told(case, wire):
    server = case.serve(Answer([text("some words")], fail=("stop 0", "overloaded_error", "Overloaded")), Answer([text("whole")]))
    said(case.ask(server, "go", wire=wire), "whole")
    clean(server, 2)


@on(*WIRES)
def what_fails_for_good_is_told_after_some_tries(case, wire):
    server = case.serve(*[Answer(status=500, error=("api_error", "it is broken inside"), headers={"retry-after-ms": "1"})] * 4)
    ran = case.ask(server, "go", wire=wire)
    assert ran.code not in (0, None) and ran.out == "", ran
    assert "it is broken inside" in ran.err and "500" in ran.err, ran
    clean(server, 4)


@on(*WIRES)
def a_stream_cut_again_and_again_is_given_up(case, wire):
    server = case.serve(*[Answer([text("some words that never end")], cut="in delta 0 1")] * 3)
    ran = case.ask(server, "go", wire=wire, env={"HELVE_MAX_RETRIES": "2"})
    assert ran.code not in (0, None), ran
    assert "cut" in ran.err or "closed" in ran.err, ran
    clean(server, 3)


# ---- faults that do not pass ---------------------------------------------------------------------------------

@on(*WIRES)
def what_cannot_pass_is_told_at_once(case, wire):
    for status, kind, words in ((400, "invalid_request_error", "the model does not like this"), (403, "permission_error", "not for you"),
                                (404, "not_found_error", "model: none"), (413, "request_too_large", "too large")):
        server = case.serve(Answer(status=status, error=(kind, words)))
        ran = case.ask(server, "go", wire=wire)
        assert ran.code not in (0, None) and words in ran.err, (status, ran)
        clean(server, 1)


@on(*WIRES)
def a_wrong_key_is_told_with_what_to_do_and_never_shown(case, wire):
    server = case.serve(key="another-key")
    ran = case.ask(server, "go", wire=wire)
    assert ran.code not in (0, None) and "invalid x-api-key" in ran.err, ran
    assert ("ANTHROPIC_API_KEY" if wire == "anthropic" else "OPENAI_API_KEY") in ran.err, ran
    assert KEY not in ran.out + ran.err
    assert len(server.requests) == 1


def test_the_key_in_use_is_not_handed_to_commands(case):
    server = case.serve(Answer([call("Bash", {"command": "printenv"})]), Answer([text("done")]))
    ran = case.ask(server, "go", "--allowedTools", "Bash(printenv)", env={"OTHER": "kept"})
    said(ran, "done")
    assert KEY not in server.requests[1].text() and "OTHER=kept" in server.requests[1].text(), server.requests[1].text()


@on(*WIRES)
def a_server_that_is_no_model_is_told(case, wire):
    page = "<html><head><title>Sign in</title></head><body>Welcome to the hotel's network</body></html>"
    for answer in (Answer(body=page), Answer(status=404, body=page), Answer(status=302, body="", headers={"Location": "https://login.example/"}),
                   Answer(body="{}", content_type="application/json"), Answer(body=b"\x00\xff\xfe binary", content_type="application/octet-stream"),
                   Answer(body="", content_type="text/event-stream")):
        server = case.serve(*[answer] * 2)
        ran = case.ask(server, "go", wire=wire, env={"HELVE_MAX_RETRIES": "1"})
        assert ran.code not in (0, None) and ran.err.strip(), (answer, ran)
        assert not server.faults, server.faults


@on(*WIRES)
def garbage_in_a_stream_does_no_harm(case, wire):
    for garbage in (b"\xff\xfe\x00\x01" * 50 + b"\n\n", b"data: {broken json\n\n", b"data: [1, 2]\n\n", b"event: message_stop\ndata: {}\n\n",
                    b"data: " + b"x" * 100000 + b"\n\n", b"data: null\n\n", b": " + b"y" * 5000 + b"\n\n",
                    b"event: unknown\ndata: {\"type\":\"unknown\"}\n\n"):
        server = case.serve(*[Answer([text("the answer")], garble=("delta 0 0", garbage))] * 2)
        ran = case.ask(server, "go", wire=wire, env={"HELVE_MAX_RETRIES": "1"})
        assert ran.out in ("the answer\n", ""), (garbage[:30], ran)
        assert ran.code == 0 or ran.err.strip(), (garbage[:30], ran)
        assert not server.faults, server.faults


def test_nobody_listens(case):
    ran = case.helve("-p", "go", "--model", "anthropic:claude-sonnet-4-5", env={
        "ANTHROPIC_BASE_URL": "http://127.0.0.1:9/?key=hidden", "ANTHROPIC_API_KEY": KEY, "HELVE_MAX_RETRIES": "1"})
    assert ran.code not in (0, None) and "127.0.0.1:9" in ran.err, ran
    assert "hidden" not in ran.err and KEY not in ran.err, ran


# ---- time ----------------------------------------------------------------------------------------------------

@on(*WIRES)
def a_slow_stream_is_waited_for(case, wire):
    words = "slowly but surely"
    server = case.serve(Answer([text(words)], pace=0.1, wait=0.5, hang=("in stop 0" if wire != "openai-chat" else "in delta", 1.0)))
    said(case.ask(server, "go", wire=wire), words)
    clean(server, 1)


def test_a_journal_without_some_of_its_messages_goes_on_as_a_valid_conversation(case):
    """What is damaged is left out, a message, neighbours, or all but the last: the server takes each request that is made of the rest."""
    answers = [Answer([text("a"), call("LS", {"path": "."})]), Answer([call("LS", {"path": "."}), call("Read", {"file_path": "none"})]), Answer([text("end")])]
    case.ask(case.serve(*answers), "first")
    case.ask(case.serve(Answer([text("two")])), "second", "--continue")
    folder = os.path.join(case.home, "helve", "sessions")
    path, = [os.path.join(top, name) for top, _, names in os.walk(folder) for name in names if name.endswith(".jsonl")]
    with open(path, encoding="utf-8") as file:
        lines = file.readlines()
    said_at = [number for number, line in enumerate(lines) if '"type":"message"' in line]
    assert len(said_at) == 8, lines
    for gone in [{number} for number in said_at[:-1]] + [set(said_at[1:4]), set(said_at[:-1])]:
        with open(path, "w", encoding="utf-8") as file:
            file.write("".join("rubbish\n" if number in gone else line for number, line in enumerate(lines)))
        server = case.serve(Answer([text("three")]), alternate=False)  # the Messages API joins neighbours of one role
        ran = case.ask(server, "third", "--resume", path, "--fork-session")
        said(ran, "three")
        clean(server, 1)


@on(*WIRES)
def a_stream_that_falls_silent_counts_as_cut(case, wire):
    silent = ("in stop 0" if wire != "openai-chat" else "in delta", 30)
    server = case.serve(Answer([text("begins")], hang=silent), Answer([text("whole")]))
    said(case.ask(server, "go", wire=wire, env={"HELVE_IDLE_TIMEOUT": "1"}), "whole")
    clean(server, 2)


def test_an_interrupt_ends_a_waiting_stream_at_once(case):
    for number in (signal.SIGINT, signal.SIGTERM):
        server = case.serve(Answer([text("begins")], hang=("delta 0 0", 60)))
        process = case.start("-p", "go", "--model", "anthropic:claude-sonnet-4-5", server=server)
        try:
            until = time.monotonic() + 30
            while not server.requests and time.monotonic() < until:
                time.sleep(0.02)
            time.sleep(0.2)
            process.send_signal(number)
            _, err = process.communicate(timeout=600)
        finally:
            stop(process)
        assert process.returncode != 0, err
        assert b"Sanitizer" not in err, err
