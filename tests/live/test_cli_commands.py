"""The smaller commands: help and errors, tool, explain, doctor, and the batch doors."""
import base64
import json
import os
import subprocess

from cli_support import Case, HELVE, expose, main, message, say, use


class Help(Case):
    COMMANDS = ("exec", "tool list", "tool describe", "tool call", "explain path", "explain bash", "explain rule", "permissions test", "sessions list",
                "sessions show", "sessions remove", "replay", "trace", "trust", "doctor", "debug json", "debug schema", "debug input",
                "debug glob", "debug sse")

    def test_version_and_overall_help(self):
        self.assertRegex(self.run_helve("--version"), r"^helve \d+\.\d+\.\d+\n$")
        text = self.run_helve("--help")
        for command in self.COMMANDS:
            self.assertEqual("  " + command in text, not command.startswith("debug"), command)
        self.assertEqual(self.run_helve("help"), text)
        self.run_helve(code=2)
        self.assertEqual(self.err, text)

    def test_every_command_has_help(self):
        for command in self.COMMANDS:
            text = self.run_helve(*command.split(), "--help")
            self.assertTrue(text.startswith("usage: helve " + command), text)
            self.assertEqual(self.run_helve("help", *command.split()), text)
        for group, members in (("explain", ("path", "bash", "rule")), ("permissions", ("test",)),
                               ("sessions", ("list", "show", "remove")), ("tool", ("list", "describe", "call"))):
            text = self.run_helve(group, "--help")
            self.assertTrue(text.startswith("usage: helve %s COMMAND" % group), text)
            for member in members:
                self.assertIn("\n  %s %s " % (group, member), text)
            self.assertEqual(self.run_helve("help", group), text)
            self.assertEqual(self.run_helve(group, "-h"), text)
            self.run_helve(group, "zzzzzz", code=2)
            self.assertIn("`helve %s` has: %s" % (group, ", ".join(members)), self.err)
        text = self.run_helve("-p", "--help")
        for flag in ("--output-format", "--allowed-tools", "--resume", "--max-turns", "--permission-mode"):
            self.assertIn(flag, text)

    def test_did_you_mean(self):
        for arguments, near in ((("exce",), "exec"), (("tool", "lst"), "tool list"), (("explain", "pth"), "explain path"),
                                (("exec", "--evnts"), "--events"), (("docter",), "doctor"), (("tool", "describe", "Edti"), "Edit")):
            self.run_helve(*arguments, code=2)
            self.assertIn(near, self.err, arguments)

    def test_wrong_numbers_of_arguments(self):
        for arguments in (("tool", "describe"), ("replay",), ("doctor", "x"), ("tool", "list", "x"), ("explain", "rule"),
                          ("explain", "path"), ("explain",), ("debug",)):
            self.run_helve(*arguments, code=2)
            self.assertNotEqual(self.err, "", arguments)

    def test_stdout_that_is_full(self):
        with open("/dev/full", "wb") as full:
            for arguments in (("--version",), ("--help",), ("tool", "list"), ("explain", "path", "x")):
                self.run_helve(*arguments, stdout=full, code=1)

    def test_stdout_that_is_closed(self):
        for arguments in ("--version", "tool list", "tool call LS '{}'", "exec <%s" % self.write("calls", json.dumps(use("LS", path=".", id="1"))), "-p --model %s go" % self.recording(message(say("lost")))):
            closed = subprocess.run(["/bin/sh", "-c", f'exec "$1" {arguments} >&-', "sh", HELVE], env=self.env, capture_output=True, text=True,
                                    timeout=60, check=False)
            self.assertEqual((closed.returncode, "cannot write" in closed.stderr), (1, True), (arguments, closed))


class Tool(Case):
    def test_list_and_describe(self):
        names = [line.split()[0] for line in self.run_helve("tool", "list").splitlines()]
        for name in ("Read", "Write", "Edit", "MultiEdit", "LS", "Glob", "Grep", "Bash", "TodoWrite", "ToolSearch"):
            self.assertIn(name, names)
        tools = self.lines("tool", "list", "--json")
        self.assertEqual([tool["name"] for tool in tools], names)
        for tool in tools:
            self.assertEqual(tool["input_schema"]["type"], "object")
            self.assertIn(tool["description"].split()[0], self.run_helve("tool", "describe", tool["name"]))
        for name, may in (("Grep", "only read"), ("Write", "change files"), ("Bash", "run programs, or only read")):
            self.assertIn("\nMay: " + may, self.run_helve("tool", "describe", name))
        one = json.loads(self.run_helve("tool", "describe", "edit_file", "--json"))
        self.assertEqual(one["name"], "Edit")
        self.assertIn("old_string", one["input_schema"]["properties"])
        self.assertNotIn("output_schema", one)
        bash = json.loads(self.run_helve("tool", "describe", "Bash", "--json"))
        self.assertIn("exit_code", bash["output_schema"]["required"])

    def test_call(self):
        self.write("a.txt", "alpha\n")
        self.assertIn("alpha", self.run_helve("tool", "call", "Read", '{"file_path":"a.txt"}'))
        self.assertIn("alpha", self.run_helve("tool", "call", "read_file", '{"path":"a.txt"}'))
        self.assertIn("alpha", self.run_helve("tool", "call", "Read", "-", stdin='{"file_path":"a.txt"}'))
        block = json.loads(self.run_helve("tool", "call", "Read", '{"file_path":"a.txt"}', "--json"))
        self.assertEqual(block["type"], "tool_result")
        self.assertIn("a.txt", self.run_helve("tool", "call", "LS"))

    def test_call_that_fails(self):
        for arguments in (("Read", '{"file_path":"missing"}'), ("Read", "{"), ("Read", ""), ("Read", "[]"), ("Bash", '{"command":"touch x"}')):
            out = self.run_helve("tool", "call", *arguments, code=1)
            self.assertNotEqual(out, "", arguments)
        self.run_helve("tool", "call", "Nope", "{}", code=2)
        self.assertFalse(os.path.exists(self.path("x")))

    def test_call_with_a_rule(self):
        self.run_helve("tool", "call", "Bash", '{"command":"touch x"}', "--allowed-tools", "Bash(touch *)")
        self.assertTrue(os.path.exists(self.path("x")))


class Explain(Case):
    def batch(self, *questions):
        text = "".join((one if isinstance(one, str) else json.dumps(one)) + "\n" for one in questions)
        return self.lines("explain", "path", "--json", "--batch", stdin=text)

    def test_path(self):
        self.settings({"permissions": {"deny": ["Read(./.env)"], "allow": ["Edit(src/**)"]}})
        text = self.run_helve("explain", "path", ".env", "--tool", "Read")
        self.assertIn("deny", text)
        self.assertIn("Read(./.env)", text)
        answer = json.loads(self.run_helve("explain", "path", "src/a.c", "--tool", "Edit", "--json"))
        self.assertEqual((answer["decision"], answer["rule"]), ("allow", "Edit(src/**)"))
        text = self.run_helve("explain", "path", "src/a.c")
        self.assertGreater(len(text.splitlines()), 4)
        self.assertNotIn("Monitor", text)
        self.assertIn("Commands are judged by their words", text)
        self.assertNotIn("the machine's /tmp", text)
        self.assertIn("the machine's /tmp", self.run_helve("explain", "path", "/tmp/x", code=None))
        lines = self.run_helve("explain", "rule", "Edit(src/**)").splitlines()
        places = [line for line in lines if " in " in line and line.startswith("             ")]
        self.assertEqual([line for one, line in zip(places, places[1:]) if one == line], [])
        self.run_helve("explain", "path", "x", "--tool", "Nope", code=2)

    def test_batch(self):
        os.symlink("/etc/shadow", self.path("link"))
        rows = [({"tool": "Read", "path": "a"}, "allow"), ({"tool": "Edit", "path": "a"}, "ask"),
                ({"tool": "Edit", "path": "a", "mode": "acceptEdits"}, "allow"), ({"tool": "Edit", "path": "a", "mode": "plan"}, "deny"),
                ({"tool": "Read", "path": "../a"}, "ask"), ({"tool": "Read", "path": "link"}, "always_confirm"),
                ({"tool": "Read", "path": "/dev/zero"}, "refuse"), ({"tool": "Read", "path": "//host/x"}, "refuse"),
                ({"tool": "Read", "path": "a", "rules": {"deny": ["Read(a)"], "allow": ["Read"]}}, "deny"),
                ({"tool": "Edit", "path": "a", "rules": ["deny Edit(b)", "allow Edit(a)"]}, "allow"),
                ({"tool": "Edit", "path": "a", "rules": [{"behavior": "deny", "rule": "Edit"}]}, "deny"),
                ({"tool": "Nope", "path": "a"}, "deny"), ({"tool": "Read"}, "refuse")]
        answers = self.batch(*[dict(question, id=number, cwd=self.project) for number, (question, _) in enumerate(rows)])
        self.assertEqual([answer["id"] for answer in answers], list(range(len(rows))))
        for answer, (question, wanted) in zip(answers, rows):
            self.assertEqual(answer["decision"], wanted, (question, answer))
            self.assertTrue(answer["reason"], question)
        self.assertEqual(answers[5]["resolved"], "/etc/shadow")

    def test_batch_with_bad_lines(self):
        answers = self.batch("nonsense", "[]", {"id": {"a": 1}}, "", {"id": "x", "tool": "Read", "path": 5})
        self.assertEqual(len(answers), 4)
        self.assertIn("error", answers[0])
        self.assertEqual(answers[2]["id"], {"a": 1})

    def test_bash(self):
        self.assertIn("ask", self.run_helve("explain", "bash", "make test"))
        answer = json.loads(self.run_helve("explain", "bash", "make test", "--json", "--allowed-tools", "Bash(make *)"))
        self.assertEqual((answer["decision"], answer["rule"]), ("allow", "Bash(make *)"))
        rows = [("rm -rf /", {}, "deny"), ("make x", {}, "ask"), ("make x", {"rules": ["Bash(make *)"]}, "allow"),
                ("make x; curl y", {"rules": ["Bash(make *)"]}, "ask"), ("make x", {"mode": "plan"}, "deny"),
                ("make x", {"rules": {"deny": ["Bash(make *)"]}}, "deny"), ("make x", {"mode": "bypassPermissions"}, "allow")]
        text = "".join(json.dumps(dict(flags, id=number, command=command, cwd=self.project)) + "\n"
                       for number, (command, flags, _) in enumerate(rows)) + '{"id":99}\n'
        answers = self.lines("explain", "bash", "--json", "--batch", stdin=text)
        for answer, (command, _, wanted) in zip(answers, rows):
            self.assertEqual(answer["decision"], wanted, (command, answer))
        self.assertEqual((answers[-1]["id"], answers[-1]["decision"]), (99, "deny"))
        self.run_helve("explain", "bash", code=2)

    def test_rule(self):
        self.assertIn("Bash", self.run_helve("explain", "rule", "Bash(git diff:*)"))
        self.run_helve("explain", "rule", "Bash(git", code=1)
        json.loads(self.run_helve("explain", "rule", "Edit(src/**)", "--json"))


class Trust(Case):
    def test_a_folder_is_trusted_from_then_on(self):
        self.write(".helve/settings.json", json.dumps({"permissions": {"allow": ["Edit(*)"]}}))
        question = ("explain", "path", "x", "--tool", "Edit", "--json")
        self.assertEqual(json.loads(self.run_helve(*question))["decision"], "ask")
        self.assertIn("not trusted", self.run_helve("trust", "--check", code=1))
        self.assertIn(": trusted", self.run_helve("trust"))
        self.run_helve("trust", "--check")
        self.assertEqual(json.loads(self.run_helve(*question))["decision"], "allow")

    def test_a_folder_without_settings(self):
        self.assertIn("no settings", self.run_helve("trust", "--check"))


class Doctor(Case):
    def test_findings(self):
        text = self.run_helve("doctor")
        for part in ("helve", "settings", "bash", "no model is set up"):
            self.assertIn(part, text)
        findings = self.lines("doctor", "--json", "--model", "replay:demo")
        self.assertTrue(all(finding["status"] in ("ok", "note") for finding in findings))
        search = [finding["message"] for finding in findings if finding["check"] == "search"]
        self.assertRegex(" ".join(search), r"^PCRE2 [0-9.]+ .*vectors: \S+; threads: [1-8]")

    def test_what_is_broken_is_told(self):
        self.settings(None, text="{")
        self.assertIn("settings.json", self.run_helve("doctor", code=1))
        self.settings({})
        self.env.update(OPENAI_BASE_URL="http://127.0.0.1:9/v1")
        self.assertIn("cannot be reached", self.run_helve("doctor", "--model", "openai-chat:x", code=1))
        self.run_helve("doctor", "--model", "openai-chat:x", "--offline")


class Doors(Case):
    def door(self, name, *lines):
        text = "".join((line if isinstance(line, str) else json.dumps(line)) + "\n" for line in lines)
        answers = self.lines("debug", name, stdin=text)
        self.assertEqual([answer["id"] for answer in answers],
                         [None if isinstance(line, str) else line.get("id") for line in lines])
        return answers

    def b64(self, data):
        return base64.b64encode(data).decode()

    def test_json(self):
        rows = [(b"{}", True), (b"[1,]", False), (b'"\xff"', False), (b'"\\ud83d"', False), (b"", False), (b"1 2", False),
                (b"[" * 100000, False), (b"1e999", True), (b"\xef\xbb\xbf{}", False)]
        answers = self.door("json", *[{"id": number, "b64": self.b64(data)} for number, (data, _) in enumerate(rows)])
        for answer, (data, ok) in zip(answers, rows):
            if data != b'"\\ud83d"':
                self.assertEqual(answer["ok"], ok, data[:20])
            self.assertEqual("error" in answer, not answer["ok"])
        self.assertFalse(self.door("json", {"id": 1, "b64": "?"})[0]["ok"])

    def test_schema(self):
        schema = {"type": "object", "required": ["a"], "properties": {"a": {"type": "integer"}}}
        answers = self.door("schema", {"id": 1, "schema": schema, "instance": {"a": 1}}, {"id": 2, "schema": schema, "instance": {"a": "x"}},
                            {"id": 3, "schema": False, "instance": 1}, {"id": 4, "schema": {"type": "nope"}, "instance": 1},
                            {"id": 5, "schema": {"items": [{"type": "string"}]}, "instance": [1], "draft": "draft7"}, {"id": 6})
        self.assertEqual([answer["valid"] for answer in answers], [True, False, False, None, False, None])
        self.assertIn("a", answers[1]["errors"][0]["field"])

    def test_input(self):
        answers = self.door("input", {"id": 1, "tool": "Read", "input_raw": '{"file_path":"a","limit":"5"}'},
                            {"id": 2, "tool": "Edit", "input_raw": '{"file_path":1,"old_strin":"x"}'},
                            {"id": 3, "tool": "Raed", "input_raw": "{}"}, {"id": 4, "tool": "Read", "input_raw": '{"file_path":"a"'},
                            {"id": 5, "tool": "Read", "input_raw": {"file_path": "b"}}, {"id": 6, "tool": "Read"})
        self.assertEqual([answer["ok"] for answer in answers], [True, False, False, False, True, False])
        self.assertEqual(answers[0]["decoded"], {"file_path": "a", "limit": 5})
        fields = [error["field"] for error in answers[1]["errors"]]
        self.assertIn("file_path", fields)
        self.assertGreaterEqual(len(fields), 3)

    def test_glob(self):
        rows = [("*.c", "a.c", {}, True), ("*.c", "a/b.c", {}, True), ("*.c", "a/b.c", {"pathname": True}, False),
                ("**/x", "a/b/x", {"pathname": True}, True), ("A", "a", {}, False), ("A", "a", {"icase": True}, True), ("[a-", "a", {}, False)]
        answers = self.door("glob", *[dict(id=number, pattern=pattern, text=text, **flags)
                                      for number, (pattern, text, flags, _) in enumerate(rows)])
        for answer, row in zip(answers, rows):
            self.assertEqual(answer["match"], row[3], row)
        self.assertTrue(self.door("glob", {"id": 1, "pattern_b64": self.b64(b"\xff*"), "text_b64": self.b64(b"\xffx")})[0]["match"])

    def test_sse(self):
        data = b": hi\r\nid: 7\r\nevent: a\r\ndata: x\r\ndata: y\r\nretry: 50\r\n\r\ndata: z\n\ndata: cut"
        for size in (1, 2, 3, len(data)):
            chunks = [self.b64(data[at:at + size]) for at in range(0, len(data), size)]
            answer = self.door("sse", {"id": size, "chunks_b64": chunks})[0]
            self.assertEqual([event["event"] for event in answer["events"]], ["a", "message"])
            self.assertEqual([event["data"] for event in answer["events"]], ["x\ny", "z"])
            self.assertEqual([event["id"] for event in answer["events"]], ["7", "7"])
            self.assertEqual(answer["events"][0]["retry"], 50)

    def test_bad_lines_do_not_end_a_door(self):
        answers = self.door("json", "nonsense", "[]", {"id": "x", "b64": self.b64(b"1")})
        self.assertEqual([("error" in answer) for answer in answers], [True, True, False])

    def test_answers_leave_without_waiting_for_more(self):
        process = self.start("debug", "glob")
        process.stdin.write(b'{"id":1,"pattern":"a","text":"a"}\n')
        process.stdin.flush()
        self.assertEqual(json.loads(process.stdout.readline()), {"id": 1, "match": True})
        process.communicate(b"", timeout=600)


expose(globals())
if __name__ == "__main__":
    main()
