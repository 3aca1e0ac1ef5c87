"""What tests of the running program share: a place of its own for each test, starting helve, reading what it says.

A test is a function test_… (case) in a file test_….py; its name is the sentence that it shows. It fails by an assertion.
"""
import json
import os
import shutil
import signal
import subprocess
import tempfile
import unittest

from server import Server

HELVE = os.path.abspath(os.environ.get("HELVE", "build/helve"))
TIMEOUT = 600  # of one run; it ends what hangs, on a slow machine too
KEY = "sk-test-0123456789abcdef"
MODELS = {"anthropic": "claude-sonnet-4-5", "openai-chat": "gpt-4o-mini", "openai-responses": "gpt-5"}


class Skip(unittest.SkipTest):
    """The test cannot run here; the reason is printed. Classes of unittest skip by it, too."""


class Ran:
    """How a run of helve ended."""

    def __init__(self, code, out, err):
        self.code, self.out, self.err = code, out, err

    @property
    def events(self):
        """The lines of --output-format stream-json."""
        return [json.loads(line) for line in self.out.splitlines() if line.strip()]

    @property
    def result(self):
        """The result of --output-format json, or the last line of stream-json."""
        return json.loads(self.out) if self.out.count("\n") <= 1 else self.events[-1]

    def __repr__(self):
        return f"exit {self.code}\n--- stdout\n{self.out[-3000:]}\n--- stderr\n{self.err[-3000:]}"


class Case:
    """The surroundings of one test: an empty project, a home, servers that end with it."""

    def __init__(self):
        self.root = os.path.realpath(tempfile.mkdtemp(prefix="helve-live-"))
        self.project, self.home = os.path.join(self.root, "project"), os.path.join(self.root, "home")
        os.makedirs(self.project)
        os.makedirs(self.home)
        self.servers = []

    def close(self):
        for server in self.servers:
            server.__exit__(None, None, None)
        shutil.rmtree(self.root, ignore_errors=True)

    def serve(self, *answers, **options):
        server = Server(answers, **options)
        server.__enter__()
        self.servers.append(server)
        return server

    def write(self, name, content):
        path = os.path.join(self.project, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "wb") as file:
            file.write(content.encode() if isinstance(content, str) else content)
        return path

    def read(self, name):
        with open(os.path.join(self.project, name), encoding="utf-8") as file:
            return file.read()

    def environment(self, server=None, extra=None):
        """Nothing of the person's own environment but what programs need."""
        kept = {name: os.environ[name] for name in ("PATH", "TZ", "LD_LIBRARY_PATH", "ASAN_OPTIONS", "UBSAN_OPTIONS", "TSAN_OPTIONS")
                if name in os.environ}
        made = {**kept, "HOME": self.home, "HELVE_HOME": os.path.join(self.home, "helve"), "LANG": "C.UTF-8", "TERM": "dumb",
                "HELVE_MAX_RETRIES": "3"}
        if server:
            made.update(ANTHROPIC_BASE_URL=server.url, ANTHROPIC_API_KEY=KEY, OPENAI_BASE_URL=server.url + "/v1", OPENAI_API_KEY=KEY)
        return {**made, **(extra or {})}

    def start(self, *arguments, server=None, env=None, **options):
        """helve as a process; its whole group ends with stop()."""
        streams = {"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE, **options}
        return subprocess.Popen([HELVE, *arguments], cwd=self.project, env=self.environment(server, env), start_new_session=True, **streams)

    def helve(self, *arguments, server=None, env=None, stdin=None, timeout=TIMEOUT):
        process = self.start(*arguments, server=server, env=env, stdin=subprocess.PIPE if stdin is not None else subprocess.DEVNULL)
        try:
            out, err = process.communicate(stdin.encode() if isinstance(stdin, str) else stdin, timeout)
        except subprocess.TimeoutExpired as late:
            stop(process)
            out, err = process.communicate()
            ran = Ran(None, out.decode(errors="replace"), err.decode(errors="replace"))
            raise AssertionError(f"helve did not end within {timeout} s: {ran}") from late
        ran = Ran(process.returncode, out.decode(errors="replace"), err.decode(errors="replace"))
        assert "Sanitizer" not in ran.err and "runtime error:" not in ran.err, ran
        assert ran.code is not None and ran.code >= 0, f"ended by a signal: {ran}"
        return ran

    def ask(self, server, prompt, *arguments, wire="anthropic", model=None, **options):
        """helve -p PROMPT with the model of a wire."""
        return self.helve("-p", prompt, "--model", f"{wire}:{model or MODELS[wire]}", *arguments, server=server, **options)


def stop(process):
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except ProcessLookupError:
        pass
