"""Questions and the door they come through: what answers them, where a call is judged, one answer through every door."""
import json
import os
import pty
import select
import subprocess
import time

from cli_support import HELVE, LIMIT, Case, expose, main, message, say, text_of, use


class Questions(Case):
    def on_terminal(self, *arguments, before=b"", steps=(), env=None):
        """Run on a terminal where `before` is typed at once; each step (what is waited for, what is typed then)."""
        pid, terminal = pty.fork()
        if pid == 0:
            os.chdir(self.project)
            os.execve(HELVE, [HELVE, *arguments], {**self.env, **(env or {})})
        self.addCleanup(os.close, terminal)
        os.write(terminal, before)
        seen, at, steps, end = "", 0, list(steps), time.monotonic() + LIMIT
        while time.monotonic() < end:
            if not select.select([terminal], [], [], 0.2)[0]:
                continue
            try:
                piece = os.read(terminal, 65536)
            except OSError:
                break
            if not piece:
                break
            seen += piece.decode("utf-8", "replace")
            if steps and steps[0][0] in seen[at:]:
                at = len(seen)
                os.write(terminal, steps.pop(0)[1])
        else:
            self.fail("hangs: " + seen)
        return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]), seen

    def test_what_was_typed_before_the_question_does_not_answer_it(self):
        self.needs_testing_tool()
        model = self.recording(message(use("TestingPermission", note="shall it be?"), delay_ms=700), message(say("the end")))
        code, seen = self.on_terminal("-p", "--model", model, "go", before=b"y\n", steps=[("told to the model) > ", b"n\n")])
        self.assertEqual(code, 0, seen)
        self.assertIn("shall it be?", seen)
        event = self.events(self.journals()[-1], "decision")[-1]
        self.assertEqual(event["name"], "deny", event)

    def test_the_testing_tool_always_asks(self):
        self.needs_testing_tool()
        model = self.recording(message(use("TestingPermission", note="one", id="a"), use("TestingPermission", note="two", id="b")),
                               message(say("the end")))
        self.run_helve("-p", "--model", model, "--permission-mode", "acceptEdits", "go")
        self.assertEqual([event["name"] for event in self.events(self.journals()[-1], "decision")], ["deny", "deny"])
        code, seen = self.on_terminal("-p", "--model", model, "go", steps=[("told to the model) > ", b"y\n")] * 2)
        self.assertEqual(code, 0, seen)
        self.assertEqual([event["name"] for event in self.events(self.journals()[-1], "decision")], ["allow", "allow"])

    def test_a_call_is_judged_where_the_cd_before_it_leaves(self):
        os.makedirs(self.path("q/inner"))
        self.settings({"permissions": {"allow": ["Bash(cd:*)", "Bash(rmdir inner)", "Bash(touch ../here)"], "deny": ["Edit(/%s)" % self.path("mark")]},
                       "sandbox": {"enabled": False}})
        results = self.execute(use("Bash", command="cd q", id="a"), use("Bash", command="touch mark", id="b"),
                               use("Bash", command="rmdir inner", id="c"))
        # In the directory at the start of the batch `mark` is denied; the one in q is another file, which is asked about.
        self.assertTrue(results["b"]["is_error"])
        self.assertIn("not given", text_of(results["b"]), results["b"])
        self.assertFalse(results["c"].get("is_error"), results["c"])
        self.assertFalse(os.path.exists(self.path("q/inner")))


    def test_nobody_is_asked_about_what_can_do_nothing(self):
        asked = os.path.join(self.top, "asked")
        allow = '{"hookSpecificOutput":{"hookEventName":"PermissionRequest","decision":{"behavior":"allow"}}}'
        self.settings({"hooks": {"PermissionRequest": [{"hooks": [{"type": "command", "command": "echo >> %s; echo '%s'" % (asked, allow)}]}]}})
        self.write("a.txt", "one\ntwo\n")
        cell = {"cell_type": "code", "id": "c", "source": "x", "metadata": {}, "outputs": [], "execution_count": None}
        self.write("n.ipynb", json.dumps({"cells": [cell], "metadata": {}, "nbformat": 4, "nbformat_minor": 5}))
        unread = [use("Edit", id="1", file_path="a.txt", old_string="one", new_string="1"),
                  use("MultiEdit", id="2", file_path="a.txt", edits=[{"old_string": "one", "new_string": "1"}]),
                  use("NotebookEdit", id="3", notebook_path="n.ipynb", cell_id="c", new_source="y"),
                  use("Edit", id="4", file_path="missing.txt", old_string="one", new_string="1")]
        for result in self.execute(*unread).values():
            self.assertIn("has not been read in this session", text_of(result))
        self.assertFalse(os.path.exists(asked))
        read = [use("Read", id="r", file_path="a.txt"), use("Read", id="n", file_path="n.ipynb")]
        results = self.execute(*read, use("Edit", id="1", file_path="a.txt", old_string="three", new_string="1"),
                               use("MultiEdit", id="2", file_path="a.txt", edits=[{"old_string": "four", "new_string": "1"}]),
                               use("NotebookEdit", id="3", notebook_path="n.ipynb", cell_id="other", new_source="y"))
        self.assertTrue(all(results[id]["is_error"] for id in "123"), results)
        self.assertFalse(os.path.exists(asked), results)
        # What an earlier call of the batch reads and writes counts.
        results = self.execute(*read, use("Edit", id="1", file_path="a.txt", old_string="one", new_string="first"),
                               use("Edit", id="2", file_path="a.txt", old_string="first", new_string="last"),
                               use("NotebookEdit", id="3", notebook_path="n.ipynb", cell_id="c", new_source="y"))
        self.assertFalse(any(results[id].get("is_error") for id in "123"), results)
        with open(self.path("a.txt")) as file:
            self.assertEqual(file.read(), "last\ntwo\n")
        with open(asked) as file:
            self.assertEqual(len(file.readlines()), 3)


CALLS = [
    ("Read", {"file_path": "a.txt"}), ("Read", {"file_path": ".env"}), ("Read", {"file_path": "/dev/zero"}),
    ("Read", {"file_path": "~/.ssh/id_rsa"}), ("Write", {"file_path": "new.txt", "content": "x"}),
    ("Write", {"file_path": "src/new.txt", "content": "x"}), ("Grep", {"pattern": "x", "path": "src"}), ("LS", {"path": "/dev"}),
    ("Bash", {"command": "ls /dev"}), ("Bash", {"command": "cat a.txt"}), ("Bash", {"command": "cat .env"}),
    ("Bash", {"command": "cat /dev/sda"}), ("Bash", {"command": "touch a"}), ("Bash", {"command": "touch b"}),
    ("Bash", {"command": "rm -rf /"}), ("Bash", {"command": "git status"}), ("Bash", {"command": "git add . && git status"}),
    ("Bash", {"command": "x=$(cat a.txt); echo $x"}), ("Bash", {"command": "curl http://example.com"}),
]
# Of these each mode decides some otherwise. Nobody serves at port 1: who may fetch there is told so.
SOME = [
    ("Read", {"file_path": "a.txt"}), ("Read", {"file_path": ".env"}), ("Read", {"file_path": "/etc/hosts"}), ("Read", {"file_path": "~/.ssh/id_rsa"}),
    ("Write", {"file_path": "new.txt", "content": "x"}), ("Write", {"file_path": ".mcp.json", "content": "{}"}), ("Bash", {"command": "cat a.txt"}),
    ("Bash", {"command": "touch a"}), ("Bash", {"command": "touch b"}), ("Bash", {"command": "./run"}), ("Bash", {"command": "sudo ls"}),
    ("WebFetch", {"url": "http://localhost:1/", "prompt": "x"}), ("WebFetch", {"url": "http://127.0.0.1:1/", "prompt": "x"}),
    ("WebFetch", {"url": "http://denied.test/", "prompt": "x"}),
]


class Doors(Case):
    """The same call gets the same verdict, whoever asks."""

    def setUp(self):
        super().setUp()
        self.write("a.txt", "x\n")
        self.write(".env", "KEY=1\n")
        self.write("src/x.c", "int x;\n")
        subprocess.run(["git", "init", "-q", self.project], check=False, env=self.env)
        self.settings({"permissions": {"allow": ["Edit(src/**)", "Bash(touch a)", "Bash(git add:*)", "WebFetch(domain:localhost)"],
                                       "deny": ["Read(.env)", "WebFetch(domain:denied.test)"]},
                       "sandbox": {"enabled": False}})

    @staticmethod
    def verdict_of(result_text, is_error):
        """What a result tells of its decision: nobody can be asked, so asking is said in words of its own."""
        if is_error and "Permission to use" in result_text and ("was not given" in result_text or "was denied" in result_text):
            return "no"
        return "yes" if "Permission" not in result_text else "no"

    def explained(self, tool, given, *flags, env=None):
        """None: hosts are not explained."""
        if tool == "WebFetch":
            return None
        named = ("bash", given["command"]) if tool == "Bash" else ("path", given.get("file_path", given.get("path")), "--tool", tool)
        out = self.run_helve("explain", *named, "--json", *flags, code=None, env=env or self.env)
        return "yes" if json.loads(out.splitlines()[0])["decision"] == "allow" else "no"

    def verdicts(self, results, calls):
        found = [results["toolu_case_%d" % i] for i in range(len(calls))]
        return [self.verdict_of(text_of(result), result.get("is_error", False)) for result in found]

    def tidy(self):
        """What calls have made goes: the next door finds what the one before found."""
        for name in ("a", "b", "new.txt", "src/new.txt", ".mcp.json"):
            if os.path.lexists(self.path(name)):
                os.unlink(self.path(name))

    def ask_at_every_door(self, calls, *flags):
        """The verdict on each call, which all doors must agree upon."""
        blocks = [use(tool, id="toolu_case_%d" % i, input=given) for i, (tool, given) in enumerate(calls)]
        answers = {"explain": [self.explained(tool, given, *flags) for tool, given in calls]}
        answers["exec"] = self.verdicts(self.execute(*blocks, flags=flags), calls)
        self.tidy()
        answers["tool call"] = []
        for tool, given in calls:
            block = json.loads(self.run_helve("tool", "call", tool, json.dumps(given), "--json", *flags, code=None))
            answers["tool call"].append(self.verdict_of(text_of(block), block.get("is_error", False)))
        self.tidy()
        # One call a message, as the other doors have it: calls of one message see what earlier ones changed.
        self.run_helve("-p", "--model", self.recording(*[message(block) for block in blocks], message(say("end"))), *flags, "go")
        self.tidy()
        decided = {}
        for event in self.events(self.journals()[-1], "decision"):
            decided[event["call_id"]] = "yes" if event["name"] == "allow" else "no"
        answers["session"] = [decided.get("toolu_case_%d" % i, "no") for i in range(len(calls))]
        for i, call in enumerate(calls):
            given = {door: verdicts[i] for door, verdicts in answers.items() if verdicts[i]}
            self.assertEqual(len(set(given.values())), 1, (flags, call, given))
        return answers["exec"]

    def test_one_answer_through_every_door(self):
        self.assertEqual({"yes", "no"}, set(self.ask_at_every_door(CALLS)))

    def test_one_answer_through_every_door_in_each_mode(self):
        of_mode = {mode: "".join(verdict[0] for verdict in self.ask_at_every_door(SOME, "--permission-mode", mode))
                   for mode in ("default", "acceptEdits", "plan", "bypassPermissions", "dontAsk")}
        self.assertEqual(of_mode, {"default": "ynnn" "nn" "yynnn" "ynn", "acceptEdits": "ynnn" "yn" "yyynn" "ynn", "plan": "ynnn" "nn" "ynnnn" "ynn",
                                   "bypassPermissions": "ynyn" "yn" "yyyyn" "yyn", "dontAsk": "ynnn" "nn" "yynnn" "ynn"})

    def without_bubblewrap(self):
        """A PATH on which everything is but bwrap."""
        folder = os.path.join(self.top, "bin")
        os.makedirs(folder)
        for directory in self.env["PATH"].split(":"):
            for name in os.listdir(directory) if os.path.isdir(directory) else ():
                if name != "bwrap" and not os.path.lexists(os.path.join(folder, name)):
                    os.symlink(os.path.join(directory, name), os.path.join(folder, name))
        return dict(self.env, PATH=folder)

    def test_one_answer_at_every_level_of_the_sandbox(self):
        self.write("server.key", "x\n")
        self.write("tests/server.pem", "x\n")
        subprocess.run(["git", "-C", self.project, "add", "tests"], check=False, env=self.env)
        commands = ["cat server.key", "cat tests/server.pem", "grep -r x .", "tar cf - .", "rg -uu x", "cat *.key", "cat ~/.ssh/id_rsa",
                    "ls -R", "find . -type f -exec cat {} +", "touch z", "python3 walk.py", "sudo ls", "cat .env",
                    "echo x > /tmp/helve-%d" % os.getpid()]
        # The level is about commands: what other tools may do is the same at each.
        others = [("Read", {"file_path": ".env"}), ("Read", {"file_path": "server.key"}), ("Write", {"file_path": "new.txt", "content": "x"}),
                  ("WebFetch", {"url": "http://localhost:1/", "prompt": "x"}), ("WebFetch", {"url": "http://127.0.0.1:1/", "prompt": "x"})]
        of_level, of_others = {}, {}
        less = self.without_bubblewrap()
        rows = [("off", False, False, self.env), ("less", True, False, less), ("less, unasked", True, True, less),
                ("as it is", True, False, self.env), ("as it is, unasked", True, True, self.env)]
        for name, enabled, unasked, env in rows:
            self.settings({"permissions": {"allow": ["Bash(grep:*)"], "deny": ["Read(.env)"]},
                           "sandbox": {"enabled": enabled, "autoAllowBashIfSandboxed": unasked}})
            one = [json.loads(self.run_helve("explain", "bash", command, "--json", env=env))["decision"] == "allow" for command in commands]
            text = "".join(json.dumps({"id": i, "command": command}) + "\n" for i, command in enumerate(commands))
            batch = [answer["decision"] == "allow" for answer in self.lines("explain", "bash", "--json", "--batch", stdin=text, env=env)]
            results = self.execute(*[use("Bash", id="toolu_%d" % i, command=command) for i, command in enumerate(commands)],
                                   *[use(tool, id="toolu_case_%d" % i, input=given) for i, (tool, given) in enumerate(others)], env=env)
            self.tidy()
            of_others[name] = self.verdicts(results, others)
            for call, ran in zip(others, of_others[name]):
                self.assertIn(self.explained(*call, env=env), (None, ran), (name, call))
            ran = ["Permission to use" not in text_of(results["toolu_%d" % i]) for i in range(len(commands))]
            for i, command in enumerate(commands):
                self.assertEqual((one[i], batch[i]), (ran[i], ran[i]), (name, command, results["toolu_%d" % i]))
            of_level[name] = ran
        self.assertEqual(of_level["off"], of_level["less"])
        self.assertEqual(len(set(map(tuple, of_others.values()))), 1, of_others)
        self.assertFalse(of_level["less, unasked"][commands.index("touch z")], of_level)
        if "full" in self.run_helve("doctor", "--offline", code=None):
            self.assertTrue(of_level["as it is"][0] and of_level["as it is, unasked"][commands.index("touch z")], of_level)
            self.assertTrue(of_level["as it is"][-1] and not of_level["off"][-1], of_level)

    def test_the_tmp_of_the_session_is_written_unasked_and_nothing_through_it(self):
        if "full" not in self.run_helve("doctor", "--offline", code=None):
            return
        self.write("kept", "as it was\n")
        commands = ["echo one > /tmp/helve-a; mkdir /tmp/helve-d && cp kept /tmp/helve-d/b; cat /tmp/helve-a /tmp/helve-d/b",
                    "ln -s %s /tmp/helve-l" % self.path("kept"), "echo two > /tmp/helve-l", "touch /tmp/helve-c made", "echo x > /tmp/.bashrc",
                    "f=$(mktemp) && mktemp -d /tmp/helve-e.XXXX", "export TMPDIR=$PWD; mktemp", "mktemp own.XXXX"]
        results = self.execute(*[use("Bash", id="toolu_%d" % i, command=command) for i, command in enumerate(commands)])
        told = [text_of(results["toolu_%d" % i]) for i in range(len(commands))]
        self.assertEqual(["Permission to use" in text for text in told], [False, False, True, True, True, False, True, True], told)
        self.assertIn("one\nas it was", told[0])
        self.assertIn("/tmp/helve-e.", told[5])
        self.assertEqual((self.read("kept"), os.path.exists(self.path("made"))), ("as it was\n", False))


expose(globals())

if __name__ == "__main__":
    main()
