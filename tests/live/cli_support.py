"""What the live tests of the command line share: a fresh home and project for each test, and ways to run helve there.

The program under test is named by the environment variable HELVE. Only the standard library is used.
"""
import json
import os
import shutil
import signal
import subprocess
import tempfile
import time
import unittest

from harness import Skip

HELVE = os.path.abspath(os.environ.get("HELVE", "build/helve"))
LIMIT = 600  # seconds for one run: it ends what hangs, on a slow machine too


def use(tool, **given):
    """A tool_use block; the id may be given as id=…"""
    return {"type": "tool_use", "id": given.pop("id", "toolu_%s" % tool), "name": tool, "input": given.pop("input", given)}


def say(text):
    return {"type": "text", "text": text}


def message(*blocks, **more):
    """One recorded answer of a model."""
    calls = any(block["type"] == "tool_use" for block in blocks)
    answer = {"content": list(blocks), "stop_reason": "tool_use" if calls else "end_turn",
              "usage": {"input_tokens": 10, "output_tokens": 5}}
    answer.update(more)
    return answer


class Case(unittest.TestCase):
    def setUp(self):
        self.top = os.path.realpath(tempfile.mkdtemp(prefix="helve-live-"))
        self.addCleanup(shutil.rmtree, self.top, ignore_errors=True)
        self.home = os.path.join(self.top, "home")
        self.project = os.path.join(self.top, "project")
        os.makedirs(self.home)
        os.makedirs(self.project)
        keep = ("PATH", "LANG", "LC_ALL", "TMPDIR", "ASAN_OPTIONS", "UBSAN_OPTIONS", "LSAN_OPTIONS", "TSAN_OPTIONS")
        self.env = {name: os.environ[name] for name in keep if name in os.environ}
        self.env.update(HOME=self.home, TERM="dumb")

    # ---- files ----

    def path(self, name):
        return os.path.join(self.project, name)

    def write(self, name, text):
        path = self.path(name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "wb" if isinstance(text, bytes) else "w") as file:
            file.write(text)
        return path

    def read(self, name):
        with open(self.path(name)) as file:
            return file.read()

    def settings(self, value, text=None):
        """The person's own settings."""
        path = os.path.join(self.home, ".config/helve/settings.json")
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w") as file:
            file.write(text if text is not None else json.dumps(value))
        return path

    def recording(self, *messages, name="model.jsonl"):
        path = os.path.join(self.top, name)
        with open(path, "w") as file:
            for one in messages:
                file.write(json.dumps(one) + "\n")
        return "replay:" + path

    def journals(self):
        found = []
        for folder, _, files in os.walk(os.path.join(self.home, ".local/state/helve/sessions")):
            found += [os.path.join(folder, file) for file in files if file.endswith(".jsonl")]
        return sorted(found, key=os.path.getmtime)

    def events(self, path, kind=None):
        with open(path) as file:
            lines = [json.loads(line) for line in file if line.endswith("\n")]
        return [line for line in lines if kind is None or line["type"] == kind]

    # ---- running ----

    def start(self, *arguments, **options):
        options.setdefault("cwd", self.project)
        options.setdefault("env", self.env)
        for name in ("stdin", "stdout", "stderr"):
            options.setdefault(name, subprocess.PIPE)
        return subprocess.Popen([HELVE, *arguments], **options)

    def needs_testing_tool(self):
        """TestingPermission (src/tools/testing_permission.c): for tests of questions, whatever is asked about."""
        if "TestingPermission" not in self.run_helve("tool", "list"):
            self.skipTest("this is no test build (meson -Dtests=true)")

    def run_helve(self, *arguments, stdin=b"", code=0, **options):
        """Run to the end, check the exit code and that no sanitizer spoke; stdout and stderr come back as text."""
        if isinstance(stdin, str):
            stdin = stdin.encode()
        process = self.start(*arguments, **options)
        try:
            out, err = process.communicate(stdin, timeout=LIMIT)
        except subprocess.TimeoutExpired:
            process.kill()
            out, err = process.communicate()
            self.fail("helve %s hangs\n%s\n%s" % (" ".join(arguments), out.decode(), err.decode()))
        out, err = (out or b"").decode("utf-8", "strict"), (err or b"").decode("utf-8", "replace")
        self.assertNotIn("Sanitizer", err)
        self.assertNotIn("runtime error", err)
        if code is not None:
            self.assertEqual(process.returncode, code, "helve %s\n%s\n%s" % (" ".join(arguments), out, err))
        self.code, self.out, self.err = process.returncode, out, err
        return out

    def complaints(self):
        """What the last run said on stderr, but for what sandbox this machine has."""
        return [line for line in self.err.splitlines() if not line.startswith("helve: sandbox: ")]

    def lines(self, *arguments, **options):
        """Run; stdout as a list of JSON values."""
        return [json.loads(line) for line in self.run_helve(*arguments, **options).splitlines()]

    def execute(self, *blocks, flags=(), **options):
        """Run tool_use blocks through `helve exec`; the results by call id."""
        text = "".join(json.dumps(block) + "\n" for block in blocks)
        results = self.lines("exec", *flags, stdin=text, **options)
        return {result["tool_use_id"]: result for result in results if result.get("type") == "tool_result"}

    def sleeper(self):
        """A command that says that it runs (the file "pid") and then sleeps; alive() finds it whatever numbers it sees."""
        return "echo $$ > pid; sleep 100; : asleep-in-%s" % os.path.basename(self.top)

    def alive(self):
        mark = ("asleep-in-%s" % os.path.basename(self.top)).encode()
        for process in filter(str.isdigit, os.listdir("/proc")):
            try:
                with open("/proc/%s/cmdline" % process, "rb") as file:
                    if mark in file.read():
                        return True
            except OSError:
                pass
        return False

    def wait_until(self, holds, seconds=LIMIT):
        end = time.monotonic() + seconds
        while not holds():
            if time.monotonic() > end:
                self.fail("nothing happened for %d s" % seconds)
            time.sleep(0.02)


def mount_alone(where):
    """The command after which mounts are seen by what it starts alone; where: a folder to try it on."""
    for command in (["unshare", "--mount"], ["unshare", "--map-root-user", "--mount"]):
        try:
            if subprocess.run([*command, "mount", "-t", "tmpfs", "none", where], stderr=subprocess.DEVNULL, check=False).returncode == 0:
                return command
        except FileNotFoundError:
            break
    raise Skip("no mount namespace can be made here")


def text_of(result):
    content = result["content"]
    return content if isinstance(content, str) else "\n".join(part.get("text", "") for part in content)


def interrupt(process, number=signal.SIGINT):
    process.send_signal(number)


def expose(names):
    """Give the tests of a module's classes as functions test_…(case), the form that `run` takes."""
    for kind in [value for value in list(names.values()) if isinstance(value, type) and issubclass(value, Case)]:
        for method in [name for name in dir(kind) if name.startswith("test_")]:
            def run(_case, kind=kind, method=method):
                result = unittest.TestResult()
                kind(method).run(result)
                for _, report in result.failures + result.errors:
                    raise AssertionError(report)
                for _, reason in result.skipped:
                    raise Skip(reason)
            names[method if method not in names else method + "_in_" + kind.__name__.lower()] = run


def main():
    unittest.main(verbosity=1)
