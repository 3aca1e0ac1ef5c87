"""A terminal for tests: helve in a pane of a tmux server of its own, which ends with it."""
import os
import re
import shlex
import shutil
import subprocess
import tempfile
import time

from harness import HELVE, MODELS, Skip

WAIT = 120  # what did not come by then never does, on a slow machine too


class Terminal:
    """with Terminal(case, server, …) as terminal: terminal.type("go\r"); terminal.wait("text that shall appear")"""

    def __init__(self, case, server, *arguments, columns=80, rows=30, env=None, model=None, background=None):
        if not shutil.which("tmux"):
            raise Skip("tmux is not installed")
        # A socket of its own: a server that is just ending still answers at the last one, and ends the new session.
        self.case, self.socket = case, os.path.join(tempfile.mkdtemp(dir=case.root), "socket")
        model = f"anthropic:{MODELS['anthropic']}" if model is None else model
        words = [HELVE, *(["--model", model] if model else []), *arguments]
        variables = {**case.environment(server, env), "TERM": "screen-256color"}
        if env and "TERM" in env:
            variables["TERM"] = env["TERM"]
        self.errors = os.path.join(case.root, "stderr")
        exports = " ".join(f"{name}={shlex.quote(value)}" for name, value in variables.items())
        command = f"cd {shlex.quote(case.project)} && env -i {exports} {shlex.join(words)} 2>{self.errors}; echo ENDED $?; stty -a; exec sleep 1000"
        config = "/dev/null"
        if background:
            config = case.write("tmux.conf", f"set -g window-style bg={background}\n")
        self.tmux("-f", config, "new-session", "-d", "-x", str(columns), "-y", str(rows), "sh", "-c", command)
        self.tmux("set-option", "-g", "history-limit", "100000")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        subprocess.run(["tmux", "-S", self.socket, "kill-server"], check=False, capture_output=True)

    def tmux(self, *words):
        env = {"PATH": os.environ["PATH"], "HOME": self.case.home, "LANG": "C.UTF-8"}
        done = subprocess.run(["tmux", "-u", "-S", self.socket, *words], check=True, capture_output=True, env=env, cwd=self.case.root)
        return done.stdout.decode()

    def type(self, text):
        """Keys as bytes: \r is Enter, \x1b Esc."""
        for piece in re.findall(r"[^\r\x1b\x7f]+|[\r\x1b\x7f]", text):
            self.tmux("send-keys", "-l", "--", piece)

    def prompt(self, words):
        """Type a prompt once the session is ready for it."""
        self.wait("> ")
        self.type(words + "\r")

    def screen(self):
        return self.tmux("capture-pane", "-p")

    def all(self):
        """Scroll-back and screen, wrapped lines joined."""
        return self.tmux("capture-pane", "-p", "-J", "-S", "-")

    def wait(self, *wanted, gone=(), whole=True):
        """Until all of these stand there (and those are gone): what stands there then."""
        end = time.monotonic() + WAIT
        while True:
            shown = self.all() if whole else self.screen()
            if all(one in shown for one in wanted) and not any(one in shown for one in gone):
                return shown
            if time.monotonic() > end:
                with open(self.errors, encoding="utf-8", errors="replace") as errors:
                    raise AssertionError(f"never came: {wanted}, without {gone}\n{shown}\n--- stderr\n{errors.read()}")
            time.sleep(0.02)

    def resize(self, columns, rows):
        self.tmux("resize-window", "-x", str(columns), "-y", str(rows))
