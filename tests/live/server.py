#!/usr/bin/env python3
"""A scripted model server: speaks the Messages, Chat Completions and Responses APIs over HTTP with event streams.

In a test:     with Server([Answer([text("hi")]), …]) as server: …; server.requests; server.faults
From a shell:  server.py SCRIPT.json [--port N] [--record FILE]    prints its address; SCRIPT is a list of answers (wires.Answer's members)

Answers are given in the order of the requests; an item may be a function of the request. Each request is checked as the real
API would (validate.py); a fault is answered with 400 and kept in server.faults. One thread a connection; at most 64.
"""
import argparse
import json
import socket
import struct
import sys
import threading
import time
import zlib
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import validate
import wires
from wires import Answer

PATHS = {"/v1/messages": "anthropic", "/v1/chat/completions": "openai-chat", "/v1/responses": "openai-responses"}
BODY_MAX = 32 << 20
CONNECTIONS_MAX = 64


class Cut(Exception):
    """The connection ends here."""


class Memory:
    """What was issued, for checks of what comes back."""

    def __init__(self, alternate=True):
        self.alternate = alternate
        self.thinking, self.redacted, self.calls_with_thought = {}, set(), set()

    def keep(self, answer):
        thought = False
        for block in answer.blocks:
            if block["type"] == "thinking":
                self.thinking[block.get("signature", "")] = block["thinking"]
                thought = True
            elif block["type"] == "redacted_thinking":
                self.redacted.add(block["data"])
                thought = True
            elif block["type"] == "tool_use" and thought:
                self.calls_with_thought.add(block.get("id"))

    def thought_in(self, calls):
        return any(block.get("id") in self.calls_with_thought for block in calls)


class Request:
    """One request as it came."""

    def __init__(self, number, handler, raw):
        self.number, self.path, self.raw = number, handler.path, raw
        self.wire = PATHS.get(handler.path.split("?")[0])
        self.headers = {name.lower(): value for name, value in handler.headers.items()}
        self.connection = handler.client_address[1]
        self.time = time.monotonic()
        self.gone = threading.Event()  # set when the client left before the end of the answer
        try:
            self.body = json.loads(raw)
        except (ValueError, RecursionError):
            self.body = None

    @property
    def messages(self):
        return self.body.get("messages") or self.body.get("input")

    def results(self):
        """What the tools gave in the last message, as text, in order."""
        found = []
        if self.wire == "anthropic":
            for block in self.messages[-1]["content"]:
                if block["type"] == "tool_result":
                    content = block.get("content", "")
                    found.append(content if isinstance(content, str) else "".join(part.get("text", "") for part in content))
            return found
        key, kind = ("content", "tool") if self.wire == "openai-chat" else ("output", "function_call_output")
        for item in reversed(self.messages):
            if item.get("role") != kind and item.get("type") != kind:
                break
            value = item[key]
            found.insert(0, value if isinstance(value, str) else "".join(part.get("text", "") for part in value))
        return found

    def text(self):
        return self.raw.decode("utf-8", "replace")


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    wbufsize = 0

    def setup(self):
        super().setup()
        self.connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)

    def log_message(self, *arguments):
        pass

    def handle(self):
        if not self.server.slots.acquire(blocking=False):  # pylint: disable=consider-using-with
            return
        try:
            super().handle()
        except (Cut, ConnectionError, TimeoutError):
            self.close_connection = True
        finally:
            self.server.slots.release()

    def do_GET(self):  # pylint: disable=invalid-name
        known = self.path.startswith("/v1/models") and self.server.owner.models
        models = {"object": "list", "data": [{"id": name, "object": "model", "type": "model", "display_name": name}
                                             for name in self.server.owner.models]}
        self.whole(200 if known else 404, json.dumps(models).encode(), {})

    def do_POST(self):  # pylint: disable=invalid-name
        length = int(self.headers.get("Content-Length") or 0)
        raw = self.rfile.read(min(length, BODY_MAX + 1)) if length <= BODY_MAX else b""
        request, answer = self.server.owner.take(self, raw, length)
        self.answer(request, answer)

    # ---- answers

    def whole(self, status, body, headers, content_type="application/json"):
        self.send_response(status, "Overloaded" if status == 529 else None)
        self.send_header("Content-Type", content_type)
        self.send_header("Content-Length", str(len(body)))
        for name, value in headers.items():
            self.send_header(name, str(value))
        self.end_headers()
        self.wfile.write(body)

    def answer(self, request, answer):
        if answer.wait:
            time.sleep(answer.wait)
        wire = request.wire or "anthropic"
        headers = {"request-id": f"req_{request.number:04d}", **answer.headers}
        if answer.error:
            body = json.dumps(wires.WIRES[wire][1](*answer.error)).encode()
            self.whole(answer.status, body, headers)
        elif answer.body is not None:
            body = answer.body.encode() if isinstance(answer.body, str) else answer.body
            self.whole(answer.status, body, headers, answer.content_type or "text/html")
        else:
            self.server.owner.stream(self, request, answer, headers)
        if not answer.keep_alive:
            self.close_connection = True


class Writer:
    """Sends the bytes of a stream as its answer asks: in which pieces, when, and how far."""

    def __init__(self, handler, answer, request):
        self.handler, self.answer, self.request = handler, answer, request
        self.chunked = answer.chunked
        self.packer = None
        if answer.gzip:
            self.packer = zlib.compressobj(wbits=31)

    def send(self, data):
        if not data:
            return
        if self.packer:
            data = self.packer.compress(data) + self.packer.flush(zlib.Z_SYNC_FLUSH)
        if self.chunked:
            data = b"%x\r\n%s\r\n" % (len(data), data)
        try:
            self.handler.wfile.write(data)
        except ConnectionError:
            self.request.gone.set()
            raise
        if self.answer.pace:
            time.sleep(self.answer.pace)

    def finish(self):
        if self.packer:
            data = self.packer.flush()
            self.handler.wfile.write(b"%x\r\n%s\r\n" % (len(data), data) if self.chunked else data)
        if self.chunked:
            self.handler.wfile.write(b"0\r\n\r\n")
        else:
            self.handler.close_connection = True

    def end_early(self):
        self.handler.close_connection = True
        if self.answer.reset:
            self.handler.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        raise Cut


def split_at(frames, place):
    """Offset of a place in the stream: a number of bytes; a frame's label (its start); "in LABEL" (its middle), "after LABEL";
    "utf8" (inside the first character of several bytes)."""
    data = b"".join(part for _, part in frames)
    if isinstance(place, int):
        return place
    if place == "utf8":
        return next(index for index, byte in enumerate(data) if byte >= 0xc2) + 1
    where, _, rest = place.partition(" ")
    label = rest if where in ("in", "after") else place
    offset = 0
    for name, part in frames:
        if name == label:
            return offset + (len(part) // 2 if where == "in" else len(part) if where == "after" else 0)
        offset += len(part)
    raise ValueError(f"no place {place} in the stream; places are {', '.join(name for name, _ in frames)}")


class Server:
    def __init__(self, answers, *, key=None, model=None, port=0, check=True, record=None, alternate=True, models=("test-model",)):
        self.models = models  # what GET /v1/models lists; nothing: there is no such path
        self.answers, self.key, self.model, self.check, self.record = list(answers), key, model, check, record
        self.requests, self.faults, self.memory = [], [], Memory(alternate)
        self.lock = threading.Lock()
        self.http = ThreadingHTTPServer(("127.0.0.1", port), Handler)
        self.http.daemon_threads = True
        self.http.owner = self
        self.http.slots = threading.Semaphore(CONNECTIONS_MAX)
        self.port = self.http.server_address[1]
        self.url = f"http://127.0.0.1:{self.port}"
        self.thread = threading.Thread(target=self.http.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)

    def __enter__(self):
        self.thread.start()
        return self

    def __exit__(self, *_):
        self.http.shutdown()
        self.http.server_close()

    # ---- choosing the answer

    def take(self, handler, raw, length):
        with self.lock:
            request = Request(len(self.requests) + 1, handler, raw)
            self.requests.append(request)
            if self.record:
                with open(self.record, "a", encoding="utf-8") as file:
                    file.write(json.dumps({"path": request.path, "headers": request.headers, "body": request.body}) + "\n")
            answer = self.refuse(request, length)
            if answer is None and self.answers:
                answer = self.answers.pop(0)
                if callable(answer):
                    answer = answer(request)
                if isinstance(answer, dict):
                    answer = Answer(**answer)
            elif answer is None:
                self.faults.append(f"request {request.number}: no answer is left in the script")
                answer = Answer(status=400, error=("invalid_request_error", "the script of the test has ended"))
            return request, answer

    def refuse(self, request, length):
        """The answer of an API that does not take this request, or None."""
        if request.wire is None:
            return self.fault(request, 404, "not_found_error", [f"no such path: {request.path}"])
        if length > BODY_MAX:
            return self.fault(request, 413, "request_too_large", ["request exceeds the maximum size"])
        given = request.headers.get("x-api-key") or request.headers.get("authorization", "").replace("Bearer ", "")
        if self.key is not None and given != self.key:
            return Answer(status=401, error=("authentication_error", "invalid x-api-key"))
        faults = self.head_faults(request)
        if request.body is None or not isinstance(request.body, dict):
            faults.append("body: not a JSON object")
        elif self.check:
            faults += validate.CHECKS[request.wire](request.body, self.memory)
            if self.model and request.body.get("model") != self.model:
                return Answer(status=404, error=("not_found_error", f"model: {request.body.get('model')}"))
        return self.fault(request, 400, "invalid_request_error", faults) if faults else None

    def head_faults(self, request):
        faults = []
        if request.headers.get("content-type", "").split(";")[0] != "application/json":
            faults.append("header content-type: must be application/json")
        if request.wire == "anthropic" and request.headers.get("anthropic-version") != "2023-06-01":
            faults.append("header anthropic-version: header is required")
        return faults

    def fault(self, request, status, kind, faults):
        self.faults += [f"request {request.number}: {fault}" for fault in faults]
        return Answer(status=status, error=(kind, "; ".join(faults)[:2000]))

    # ---- streams

    def stream(self, handler, request, answer, headers):
        frames = list(wires.stream(request.wire, answer, request.body.get("model", "test-model"), request.number))
        with self.lock:
            self.memory.keep(answer)
        handler.send_response(answer.status)
        handler.send_header("Content-Type", answer.content_type or "text/event-stream; charset=utf-8")
        if answer.gzip:
            handler.send_header("Content-Encoding", "gzip")
        if answer.chunked:
            handler.send_header("Transfer-Encoding", "chunked")
        else:
            handler.send_header("Connection", "close")
        for name, value in headers.items():
            handler.send_header(name, str(value))
        handler.end_headers()
        self.write(Writer(handler, answer, request), frames, answer)

    @staticmethod
    def write(writer, frames, answer):
        data = b"".join(part for _, part in frames)
        cut = split_at(frames, answer.cut) if answer.cut is not None else None
        hang = split_at(frames, answer.hang[0]) if answer.hang else None
        ends, offset = [], 0
        for _, part in frames:
            offset += len(part)
            ends.append(offset)
        stops = set(range(answer.piece, len(data), answer.piece)) | {len(data)} if answer.piece else set(ends)
        stops |= {place for place in (cut, hang) if place is not None}
        start = 0
        for stop in sorted(stops):
            if hang is not None and start >= hang:
                hang = None
                time.sleep(answer.hang[1])
            if cut is not None and start >= cut:
                writer.end_early()
            writer.send(data[start:stop])
            start = stop
        if cut is not None:
            writer.end_early()
        writer.finish()


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("script", help="JSON: a list of answers; the last one is repeated")
    parser.add_argument("--port", type=int, default=0)
    parser.add_argument("--record", help="append each request to this file")
    arguments = parser.parse_args()
    with open(arguments.script, encoding="utf-8") as file:
        script = json.load(file)

    class Endless(list):
        def pop(self, index=-1):
            return super().pop(index) if len(self) > 1 else dict(self[0])

    with Server([], port=arguments.port, record=arguments.record) as server:
        server.answers = Endless(script)
        print(server.url, flush=True)
        try:
            threading.Event().wait()
        except KeyboardInterrupt:
            pass


if __name__ == "__main__":
    sys.exit(main())
