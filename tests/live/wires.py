"""Answers of a model, and how the three protocols put them on the wire.

An Answer holds content blocks in the neutral form (that of the Messages API):
  {"type": "text", "text": …}   {"type": "thinking", "thinking": …, "signature": …}   {"type": "redacted_thinking", "data": …}
  {"type": "tool_use", "name": …, "input": {…}}   with "id" (made when absent) and "raw_input" (bytes of the input as sent)
any other block is sent whole. Encoders give frames: (label, bytes); labels name places where a stream can be cut.
"""
import json
from dataclasses import dataclass, field


@dataclass
class Answer:
    """One scripted response; every member is also a key of a script file."""
    blocks: list = field(default_factory=list)
    stop: str = ""                 # neutral stop reason; "" follows from the blocks
    stop_details: dict = None
    usage: dict = field(default_factory=lambda: {"input_tokens": 100, "output_tokens": 20})
    # HTTP
    status: int = 200
    error: tuple = None            # (type, message) of an error answer, in the protocol's shape
    headers: dict = field(default_factory=dict)
    body: object = None            # bytes or text in place of the stream
    content_type: str = ""
    chunked: bool = True           # False: the end of the connection ends the stream
    keep_alive: bool = True
    gzip: bool = False
    # how the stream comes
    delta: int = 12                # characters a delta
    piece: int = 0                 # bytes a send; 0: a frame a send
    pace: float = 0.0              # seconds between sends
    wait: float = 0.0              # seconds before the status line
    hang: tuple = None             # (place, seconds): silence at that place
    cut: object = None             # place where the connection ends
    reset: bool = False            # a cut is a TCP reset
    garble: tuple = None           # (place, bytes): foreign bytes put in there
    fail: tuple = None             # (place, type, message): an error event, and the end
    crlf: bool = False
    comments: bool = False         # ": keep-alive" between events
    bare_end: bool = False         # leave out the last frame (message_stop, [DONE])
    quirks: tuple = ()             # of Chat Completions servers, see chat_frames


def text(words):
    return {"type": "text", "text": words}


def thinking(words, signature="sig-" + "A" * 40):
    return {"type": "thinking", "thinking": words, "signature": signature}


def call(name, arguments=None, identity=None, raw=None):
    block = {"type": "tool_use", "name": name, "input": arguments or {}}
    if identity is not None:
        block["id"] = identity
    if raw is not None:
        block["raw_input"] = raw
    return block


def pieces(words, size):
    return [words[i:i + size] for i in range(0, len(words), size)] or [""]


def raw_input(block):
    return block["raw_input"] if "raw_input" in block else json.dumps(block.get("input", {}), ensure_ascii=False)


def stop_of(answer):
    if answer.stop:
        return answer.stop
    return "tool_use" if any(block["type"] == "tool_use" for block in answer.blocks) else "end_turn"


# ---- Messages -------------------------------------------------------------------------------------------------

def event(name, data):
    return ("event: " + name + "\n" if name else "") + "data: " + (data if isinstance(data, str) else json.dumps(data, ensure_ascii=False)) + "\n\n"


def anthropic_block(index, block, size):
    """The frames of one block."""
    kind = block["type"]
    shown = {key: value for key, value in block.items() if key not in ("raw_input", "mark")}
    deltas = []
    if kind == "text":
        shown["text"] = ""
        deltas = [{"type": "text_delta", "text": part} for part in pieces(block["text"], size)]
    elif kind == "thinking":
        shown.update(thinking="", signature="")
        deltas = [{"type": "thinking_delta", "thinking": part} for part in pieces(block["thinking"], size)]
        deltas.append({"type": "signature_delta", "signature": block.get("signature", "")})
    elif kind in ("tool_use", "server_tool_use"):
        shown["input"] = {}
        raw = raw_input(block)
        deltas = [{"type": "input_json_delta", "partial_json": part} for part in [""] + (pieces(raw, size) if raw else [])]
    yield f"block {index}", event("content_block_start", {"type": "content_block_start", "index": index, "content_block": shown})
    for number, delta in enumerate(deltas):
        yield f"delta {index} {number}", event("content_block_delta", {"type": "content_block_delta", "index": index, "delta": delta})
    yield f"stop {index}", event("content_block_stop", {"type": "content_block_stop", "index": index})


def anthropic_frames(answer, model, number):
    usage = dict(answer.usage)
    start = {"id": f"msg_{number:04d}", "type": "message", "role": "assistant", "model": model, "content": [], "stop_reason": None,
             "stop_sequence": None, "usage": {**usage, "output_tokens": 1}}
    yield "start", event("message_start", {"type": "message_start", "message": start})
    yield "ping", event("ping", {"type": "ping"})
    for index, block in enumerate(answer.blocks):
        yield from anthropic_block(index, block, answer.delta)
    delta = {"stop_reason": stop_of(answer), "stop_sequence": None}
    if answer.stop_details:
        delta["stop_details"] = answer.stop_details
    yield "delta", event("message_delta", {"type": "message_delta", "delta": delta, "usage": {"output_tokens": usage.get("output_tokens", 1)}})
    yield "end", event("message_stop", {"type": "message_stop"})


def anthropic_error(kind, message):
    return {"type": "error", "error": {"type": kind, "message": message}, "request_id": "req_test"}


# ---- Chat Completions -----------------------------------------------------------------------------------------

CHAT_STOPS = {"end_turn": "stop", "tool_use": "tool_calls", "max_tokens": "length", "refusal": "content_filter"}


def chat_call(answer, index, block):
    """Deltas of one call. Quirks: no_id, no_index, empty_id (later deltas), repeat_name, whole (one delta), object (arguments)."""
    raw = raw_input(block)
    head = {"index": index, "id": block["id"], "type": "function", "function": {"name": block["name"], "arguments": ""}}
    if "no_id" in answer.quirks:
        del head["id"]
    if "whole" in answer.quirks or "object" in answer.quirks:
        head["function"]["arguments"] = json.loads(raw) if "object" in answer.quirks else raw
        deltas = [head]
    else:
        deltas = [head] + [{"index": index, "function": {"arguments": part}} for part in (pieces(raw, answer.delta) if raw else [])]
    for delta in deltas:
        if "no_index" in answer.quirks:
            delta.pop("index", None)
        if delta is not head and "empty_id" in answer.quirks:
            delta["id"] = ""
        if delta is not head and "repeat_name" in answer.quirks:
            delta["function"]["name"] = block["name"]
        yield delta


def chat_frames(answer, model, number):
    """Further quirks: stop_with_calls (finish_reason stop), nulls (all members present), reasoning (its newer name), no_usage."""
    def chunk(delta, finish=None):
        if "nulls" in answer.quirks:
            delta = {"role": None, "content": None, "reasoning_content": None, "tool_calls": None, "refusal": None, **delta}
        return event("", {"id": f"chatcmpl-{number:04d}", "object": "chat.completion.chunk", "created": 1700000000, "model": model,
                          "choices": [{"index": 0, "delta": delta, "logprobs": None, "finish_reason": finish}]})
    yield "start", chunk({"role": "assistant", "content": ""})
    calls = 0
    for index, block in enumerate(answer.blocks):
        if block["type"] == "text":
            deltas = [{"content": part} for part in pieces(block["text"], answer.delta)]
        elif block["type"] == "thinking":
            name = "reasoning" if "reasoning" in answer.quirks else "reasoning_content"
            deltas = [{name: part} for part in pieces(block["thinking"], answer.delta)]
        elif block["type"] == "tool_use":
            deltas = [{"tool_calls": [delta]} for delta in chat_call(answer, calls, block)]
            calls += 1
        elif block["type"] == "refusal":
            deltas = [{"refusal": part} for part in pieces(block["refusal"], answer.delta)]
        else:
            continue
        for part, delta in enumerate(deltas):
            yield f"delta {index} {part}", chunk(delta)
        yield f"stop {index}", ""
    finish = "stop" if "stop_with_calls" in answer.quirks else CHAT_STOPS.get(stop_of(answer), stop_of(answer))
    yield "delta", chunk({}, finish)
    if "no_usage" not in answer.quirks:
        read, written = answer.usage.get("input_tokens", 0), answer.usage.get("output_tokens", 0)
        yield "usage", event("", {"id": f"chatcmpl-{number:04d}", "object": "chat.completion.chunk", "created": 1700000000, "model": model, "choices": [],
                                  "usage": {"prompt_tokens": read, "completion_tokens": written, "total_tokens": read + written}})
    yield "end", event("", "[DONE]")


def openai_error(kind, message):
    return {"error": {"message": message, "type": kind, "param": None, "code": None}}


# ---- Responses ------------------------------------------------------------------------------------------------

def responses_item(block, identity):
    """The complete item of a block."""
    if block["type"] == "thinking":
        return {"id": "rs_" + identity, "type": "reasoning", "summary": [{"type": "summary_text", "text": block["thinking"]}],
                "encrypted_content": block.get("signature", "")}
    if block["type"] == "tool_use":
        return {"id": "fc_" + identity, "type": "function_call", "status": "completed", "arguments": raw_input(block), "call_id": block["id"],
                "name": block["name"]}
    part = {"type": "refusal", "refusal": block["refusal"]} if block["type"] == "refusal" else \
        {"type": "output_text", "text": block["text"], "annotations": block.get("annotations", []), "logprobs": []}
    return {"id": "msg_" + identity, "type": "message", "status": "completed", "role": "assistant", "content": [part]}


def responses_deltas(block, item, place, size):
    """(event type, members) between the item's announcement and its end."""
    if block["type"] == "thinking":
        place = {**place, "summary_index": 0}
        yield "response.reasoning_summary_part.added", {**place, "part": {"type": "summary_text", "text": ""}}
        for part in pieces(block["thinking"], size):
            yield "response.reasoning_summary_text.delta", {**place, "delta": part}
        yield "response.reasoning_summary_text.done", {**place, "text": block["thinking"]}
        yield "response.reasoning_summary_part.done", {**place, "part": item["summary"][0]}
    elif block["type"] == "tool_use":
        raw = raw_input(block)
        for part in pieces(raw, size) if raw else []:
            yield "response.function_call_arguments.delta", {**place, "delta": part}
        yield "response.function_call_arguments.done", {**place, "arguments": raw}
    else:
        place = {**place, "content_index": 0}
        part = item["content"][0]
        kind = "refusal" if part["type"] == "refusal" else "output_text"
        words = part["refusal" if kind == "refusal" else "text"]
        yield "response.content_part.added", {**place, "part": {**part, "refusal" if kind == "refusal" else "text": ""}}
        for piece in pieces(words, size):
            yield f"response.{kind}.delta", {**place, "delta": piece}
        yield f"response.{kind}.done", {**place, "refusal" if kind == "refusal" else "text": words}
        yield "response.content_part.done", {**place, "part": part}


def responses_frames(answer, model, number):
    sequence = 0

    def frame(label, kind, members):
        nonlocal sequence
        sequence += 1
        return label, event(kind, {"type": kind, "sequence_number": sequence - 1, **members})
    response = {"id": f"resp_{number:04d}", "object": "response", "created_at": 1700000000, "status": "in_progress", "error": None,
                "incomplete_details": None, "model": model, "output": [], "usage": None}
    yield frame("start", "response.created", {"response": response})
    yield frame("ping", "response.in_progress", {"response": response})
    output = []
    shown = [block for block in answer.blocks if block["type"] in ("text", "thinking", "tool_use", "refusal")]
    for index, block in enumerate(shown):
        item = responses_item(block, f"{number:04d}_{index}")
        begun = {**item, "status": "in_progress"} if "status" in item else dict(item)
        begun.update({"content": []} if item["type"] == "message" else {"arguments": ""} if item["type"] == "function_call" else {"summary": []})
        yield frame(f"block {index}", "response.output_item.added", {"output_index": index, "item": begun})
        place = {"item_id": item["id"], "output_index": index}
        for part, (kind, members) in enumerate(responses_deltas(block, item, place, answer.delta)):
            yield frame(f"delta {index} {part}", kind, members)
        yield frame(f"stop {index}", "response.output_item.done", {"output_index": index, "item": item})
        output.append(item)
    stop = stop_of(answer)
    cut = {"max_tokens": "max_output_tokens", "refusal": "content_filter"}.get(stop)
    read, written = answer.usage.get("input_tokens", 0), answer.usage.get("output_tokens", 0)
    usage = {"input_tokens": read, "input_tokens_details": {"cached_tokens": 0}, "output_tokens": written,
             "output_tokens_details": {"reasoning_tokens": 0}, "total_tokens": read + written}
    done = {**response, "output": output, "usage": usage, "status": "incomplete" if cut else "completed",
            "incomplete_details": {"reason": cut} if cut else None}
    yield frame("end", "response.incomplete" if cut else "response.completed", {"response": done})


# ---- all ------------------------------------------------------------------------------------------------------

WIRES = {
    "anthropic": (anthropic_frames, anthropic_error, "toolu_"),
    "openai-chat": (chat_frames, openai_error, "call_"),
    "openai-responses": (responses_frames, openai_error, "call_"),
}


def error_frame(wire, kind, message):
    if wire == "anthropic":
        return event("error", anthropic_error(kind, message))
    if wire == "openai-chat":
        return event("", openai_error(kind, message))
    return event("error", {"type": "error", "sequence_number": 99, "code": kind, "message": message, "param": None})


def stream(wire, answer, model, number):
    """The frames of an answer as bytes, with what disturbs them; calls without an id have got one in the answer."""
    make, _, prefix = WIRES[wire]
    for index, block in enumerate(answer.blocks):
        if block["type"] == "tool_use" and "id" not in block:
            block["id"] = f"{prefix}{number:04d}x{index}"
    frames = []
    for label, words in make(answer, model, number):
        if answer.fail and label == answer.fail[0]:
            frames.append(("failure", error_frame(wire, *answer.fail[1:])))
            break
        if answer.garble and label == answer.garble[0]:
            frames.append(("garbled", answer.garble[1]))
        if label != "end" or not answer.bare_end:
            frames.append((label, words))
        if answer.comments and words:
            frames.append(("comment", ": keep-alive\n\n"))
    for label, words in frames:
        data = words if isinstance(words, bytes) else words.encode("utf-8", "surrogatepass")
        yield label, data.replace(b"\n", b"\r\n") if answer.crlf else data
