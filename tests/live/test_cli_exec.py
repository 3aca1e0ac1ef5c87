"""`helve exec`: calls of other programs in, results out (surfaces S1), and what it makes of bad input."""
import fcntl
import json
import os
import signal
import struct
import subprocess
import termios
import time

from cli_support import HELVE, Case, expose, interrupt, main, text_of, use


def anthropic_stream(*calls, end=True):
    """The events of one Messages API stream with these (id, name, input text) calls."""
    events = [("message_start", {"type": "message_start", "message": {"id": "msg_1", "type": "message", "role": "assistant",
               "model": "m", "content": [], "usage": {"input_tokens": 1, "output_tokens": 1}}})]
    for index, (id, name, text) in enumerate(calls):
        events.append(("content_block_start", {"type": "content_block_start", "index": index, "content_block":
                       {"type": "tool_use", "id": id, "name": name, "input": {}}}))
        for at in range(0, len(text), 7):
            events.append(("content_block_delta", {"type": "content_block_delta", "index": index, "delta":
                           {"type": "input_json_delta", "partial_json": text[at:at + 7]}}))
        events.append(("content_block_stop", {"type": "content_block_stop", "index": index}))
    if end:
        events.append(("message_delta", {"type": "message_delta", "delta": {"stop_reason": "tool_use"},
                       "usage": {"output_tokens": 9}}))
        events.append(("message_stop", {"type": "message_stop"}))
    return "".join("event: %s\ndata: %s\n\n" % (name, json.dumps(data)) for name, data in events)


def chat_stream(*calls):
    chunks = []
    for index, (id, name, text) in enumerate(calls):
        chunks.append({"index": index, "id": id, "type": "function", "function": {"name": name, "arguments": ""}})
        for at in range(0, len(text), 5):
            chunks.append({"index": index, "function": {"arguments": text[at:at + 5]}})
    out = "".join("data: %s\n\n" % json.dumps({"id": "c", "object": "chat.completion.chunk", "choices": [
        {"index": 0, "delta": {"tool_calls": [chunk]}, "finish_reason": None}]}) for chunk in chunks)
    out += "data: %s\n\n" % json.dumps({"id": "c", "object": "chat.completion.chunk", "choices": [
        {"index": 0, "delta": {}, "finish_reason": "tool_calls"}]})
    return out + "data: [DONE]\n\n"


def responses_stream(*calls):
    out = [{"type": "response.created", "response": {"id": "resp_1", "status": "in_progress"}}]
    for index, (id, name, text) in enumerate(calls):
        item = {"type": "function_call", "id": "fc_%d" % index, "call_id": id, "name": name, "arguments": "",
                "status": "in_progress"}
        out.append({"type": "response.output_item.added", "output_index": index, "item": dict(item)})
        out.append({"type": "response.function_call_arguments.delta", "item_id": item["id"], "output_index": index,
                    "delta": text})
        out.append({"type": "response.function_call_arguments.done", "item_id": item["id"], "output_index": index,
                    "arguments": text})
        item.update(arguments=text, status="completed")
        out.append({"type": "response.output_item.done", "output_index": index, "item": item})
    out.append({"type": "response.completed", "response": {"id": "resp_1", "status": "completed",
                "usage": {"input_tokens": 1, "output_tokens": 1}}})
    return "".join("event: %s\ndata: %s\n\n" % (event["type"], json.dumps(event)) for event in out)


class Shapes(Case):
    def setUp(self):
        super().setUp()
        self.write("a.txt", "alpha\n")
        self.write("b.txt", "beta\n")
        self.a, self.b = json.dumps({"file_path": "a.txt"}), json.dumps({"file_path": "b.txt"})

    def test_blocks_a_line(self):
        results = self.execute(use("Read", file_path="a.txt", id="1"), use("Read", file_path="b.txt", id="2"))
        self.assertIn("alpha", text_of(results["1"]))
        self.assertIn("beta", text_of(results["2"]))
        self.assertEqual(list(results), ["1", "2"])

    def test_whole_anthropic_message(self):
        whole = {"role": "assistant", "content": [{"type": "text", "text": "hm"}, use("Read", file_path="a.txt", id="x")]}
        out = self.lines("exec", stdin=json.dumps(whole, indent=2))
        self.assertEqual([line["tool_use_id"] for line in out], ["x"])

    def test_openai_tool_calls(self):
        call = {"id": "call_1", "type": "function", "function": {"name": "Read", "arguments": self.a}}
        for text in (json.dumps(call), json.dumps([call]), json.dumps({"role": "assistant", "tool_calls": [call]}),
                     json.dumps({"choices": [{"message": {"tool_calls": [call]}}]})):
            out = self.lines("exec", stdin=text)
            self.assertEqual(out[0]["role"], "tool")
            self.assertEqual(out[0]["tool_call_id"], "call_1")
            self.assertIn("alpha", out[0]["content"])

    def test_responses_items(self):
        item = {"type": "function_call", "call_id": "c9", "id": "fc_1", "name": "Read", "arguments": self.a}
        out = self.lines("exec", stdin=json.dumps({"output": [item]}))
        self.assertEqual((out[0]["type"], out[0]["call_id"]), ("function_call_output", "c9"))
        self.assertIn("alpha", out[0]["output"])

    def test_three_streams(self):
        calls = [("toolu_a", "Read", self.a), ("toolu_b", "Read", self.b)]
        rows = [(anthropic_stream(*calls), "anthropic", "tool_use_id", "content"),
                (chat_stream(*calls), "openai-chat", "tool_call_id", "content"),
                (responses_stream(*calls), "openai-responses", "call_id", "output")]
        for text, kind, id_name, text_name in rows:
            for flags in ((), ("--input", kind)):
                out = self.lines("exec", *flags, stdin=text)
                self.assertEqual([line[id_name] for line in out], ["toolu_a", "toolu_b"], kind)
                self.assertIn("alpha", out[0][text_name])
                self.assertIn("beta", out[1][text_name])

    def test_short_ids_of_a_stream_come_back(self):
        out = self.lines("exec", stdin=anthropic_stream(("t1", "Read", self.a)))
        self.assertEqual(out[0]["tool_use_id"], "t1")

    def test_a_file_instead_of_stdin(self):
        self.write("calls.jsonl", json.dumps(use("Read", file_path="a.txt", id="f")) + "\n")
        self.assertIn("alpha", self.run_helve("exec", "calls.jsonl"))
        self.run_helve("exec", "missing.jsonl", code=2)
        self.assertIn("missing.jsonl", self.err)

    def test_events_tell_decisions_and_times(self):
        out = self.lines("exec", "--events", stdin=json.dumps(use("Read", file_path="a.txt", id="1")))
        kinds = [line["type"] for line in out]
        self.assertEqual(kinds.count("tool_result"), 1)
        for kind in ("call", "decision", "admitted", "stage"):
            self.assertIn(kind, kinds)
        decision = [line for line in out if line["type"] == "decision"][0]
        self.assertEqual((decision["name"], decision["call_id"]), ("allow", "1"))

    def test_ids_may_come_again_in_another_message(self):
        one = json.dumps([use("Read", file_path="a.txt", id="1")])
        out = self.lines("exec", stdin=one + "\n" + one + "\n")
        self.assertEqual(len(out), 2)
        self.assertFalse(any(line.get("is_error") for line in out))


    def test_ids_may_come_again_when_all_was_answered_and_the_input_paused(self):
        process = self.start("exec")
        for _ in range(3):
            process.stdin.write((json.dumps(use("Read", file_path="a.txt", id="1")) + "\n").encode())
            process.stdin.flush()
            self.assertNotIn("is_error", json.loads(process.stdout.readline()))
            time.sleep(0.2)
        process.communicate(timeout=600)
        self.assertEqual(process.returncode, 0)


class Order(Case):
    def test_results_come_in_call_order(self):
        flags = ("--allowed-tools", "Bash(sleep *),Bash(echo *)")
        results = self.execute(use("Bash", command="sleep 0.5 && echo slow", id="1"), use("Bash", command="echo fast", id="2"),
                               flags=flags)
        self.assertEqual(list(results), ["1", "2"])

    def test_a_call_starts_while_the_input_still_comes(self):
        process = self.start("exec", "--allowed-tools", "Bash(touch *)")
        process.stdin.write((json.dumps(use("Bash", command="touch started", id="1")) + "\n").encode())
        process.stdin.flush()
        self.wait_until(lambda: os.path.exists(self.path("started")))
        line = json.loads(process.stdout.readline())
        self.assertEqual(line["tool_use_id"], "1")
        self.assertIsNone(process.poll())
        process.communicate(b"", timeout=600)
        self.assertEqual(process.returncode, 0)

    def test_edit_after_read_of_the_same_file(self):
        self.write("x.c", "int a;\n")
        results = self.execute(use("Read", file_path="x.c", id="1"),
                               use("Edit", file_path="x.c", old_string="int a", new_string="int b", id="2"),
                               use("Read", file_path="x.c", id="3"), flags=("--permission-mode", "acceptEdits"))
        self.assertIn("int b", text_of(results["3"]))
        self.assertEqual(self.read("x.c"), "int b;\n")


class Permissions(Case):
    def test_nobody_to_ask_is_a_denial_that_names_the_rule(self):
        results = self.execute(use("Bash", command="touch made", id="1"))
        self.assertTrue(results["1"]["is_error"])
        self.assertIn("Bash(touch:*)", text_of(results["1"]))
        self.assertFalse(os.path.exists(self.path("made")))

    def test_rules_and_modes_of_the_command_line(self):
        rows = [(("--allowed-tools", "Bash(touch:*)"), True), (("--allowedTools=Bash(touch *)",), True),
                (("--permission-mode", "bypassPermissions"), True), (("--dangerously-skip-permissions",), True),
                (("--permission-mode", "plan"), False), (("--permission-mode", "dontAsk"), False),
                (("--allowed-tools", "Bash", "--disallowed-tools", "Bash(touch:*)"), False)]
        for flags, runs in rows:
            results = self.execute(use("Bash", command="touch made", id="1"), flags=flags)
            self.assertEqual(not results["1"].get("is_error", False), runs, flags)
            self.assertEqual(os.path.exists(self.path("made")), runs, flags)
            if runs:
                os.unlink(self.path("made"))

    def test_tools_flag_takes_tools_away(self):
        results = self.execute(use("Bash", command="true", id="1"), flags=("--tools", "Read"))
        self.assertTrue(results["1"]["is_error"])
        self.run_helve("exec", "--tools", "Raed", code=2)
        self.assertIn("Read", self.err)

    def test_an_untrusted_projects_settings_do_not_loosen(self):
        self.write(".helve/settings.json", json.dumps({"permissions": {"allow": ["Bash(touch:*)"], "deny": ["Read(./a)"]}}))
        self.write("a", "secret\n")
        results = self.execute(use("Bash", command="touch made", id="1"), use("Read", file_path="a", id="2"))
        self.assertTrue(results["1"]["is_error"])
        self.assertTrue(results["2"]["is_error"])
        results = self.execute(use("Bash", command="touch made", id="1"), flags=("--trust",))
        self.assertFalse(results["1"].get("is_error", False))

    def test_hooks_run_and_can_deny(self):
        self.settings({"hooks": {
            "PreToolUse": [{"matcher": "Read", "hooks": [{"type": "command", "command": "cat > %s; echo no reading >&2; exit 2"
                                                          % self.path("seen.json")}]}],
            "PostToolUse": [{"matcher": "LS", "hooks": [{"type": "command", "command": "touch %s" % self.path("post")}]}]}})
        self.write("a", "x\n")
        results = self.execute(use("Read", file_path="a", id="1"), use("LS", path=".", id="2"))
        self.assertTrue(results["1"]["is_error"])
        self.assertIn("no reading", text_of(results["1"]))
        seen = json.loads(self.read("seen.json"))
        self.assertEqual((seen["hook_event_name"], seen["tool_name"]), ("PreToolUse", "Read"))
        self.assertTrue(os.path.exists(self.path("post")))


class BadInput(Case):
    def one(self, **block):
        results = self.execute(dict({"type": "tool_use", "id": "1"}, **block))
        self.assertTrue(results["1"]["is_error"])
        return text_of(results["1"])

    def test_unknown_tools_and_fields_are_named_with_the_nearest(self):
        self.assertIn("Read", self.one(name="Raed", input={}))
        text = self.one(name="Read", input={"file_paht": "a"})
        self.assertIn("file_paht", text)
        self.assertIn("file_path", text)

    def test_wrong_types_are_all_told_at_once(self):
        text = self.one(name="Edit", input={"file_path": 5, "old_string": [], "replace_all": "maybe"})
        for field in ("file_path", "old_string", "new_string", "replace_all"):
            self.assertIn(field, text)

    def test_an_input_that_is_no_object(self):
        for value in (None, 3, "x", [1], "{\"file_path\":", True):
            self.one(name="Read", input=value)

    def test_missing_names_and_ids(self):
        out = self.lines("exec", stdin='{"type":"tool_use","id":"1","input":{}}\n{"type":"tool_use","name":"LS"}\n', code=None)
        self.assertEqual(len(out), 2)
        self.assertTrue(out[0]["is_error"])

    def test_the_same_id_twice_runs_twice_and_is_answered_under_two(self):
        blocks = [use("Bash", command=f"echo {word} >> count; echo {word}", id=name) for word, name in (("x", "1"), ("y", "1_1"), ("z", "1"), ("u", "1"))]
        out = self.lines("exec", "--allowed-tools", "Bash", stdin=json.dumps(blocks))
        self.assertEqual(len({line["tool_use_id"] for line in out}), 4, out)
        self.assertEqual([line["tool_use_id"] for line in out][:2], ["1", "1_1"])
        self.assertEqual([line["content"].split() for line in out], [["x"], ["y"], ["z"], ["u"]])
        self.assertEqual(self.read("count"), "x\ny\nz\nu\n")

    def test_an_id_may_be_used_again_when_its_answer_was_read(self):
        self.write("a.txt", "x\n")
        line = json.dumps(use("Read", file_path="a.txt", id="1")).encode() + b"\n"
        with self.start("exec") as process, process.stdin, process.stdout:
            for _ in range(300):
                process.stdin.write(line)
                process.stdin.flush()
                self.assertNotIn("is_error", json.loads(process.stdout.readline()))

    def test_broken_lines_are_told_and_passed_over(self):
        good = json.dumps(use("LS", path=".", id="g"))
        for bad in ("{\"type\":", "nonsense", "{\"a\":1}", "[1,2", "\"x", "{" * 100, "\xff\xfe".encode("latin1")):
            text = bad if isinstance(bad, bytes) else bad.encode()
            out = self.lines("exec", stdin=text + b"\n" + good.encode() + b"\n", code=2)
            self.assertEqual([line["tool_use_id"] for line in out], ["g"], bad)
            self.assertIn("helve: input", self.err)

    def test_nesting_without_end(self):
        self.run_helve("exec", stdin="[" * 100000, code=2)
        deep = '{"type":"tool_use","id":"1","name":"Read","input":%s1%s}' % ('{"a":' * 100000, "}" * 100000)
        self.run_helve("exec", stdin=deep, code=2)
        self.assertIn("level", self.err)

    def test_a_large_string_is_announced_but_never_comes(self):
        self.run_helve("exec", stdin='{"type":"tool_use","id":"1","name":"Read","input":{"file_path":"' + "a" * 3000000, code=2)

    def test_a_large_input_is_an_error_result(self):
        text = self.one(name="Read", input={"file_path": "a" * 2000000})
        self.assertLess(len(text), 10000)

    def test_streams_cut_anywhere(self):
        self.write("a.txt", "alpha\n")
        whole = anthropic_stream(("toolu_a", "Read", json.dumps({"file_path": "a.txt"})))
        complete = whole.index("event: content_block_stop") + len("event: content_block_stop\ndata: x")
        for cut in range(0, len(whole), 41):
            out = self.lines("exec", "--input", "anthropic", stdin=whole[:cut], code=None)
            self.assertIn(self.code, (0, 2), cut)
            self.assertLessEqual(len(out), 1)
            if cut > complete + 60:
                self.assertEqual(len(out), 1, "a complete call is answered although the stream was cut")

    def test_an_error_in_the_stream_keeps_complete_calls(self):
        self.write("a.txt", "alpha\n")
        text = anthropic_stream(("toolu_a", "Read", json.dumps({"file_path": "a.txt"})), end=False)
        text += 'event: error\ndata: {"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}\n\n'
        out = self.lines("exec", stdin=text, code=2)
        self.assertEqual(len(out), 1)
        self.assertIn("verloaded", self.err)

    def test_an_incomplete_call_of_a_stream_never_runs(self):
        text = anthropic_stream(("toolu_a", "Bash", json.dumps({"command": "touch made"})), end=False)
        text = text[:text.index("event: content_block_stop")]
        self.assertEqual(self.lines("exec", "--allowed-tools", "Bash", stdin=text, code=2), [])
        self.assertFalse(os.path.exists(self.path("made")))

    def test_invalid_utf8_in_an_input(self):
        self.lines("exec", stdin=b'{"type":"tool_use","id":"1","name":"Read","input":{"file_path":"\xff\xfe"}}\n', code=None)
        self.assertIn(self.code, (0, 2))

    def test_nothing_at_all(self):
        self.assertEqual(self.lines("exec", stdin=""), [])
        self.assertEqual(self.lines("exec", stdin="\n\n  \n"), [])

    def test_ten_thousand_calls(self):
        self.write("a", "x\n")
        text = "".join(json.dumps(use("LS", path=".", id="c%d" % number)) + "\n" for number in range(3000))
        out = self.lines("exec", stdin=text)
        self.assertEqual([line["tool_use_id"] for line in out], ["c%d" % number for number in range(3000)])


class Faults(Case):
    def test_files_that_cannot_be_read(self):
        os.makedirs(self.path("folder"))
        os.mkfifo(self.path("fifo"))
        results = self.execute(use("Read", file_path="missing", id="1"), use("Read", file_path="folder", id="2"),
                               use("Read", file_path="fifo", id="3"), use("Read", file_path="/dev/zero", id="4"))
        for id in "1234":
            self.assertTrue(results[id]["is_error"], id)

    def test_broken_settings_are_told_and_do_not_loosen(self):
        path = self.settings(None, text='{"permissions": {"deny": ["Bash(touch:*)"], "allow": ["Bash"')
        results = self.execute(use("Bash", command="touch made", id="1"))
        self.assertTrue(results["1"]["is_error"])
        self.assertIn("settings.json", self.err)
        with open(path) as file:
            self.assertTrue(file.read().startswith('{"permissions"'))

    def test_rules_that_cannot_be_used_are_told(self):
        self.settings({"permissions": {"deny": ["Read(secret", "Reed(a)"], "allow": ["Bash("]}})
        self.execute(use("LS", path="."))
        for part in ('"Read(secret" lacks the closing parenthesis', "until it is mended the whole tool is denied",
                     '"Reed(a)" names no tool: it denies nothing', "did you mean Read?", '"Bash(" lacks'):
            self.assertIn(part, self.err)
        self.run_helve("doctor", code=None)
        self.assertIn("did you mean Read?", self.out)

    def test_an_alias_in_a_rule_is_the_tool(self):
        self.write("secret", "s3cret\n")
        self.settings({"permissions": {"deny": ["read_file(secret)"], "allow": ["Bash(cat:*)"]}})
        results = self.execute(use("Read", id="1", file_path="secret"), use("Grep", id="2", pattern="s3", path="secret"),
                               use("Bash", id="3", command="cat secret"))
        for result in results.values():
            self.assertTrue(result.get("is_error"), result)
        self.assertEqual(self.complaints(), [])

    def test_an_added_directory_must_be_one(self):
        self.write("a", "x")
        for path in ("nowhere", "a"):
            self.run_helve("exec", "--add-dir", path, code=2)
            self.assertIn("--add-dir: ", self.err)
        self.run_helve("exec", "--add-dir", "..")

    def test_a_hook_that_fails_is_told(self):
        self.write("a", "x\n")
        self.settings({"hooks": {"PreToolUse": [{"hooks": [{"type": "command", "command": "echo broken >&2; exit 1"}]}]}})
        results = self.execute(use("Read", id="1", file_path="a"))
        self.assertFalse(results["1"].get("is_error"))
        self.assertIn("PreToolUse hook `echo broken >&2; exit 1` failed", self.err)

    def test_an_id_that_is_a_number_comes_back(self):
        results = self.lines("exec", stdin='{"type":"tool_use","id":7,"name":"LS","input":{}}\n')
        self.assertEqual([result["tool_use_id"] for result in results], ["7"])

    def test_settings_of_the_wrong_kind(self):
        for text in ("", "[]", "3", '{"permissions":5}', '{"permisions":{}}', "\x00\x01"):
            self.settings(None, text=text)
            self.execute(use("LS", path=".", id="1"))
            self.assertIn("settings.json", self.err, text)

    def test_a_deleted_working_directory(self):
        gone = os.path.join(self.top, "gone")
        os.makedirs(gone)
        process = subprocess.run(["/bin/sh", "-c", 'cd "$1" && rmdir "$1" && exec "$2" exec', "sh", gone,
                                  HELVE], input=b"", env=self.env,
                                 capture_output=True, timeout=600)
        self.assertEqual(process.returncode, 2)
        self.assertIn(b"--cwd", process.stderr)

    def test_cwd_flag(self):
        self.write("inner/a.txt", "inside\n")
        results = self.execute(use("Read", file_path="a.txt", id="1"), flags=("--cwd", self.path("inner")))
        self.assertIn("inside", text_of(results["1"]))
        self.run_helve("exec", "--cwd", "nowhere", code=2)

    def test_stdout_that_breaks(self):
        calls = "".join(json.dumps(use("LS", path=".", id="c%d" % number)) + "\n" for number in range(500))
        process = self.start("exec")
        process.stdout.close()
        try:
            process.stdin.write(calls.encode())
            process.stdin.close()
        except BrokenPipeError:
            pass
        self.assertEqual(process.wait(timeout=600), 1)
        self.assertIn(b"Broken pipe", process.stderr.read())
        process.stderr.close()

    def test_full_disk_of_stdout(self):
        with open("/dev/full", "wb") as full:
            process = self.start("exec", stdout=full)
            _, err = process.communicate(json.dumps(use("LS", path=".", id="1")).encode(), timeout=600)
        self.assertEqual(process.returncode, 1)
        self.assertIn(b"No space", err)

    def test_closed_standard_descriptors(self):
        process = subprocess.run(["/bin/sh", "-c", 'exec "$1" exec <&- >&- 2>&-', "sh",
                                  HELVE], env=self.env, timeout=60)
        self.assertIn(process.returncode, (0, 1))


def waiting_bytes(pipe):
    return struct.unpack("i", fcntl.ioctl(pipe, termios.FIONREAD, bytes(4)))[0]


class Interrupts(Case):
    def test_ctrl_c_ends_the_command_and_answers_every_call(self):
        process = self.start("exec", "--allowed-tools", "Bash")
        blocks = [use("Bash", command=self.sleeper(), id="1"), use("LS", path=".", id="2")]
        process.stdin.write("".join(json.dumps(block) + "\n" for block in blocks).encode())
        process.stdin.flush()
        self.wait_until(lambda: os.path.exists(self.path("pid")) and self.read("pid").strip())
        self.assertTrue(self.alive())
        began = time.monotonic()
        interrupt(process)
        out, _ = process.communicate(timeout=600)
        self.assertEqual(process.returncode, 130)
        results = [json.loads(line) for line in out.splitlines()]
        self.assertEqual([line["tool_use_id"] for line in results], ["1", "2"])
        self.assertTrue(results[0]["is_error"])
        self.assertLess(time.monotonic() - began, 20)
        self.wait_until(lambda: not self.alive())

    def test_input_that_cannot_be_read_is_told(self):
        self.run_helve("exec", ".", code=2)
        self.assertIn("cannot read the calls: Is a directory", self.err)
        directory = os.open(self.project, os.O_RDONLY)
        try:
            process = self.start("-p", "--model", "replay:demo", "--input-format", "stream-json", "--output-format",
                                 "stream-json", "--verbose", stdin=directory)
        finally:
            os.close(directory)
        _, err = process.communicate(timeout=600)
        self.assertEqual(process.returncode, 2)
        self.assertIn(b"stdin: cannot be read: Is a directory", err)

    def test_terminate(self):
        process = self.start("exec")
        process.stdin.write((json.dumps(use("LS", path=".", id="1")) + "\n").encode())
        process.stdin.flush()
        process.stdout.readline()
        interrupt(process, signal.SIGTERM)
        self.assertEqual(process.wait(timeout=600), 143)
        process.communicate()

    def test_a_reader_that_reads_nothing_does_not_hold_the_program(self):
        for number, code in ((signal.SIGINT, 130), (signal.SIGTERM, 143)):
            calls = "".join(json.dumps(use("Read", file_path="big", offset=call + 1, id="c%d" % call)) + "\n" for call in range(30))
            self.write("calls.jsonl", calls)
            self.write("big", ("x" * 20 + "\n") * 1900)
            process = self.start("exec", "calls.jsonl", stdin=subprocess.DEVNULL)
            self.wait_until(lambda: waiting_bytes(process.stdout))
            time.sleep(1)
            self.assertIsNone(process.poll())
            interrupt(process, number)
            self.assertEqual(process.wait(timeout=600), code)
            process.communicate()

    def test_asked_twice_it_ends_at_once(self):
        process = self.start("exec", "--allowed-tools", "Bash")
        process.stdin.write((json.dumps(use("Bash", command="trap '' TERM INT; touch started; while true; do sleep 1; done", id="1"))
                             + "\n").encode())
        process.stdin.flush()
        self.wait_until(lambda: os.path.exists(self.path("started")))
        interrupt(process)
        time.sleep(0.3)
        interrupt(process)
        self.assertEqual(process.wait(timeout=600), 130)
        process.communicate()

    def test_kill_takes_the_children_along(self):
        process = self.start("exec", "--allowed-tools", "Bash")
        process.stdin.write((json.dumps(use("Bash", command=self.sleeper(), id="1")) + "\n").encode())
        process.stdin.flush()
        self.wait_until(lambda: os.path.exists(self.path("pid")) and self.read("pid").strip())
        process.kill()
        process.communicate(timeout=600)
        self.wait_until(lambda: not self.alive())


expose(globals())
if __name__ == "__main__":
    main()
