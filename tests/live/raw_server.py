"""A server that sends given bytes: what servers of models really send, which no well-behaved one would.

    with RawServer([chat("Hello"), …]) as server: …; server.requests

Each answer is bytes, a list of (bytes, seconds to wait after them), or a function of the request's bytes that gives one of
these; the last one is given again and again. The connection is closed behind each, as if all had been said. A GET is
answered with the names of `models`, or 404.
"""
import json
import socket
import threading
import time


class RawServer:
    def __init__(self, answers, models=()):
        self.answers, self.requests, self.models = list(answers), [], models
        self.socket = socket.socket()
        self.socket.bind(("127.0.0.1", 0))
        self.socket.listen(16)
        self.url = f"http://127.0.0.1:{self.socket.getsockname()[1]}"
        self.lock, self.over = threading.Lock(), threading.Event()

    def __enter__(self):
        threading.Thread(target=self.run, daemon=True).start()
        return self

    def __exit__(self, *_):
        self.over.set()
        self.socket.close()

    def run(self):
        while True:
            try:
                connection, _ = self.socket.accept()
            except OSError:
                return
            threading.Thread(target=self.serve, args=(connection,), daemon=True).start()

    def serve(self, connection):
        try:
            body = read_request(connection)
            if body is None:
                found = self.models and {"object": "list", "data": [{"id": name, "object": "model"} for name in self.models]}
                connection.sendall(error("200 OK" if found else "404 Not Found", found or {"error": "no such path"}))
                return
            with self.lock:
                self.requests.append(json.loads(body))
                answer = self.answers[min(len(self.requests), len(self.answers)) - 1]
            answer = answer(body) if callable(answer) else answer
            for part, pause in [(answer, 0)] if isinstance(answer, bytes) else answer:
                connection.sendall(part)
                if self.over.wait(pause):
                    return
        except (OSError, ValueError):
            pass
        finally:
            connection.close()


def read_request(connection):
    """The body of a POST, or None."""
    data = b""
    while b"\r\n\r\n" not in data:
        part = connection.recv(65536)
        if not part:
            raise OSError
        data += part
    head, body = data.split(b"\r\n\r\n", 1)
    if head.startswith(b"GET "):
        return None
    length = next(int(line.split(b":")[1]) for line in head.split(b"\r\n") if line.lower().startswith(b"content-length"))
    while len(body) < length:
        body += connection.recv(65536)
    return body


# ---- answers ---------------------------------------------------------------------------------------------------

def dump(value):
    return value if isinstance(value, str) else json.dumps(value)


def head(kind="text/event-stream", status="200 OK", more=""):
    return f"HTTP/1.1 {status}\r\nContent-Type: {kind}\r\nConnection: close\r\n{more}\r\n".encode()


def data(value):
    return b"data: " + dump(value).encode() + b"\n\n"


def error(status, value, more="", kind="application/json"):
    body = value if isinstance(value, bytes) else dump(value).encode()
    return head(kind, status, f"Content-Length: {len(body)}\r\n{more}") + body


DONE = b"data: [DONE]\n\n"


def chunk(delta, finish=None, identity="c1"):
    delta = {"content": delta} if isinstance(delta, str) else delta
    return data({"id": identity, "object": "chat.completion.chunk", "model": "m", "choices": [{"index": 0, "delta": delta, "finish_reason": finish}]})


def chat(*deltas, finish="stop", done=True):
    """Deltas, or bytes as they are; then the reason, then the mark."""
    parts = b"".join(delta if isinstance(delta, bytes) else chunk(delta) for delta in deltas)
    return head() + parts + (chunk({}, finish) if finish else b"") + (DONE if done else b"")


def piece(index, identity, name, arguments, **more):
    """A piece of a call; what is None is left out."""
    function = {key: value for key, value in (("name", name), ("arguments", arguments)) if value is not None}
    return {**more, "type": "function", "function": function, **({} if index is None else {"index": index}),
            **({} if identity is None else {"id": identity})}


def calls(*pieces):
    return {"tool_calls": list(pieces)}


def events(*parts):
    return head() + b"".join(part if isinstance(part, bytes) else f"event: {part['type']}\ndata: {json.dumps(part)}\n\n".encode() for part in parts)


START = {"type": "message_start", "message": {"id": "msg_1", "type": "message", "role": "assistant", "content": [], "model": "x",
                                              "usage": {"input_tokens": 9, "output_tokens": 1}}}
STOP = {"type": "message_stop"}


def reason(word):
    return {"type": "message_delta", "delta": {"stop_reason": word}, "usage": {"output_tokens": 5}}


def tool(index, identity, name, value):
    return [{"type": "content_block_start", "index": index, "content_block": {"type": "tool_use", "id": identity, "name": name, "input": {}}},
            {"type": "content_block_delta", "index": index, "delta": {"type": "input_json_delta", "partial_json": dump(value)}},
            {"type": "content_block_stop", "index": index}]


def words(index, text):
    return [{"type": "content_block_start", "index": index, "content_block": {"type": "text", "text": ""}},
            {"type": "content_block_delta", "index": index, "delta": {"type": "text_delta", "text": text}},
            {"type": "content_block_stop", "index": index}]


def response(*items, status="completed", order=None, **more):
    """A stream of the Responses API: items announced in their order, ended in `order`."""
    parts = [{"type": "response.created", "response": {"id": "r"}}]
    for index, item in enumerate(items):
        begun = {**item, "arguments": ""} if item["type"] == "function_call" else item
        parts.append({"type": "response.output_item.added", "output_index": index, "item": begun})
    for index in order or range(len(items)):
        parts.append({"type": "response.output_item.done", "output_index": index, "item": items[index]})
    parts.append({"type": "response." + ("failed" if status == "failed" else "completed"),
                  "response": {"id": "r", "status": status, "output": list(items), **more}})
    return events(*parts)


def item(identity, name, value):
    return {"type": "function_call", "id": "fc_" + identity, "call_id": identity, "name": name, "arguments": dump(value)}


def said(text):
    return {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": text}]}


def message(wire, *parts, finish=None):
    """One message on any wire: a text, or (id, tool, input)."""
    asks = any(not isinstance(part, str) for part in parts)
    if wire == "anthropic":
        blocks = []
        for index, part in enumerate(parts):
            blocks += words(index, part) if isinstance(part, str) else tool(index, *part)
        return events(START, *blocks, reason(finish or ("tool_use" if asks else "end_turn")), STOP)
    if wire == "openai-chat":
        deltas, number = [], 0
        for part in parts:
            deltas.append(part if isinstance(part, str) else calls(piece(number, part[0], part[1], dump(part[2]))))
            number += not isinstance(part, str)
        return chat(*deltas, finish=finish or ("tool_calls" if asks else "stop"))
    items = [said(part) if isinstance(part, str) else item(*part) for part in parts]
    return response(*items, **({"status": "incomplete", "incomplete_details": {"reason": finish}} if finish else {}))
