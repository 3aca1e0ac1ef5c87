"""`helve -p` with recorded models: the three formats, stream-json in, permissions, hooks, limits, interrupts (S2, S3)."""
import json
import os
import pty
import select
import signal
import subprocess
import threading
import time

from cli_support import HELVE, Case, expose, interrupt, main, message, say, text_of, use

STREAM = ("--output-format", "stream-json", "--verbose")


class Print(Case):
    def ask(self, model, *flags, prompt="go", **options):
        return self.run_helve("-p", "--model", model, *flags, prompt, **options)

    def stream(self, model, *flags, **options):
        return [json.loads(line) for line in self.ask(model, *STREAM, *flags, **options).splitlines()]

    def results(self, lines):
        """The tool_result blocks of a stream-json run, in order."""
        return [block for line in lines if line["type"] == "user" for block in line["message"]["content"]
                if block["type"] == "tool_result"]


class Formats(Print):
    def setUp(self):
        super().setUp()
        self.write("a.txt", "alpha\n")
        self.model = self.recording(message(say("I look."), use("Read", file_path="a.txt", id="toolu_1")),
                                    message(say("It says alpha.")))

    def test_text_is_the_answer_alone(self):
        self.assertEqual(self.ask(self.model), "It says alpha.\n")
        self.assertEqual(self.err, "")

    def test_verbose_shows_the_work_on_stderr(self):
        self.assertEqual(self.ask(self.model, "--verbose"), "It says alpha.\n")
        for part in ("I look.", "Read a.txt"):
            self.assertIn(part, self.err)
        self.assertNotIn("\033", self.err)

    def test_json_is_one_result(self):
        result = json.loads(self.ask(self.model, "--output-format", "json"))
        self.assertEqual((result["type"], result["subtype"], result["is_error"]), ("result", "success", False))
        self.assertEqual((result["result"], result["num_turns"], result["stop_reason"]), ("It says alpha.", 2, "end_turn"))
        self.assertEqual(result["usage"]["input_tokens"], 20)
        for member in ("session_id", "uuid", "duration_ms", "duration_api_ms", "total_cost_usd", "modelUsage",
                       "permission_denials"):
            self.assertIn(member, result)

    def test_stream_json_lines(self):
        lines = self.stream(self.model)
        self.assertEqual([line["type"] for line in lines], ["system", "assistant", "user", "assistant", "result"])
        self.assertEqual(len({line["session_id"] for line in lines}), 1)
        self.assertEqual(len({line["uuid"] for line in lines}), len(lines))
        init, asked, answered = lines[0], lines[1], lines[2]
        self.assertEqual((init["subtype"], init["cwd"], init["permissionMode"]), ("init", self.project, "default"))
        self.assertIn("Read", init["tools"])
        self.assertEqual([block["type"] for block in asked["message"]["content"]], ["text", "tool_use"])
        result = answered["message"]["content"][0]
        self.assertEqual(result["tool_use_id"], asked["message"]["content"][1]["id"])
        self.assertIn("alpha", text_of(result))

    def test_partial_messages_are_the_models_events(self):
        lines = self.stream(self.model, "--include-partial-messages")
        events = [line["event"]["type"] for line in lines if line["type"] == "stream_event"]
        self.assertEqual(events.count("message_stop"), 2)
        self.assertIn("content_block_delta", events)

    def test_task_from_stdin_and_both(self):
        self.run_helve("-p", "--model", self.model, stdin="do it")
        self.assertEqual(self.events(self.journals()[-1], "message")[0]["json"][0]["text"], "do it")
        self.run_helve("-p", "--model", self.model, "review", stdin="the diff")
        text = self.events(self.journals()[-1], "message")[0]["json"][0]["text"]
        self.assertEqual(text, "review\n\nthe diff")

    def test_no_task(self):
        self.run_helve("-p", "--model", self.model, code=2)
        self.assertIn("no task", self.err)

    def test_wrong_flags_are_explained(self):
        rows = [(("--output-fromat", "json"), "--output-format"), (("--output-format", "jsn"), "json"),
                (("--max-turns", "many"), "whole number"), (("--max-turns", "0"), "too small"), (("--model",), "needs a value"),
                (("--input-format", "stream-json"), "stream-json"), (("--fork-session",), "--continue"),
                (("--permission-mode", "paln"), "plan"), (("--session-id", "../x"), "--session-id"), (("--verbose=1",), "no value")]
        for flags, wanted in rows:
            self.run_helve("-p", "x", *flags, code=None)
            self.assertIn(self.code, (1, 2), flags)
            self.assertIn(wanted, self.err, flags)
        self.run_helve("fix", "the", "tests", code=2)
        self.run_helve("fix the tests", code=2)
        self.assertIn("-p", self.err)

    def test_no_model_is_a_first_run_message(self):
        self.run_helve("-p", "x", code=2)
        for part in ("replay:demo", "ANTHROPIC_API_KEY", "OPENAI_BASE_URL"):
            self.assertIn(part, self.err)

    def test_a_recording_that_is_not_there(self):
        self.run_helve("-p", "--model", "replay:missing.jsonl", "x", code=2)
        self.assertIn("missing.jsonl", self.err)

    def test_a_recording_that_ends_too_early(self):
        self.ask(self.recording(message(use("LS", path=".")), name="short.jsonl"), code=1)
        self.assertNotEqual(self.err, "")

    def test_system_prompts(self):
        self.write("AGENTS.md", "Use tabs only.\n")
        for flags in (("--append-system-prompt", "x"), ("--system-prompt", "y")):
            self.assertEqual(self.ask(self.model, *flags), "It says alpha.\n")
        self.run_helve("-p", "--model", self.model, "--system-prompt-file", "missing", "x", code=1)

    def test_structured_answers(self):
        schema = {"type": "object", "properties": {"answer": {"type": "integer"}}, "required": ["answer"]}
        model = self.recording(message(use("StructuredOutput", input={"answer": "x"}, id="toolu_1")),
                               message(use("StructuredOutput", input={"answer": 42}, id="toolu_2")), name="structured.jsonl")
        result = json.loads(self.ask(model, "--json-schema", json.dumps(schema), "--output-format", "json"))
        self.assertEqual(result["structured_output"], {"answer": 42})
        for flags in ((), ("--tools", ""), ("--tools", "default"), ("--tools", "Read"), ("--permission-mode", "plan"), ("--permission-mode", "dontAsk")):
            self.assertEqual(json.loads(self.ask(model, "--json-schema", json.dumps(schema), *flags)), {"answer": 42})
        self.ask(model, "--json-schema", "[1]", code=1)
        self.ask(model, "--json-schema", "missing.json", code=1)

    def test_a_missing_structured_answer_is_asked_for_then_given_up(self):
        model = self.recording(*[message(say("no"))] * 6, name="stubborn.jsonl")
        result = json.loads(self.ask(model, "--json-schema", '{"type":"object"}', "--output-format", "json", code=1))
        self.assertEqual(result["subtype"], "error_max_structured_output_retries")


class Tools(Print):
    def test_tools_run_while_the_stream_still_comes(self):
        model = self.recording(message(use("Bash", command="touch started", id="toolu_1"), say("x" * 1500), piece_ms=40),
                               message(say("done")))
        process = self.start("-p", "--model", model, "--allowed-tools", "Bash", *STREAM, "go", stdin=subprocess.DEVNULL)
        self.wait_until(lambda: os.path.exists(self.path("started")))
        journal = self.journals()[-1]
        self.assertEqual(self.events(journal, "response"), [])
        process.communicate(timeout=600)
        self.assertEqual(process.returncode, 0)

    def test_calls_of_one_message_run_together(self):
        model = self.recording(message(*[use("Bash", command="sleep 1", id="toolu_%d" % number) for number in range(3)]),
                               message(say("done")))
        self.stream(model, "--allowed-tools", "Bash(sleep:*)")
        results = self.events(self.journals()[-1], "result")
        calls = self.events(self.journals()[-1], "call")
        self.assertLess((max(one["time"] for one in results) - min(one["time"] for one in calls)) / 1e9, 2.5)

    def test_an_edit_changes_the_file_and_shows_the_diff(self):
        self.write("x.c", "int a;\n")
        model = self.recording(message(use("Read", file_path="x.c")),
                               message(use("Edit", file_path="x.c", old_string="int a", new_string="int b")), message(say("ok")))
        self.ask(model, "--permission-mode", "acceptEdits", "--verbose")
        self.assertEqual(self.read("x.c"), "int b;\n")
        self.assertIn("-int a;", self.err)
        self.assertIn("+int b;", self.err)

    def test_denials_are_results_and_are_listed(self):
        model = self.recording(message(use("Bash", command="touch made", id="toolu_1")), message(say("a pity")))
        lines = self.stream(model)
        result = self.results(lines)[0]
        self.assertTrue(result["is_error"])
        self.assertIn("Bash(touch:*)", text_of(result))
        denial = lines[-1]["permission_denials"][0]
        self.assertEqual((denial["tool_name"], denial["tool_input"]), ("Bash", {"command": "touch made"}))
        self.assertIn("permission_denied", [line.get("subtype") for line in lines])
        self.assertFalse(os.path.exists(self.path("made")))
        self.ask(model)
        self.assertIn("Bash(touch:*)", self.err)

    def test_bad_calls_are_answered_and_the_turn_goes_on(self):
        model = self.recording(message(use("Raed", id="toolu_1"), use("Read", file_paht="x", id="toolu_2"),
                                       use("Read", file_path="missing", id="toolu_3"), use("LS", path=".", id="toolu_4")),
                               message(say("done")))
        lines = self.stream(model)
        results = self.results(lines)
        self.assertEqual([result.get("is_error", False) for result in results], [True, True, True, False])
        self.assertEqual(lines[-1]["result"], "done")

    def test_the_same_id_twice_keeps_the_conversation_valid(self):
        model = self.recording(message(use("LS", path=".", id="toolu_1"), use("LS", path=".", id="toolu_1")), message(say("done")))
        lines = self.stream(model)
        asked = [block["id"] for line in lines if line["type"] == "assistant" for block in line["message"]["content"]
                 if block["type"] == "tool_use"]
        self.assertEqual(sorted(asked), sorted(result["tool_use_id"] for result in self.results(lines)))
        self.assertEqual(len(set(asked)), len(asked))

    def test_deferred_state_lives_as_long_as_the_session(self):
        self.write("x", "1\n")
        model = self.recording(message(use("Edit", file_path="x", old_string="1", new_string="2")), message(say("done")))
        lines = self.stream(model, "--permission-mode", "acceptEdits")
        self.assertTrue(self.results(lines)[0]["is_error"])
        self.assertEqual(self.read("x"), "1\n")


class Limits(Print):
    def test_max_turns(self):
        model = self.recording(*[message(use("LS", path=".", id="toolu_%d" % number)) for number in range(5)])
        lines = self.stream(model, "--max-turns", "2", code=1)
        self.assertEqual((lines[-1]["subtype"], lines[-1]["num_turns"]), ("error_max_turns", 2))
        self.ask(model, "--max-turns", "2", code=1)
        self.assertIn("--max-turns", self.err)

    def test_budget_of_a_model_without_a_price_is_no_limit(self):
        model = self.recording(message(use("LS", path=".")), message(say("done")))
        self.assertEqual(self.ask(model, "--max-budget-usd", "0.01"), "done\n")


class Hooks(Print):
    def hooks(self, **events):
        self.settings({"hooks": {event: [{"hooks": [{"type": "command", "command": command}]}]
                                 for event, command in events.items()}})
        return self.recording(message(use("LS", path=".", id="toolu_1")), message(say("one")), message(say("two")))

    def test_events_of_the_session_run_in_order(self):
        log = self.path("log")
        events = ("SessionStart", "UserPromptSubmit", "PreToolUse", "PostToolUse", "Stop", "SessionEnd")
        model = self.hooks(**{event: "echo %s >> %s" % (event, log) for event in events})
        self.ask(model)
        self.assertEqual(self.read("log").split(), list(events))

    def test_a_prompt_can_be_blocked(self):
        model = self.hooks(UserPromptSubmit="echo not today >&2; exit 2")
        result = json.loads(self.ask(model, "--output-format", "json", code=1))
        self.assertTrue(result["is_error"])
        self.assertIn("not today", json.dumps(result))

    def test_context_of_hooks_reaches_the_model(self):
        model = self.hooks(SessionStart="echo the sky is green", UserPromptSubmit="echo mind the gap")
        self.ask(model)
        first = json.dumps(self.events(self.journals()[-1], "message")[0])
        self.assertIn("the sky is green", first)
        self.assertIn("mind the gap", first)

    def test_a_stop_hook_makes_the_model_go_on(self):
        flag = self.path("asked")
        model = self.hooks(Stop="test -e %s && exit 0; touch %s; echo run the tests >&2; exit 2" % (flag, flag))
        self.assertEqual(self.ask(model), "two\n")

    def test_a_failing_hook_is_told_and_does_no_harm(self):
        model = self.hooks(PreToolUse="exit 7")
        self.assertEqual(self.ask(model), "one\n")
        self.assertIn("hook", self.err)

    def test_a_rewritten_input_is_judged_again(self):
        self.write("secret", "x\n")
        answer = json.dumps({"hookSpecificOutput": {"hookEventName": "PreToolUse", "permissionDecision": "allow",
                                                    "updatedInput": {"path": "/dev/zero"}}})
        model = self.hooks(PreToolUse="echo '%s'" % answer)
        lines = self.stream(model)
        self.assertTrue(self.results(lines)[0]["is_error"])

    def test_hook_events_are_lines_when_wanted(self):
        model = self.hooks(PreToolUse="true")
        lines = self.stream(model, "--include-hook-events")
        hook = [line for line in lines if line.get("subtype") == "hook_response"][0]
        self.assertEqual((hook["hook_event"], hook["exit_code"]), ("PreToolUse", 0))


class StreamInput(Print):
    def talk(self, *lines, model=None, code=0, flags=()):
        text = "".join((line if isinstance(line, str) else json.dumps(line)) + "\n" for line in lines)
        model = model or self.recording(message(use("LS", path=".", id="toolu_1")), message(say("one")), message(say("two")))
        out = self.run_helve("-p", "--model", model, "--input-format", "stream-json", *STREAM, *flags, stdin=text, code=code)
        return [json.loads(line) for line in out.splitlines()]

    def user(self, content):
        return {"type": "user", "message": {"role": "user", "content": content}, "parent_tool_use_id": None}

    def test_a_result_for_each_message(self):
        lines = self.talk(self.user("first"), "\r", self.user([say("second")]))
        self.assertEqual([line["result"] for line in lines if line["type"] == "result"], ["one", "two"])

    def test_messages_are_echoed_when_wanted(self):
        lines = self.talk(self.user("first"), flags=("--replay-user-messages",))
        echoed = [line for line in lines if line.get("isReplay")]
        self.assertEqual(echoed[0]["message"]["content"][0]["text"], "first")

    def test_bad_lines_are_told_and_passed_over(self):
        for bad in ("nonsense", "[]", '{"type":"user"}', '{"type":"user","message":{"content":[]}}', '{"type":"user","message":{"content":[1]}}',
                    '{"type":"nobody"}', "{" * 1000):
            lines = self.talk(bad, self.user("x"), code=2)
            self.assertEqual(lines[-1]["result"], "one", bad)
            self.assertIn("stdin", self.err)

    def test_nothing_to_do(self):
        lines = self.talk()
        self.assertEqual([line["type"] for line in lines], ["system"])

    def test_control_requests(self):
        lines = self.talk({"type": "control_request", "request_id": "a", "request": {"subtype": "initialize"}},
                          {"type": "control_request", "request_id": "b", "request": {"subtype": "set_permission_mode", "mode": "plan"}},
                          {"type": "control_request", "request_id": "c", "request": {"subtype": "set_permission_mode", "mode": "x"}},
                          {"type": "control_request", "request_id": "d", "request": {"subtype": "nothing"}})
        answers = {line["response"]["request_id"]: line["response"]["subtype"] for line in lines if line["type"] == "control_response"}
        self.assertEqual(answers, {"a": "success", "b": "success", "c": "error", "d": "error"})

    def hosted(self, answer, *messages, lines=(), code=0):
        """Run these messages of a model; answer(request) is what the host says to each question, as lines. What was asked, and all lines."""
        process = self.start("-p", "--model", self.recording(*messages), "--input-format", "stream-json", *STREAM, "--permission-prompt-tool", "stdio")
        asked, seen = [], []

        def tell(value):
            process.stdin.write((json.dumps(value) + "\n").encode())
            process.stdin.flush()

        tell(self.user("go"))
        for line in process.stdout:
            seen.append(json.loads(line))
            if seen[-1]["type"] == "control_request":
                asked.append(seen[-1]["request"])
                for value in answer(seen[-1]):
                    tell(value)
            if seen[-1]["type"] == "result":
                break
        for value in lines:
            tell(value)
        out, _ = process.communicate(b"", timeout=600)
        self.assertEqual(process.returncode, code)
        return asked, seen + [json.loads(line) for line in out.splitlines()]

    def reply(self, request, answer):
        return {"type": "control_response", "response": {"subtype": "success", "request_id": request["request_id"], "response": answer}}

    def test_the_host_is_asked_for_permission(self):
        for answer, made in (({"behavior": "allow", "updatedInput": {"command": "touch other"}}, "other"), ({"behavior": "deny", "message": "not now"}, None),
                             ({"behavior": "allow"}, "made"), ({}, None)):
            asked, lines = self.hosted(lambda request, say=answer: [self.reply(request, say)], message(use("Bash", command="touch made", id="toolu_1")), message(say("done")))
            self.assertEqual([(one["subtype"], one["tool_name"], one["input"]) for one in asked], [("can_use_tool", "Bash", {"command": "touch made"})])
            self.assertEqual([name for name in ("made", "other") if os.path.exists(self.path(name))], [made] if made else [], answer)
            self.assertEqual("not now" in str(self.results(lines)), "message" in answer)
            if made:
                os.unlink(self.path(made))

    def test_what_the_host_allows_for_longer_is_not_asked_again(self):
        kept = self.path(".helve/settings.local.json")
        for place, remains in (("session", False), ("localSettings", True)):
            rule = {"toolName": "Bash", "ruleContent": "touch:*"}
            answer = {"behavior": "allow", "updatedPermissions": [{"type": "addRules", "behavior": "allow", "rules": [rule], "destination": place}]}
            asked, lines = self.hosted(lambda request, say=answer: [self.reply(request, say)], message(use("Bash", command="touch one", id="toolu_1")),
                                       message(use("Bash", command="touch two", id="toolu_2")), message(say("done")))
            self.assertEqual(len(asked), 1)
            self.assertTrue(asked[0]["permission_suggestions"], asked)
            self.assertFalse([block for block in self.results(lines) if block.get("is_error")], lines)
            self.assertEqual(os.path.exists(kept) and "touch" in self.read(kept), remains, place)

    @staticmethod
    def update(*rules, behavior="allow", place="session", **more):
        return {"type": "addRules", "behavior": behavior, "destination": place,
                "rules": [{"toolName": "Bash", "ruleContent": rule} for rule in rules], **more}

    def test_all_changes_of_an_answer_are_taken(self):
        updates = [self.update("touch:*", "mkdir:*"), self.update("rm *", behavior="deny", place="localSettings"), self.update("touch asked", behavior="ask"),
                   {"type": "setMode", "mode": "acceptEdits", "destination": "session"}]
        calls = [message(use("Bash", command=command, id="toolu_%d" % at)) for at, command in enumerate(("touch one", "mkdir two", "rm one", "touch asked"))]
        answers = [{"behavior": "allow", "updatedPermissions": updates}, {"behavior": "deny", "message": "not this"}]
        asked, lines = self.hosted(lambda request: [self.reply(request, answers.pop(0))], *calls,
                                   message(use("Write", file_path="three", content="x", id="toolu_w")), message(say("done")))
        self.assertEqual([one["input"]["command"] for one in asked], ["touch one", "touch asked"])
        self.assertEqual(sorted(name for name in os.listdir(self.project) if name[0] != "."), ["one", "three", "two"])
        self.assertIn("denied", str(self.results(lines)))
        self.assertEqual(json.loads(self.read(".helve/settings.local.json"))["permissions"], {"deny": ["Bash(rm *)"]})

    def test_rules_of_the_session_are_replaced_and_removed(self):
        answers = [[self.update("touch:*"), self.update("touch d", behavior="deny")],
                   [self.update("mkdir *", type="replaceRules"), self.update("touch d", type="removeRules", behavior="deny")], [], []]
        commands = ("touch a", "touch b", "touch d", "rmdir x", "mkdir f", "touch c", "touch d")
        calls = [message(use("Bash", command=command, id="toolu_%d" % at)) for at, command in enumerate(commands)]
        asked, lines = self.hosted(lambda request: [self.reply(request, {"behavior": "allow", "updatedPermissions": answers.pop(0)})], *calls, message(say("done")))
        self.assertEqual([one["input"]["command"] for one in asked], ["touch a", "rmdir x", "touch c", "touch d"])
        self.assertEqual(sorted(name for name in os.listdir(self.project) if name[0] != "."), ["a", "b", "c", "d", "f"])
        self.assertEqual([bool(block.get("is_error")) for block in self.results(lines)], [False, False, True, True, False, False, False])

    def test_an_answer_with_a_change_that_cannot_be_made_allows_nothing(self):
        kept = self.update("touch:*", place="localSettings")
        for change, why in ((self.update("ls", behavior="perhaps"), "behavior is none of"), (self.update(), "rules is no list"),
                            (self.update("x", place="nowhere"), "destination is none of"), (self.update(rules=[{"ruleContent": "x"}]), "toolName"),
                            (self.update("x", type="replaceRules", place="userSettings"), "in the settings"), (self.update("x", type="removeRules"), "no such rule: Bash(x)"),
                            (self.update(type="removeRules"), "rules is no list"), (self.update("x", type="dropRules"), "type is none of"),
                            (self.update(rules=[{"toolName": "Network", "ruleContent": "a.test"}]), "questions about connections"),
                            ({"type": "setMode", "mode": "plan", "destination": "userSettings"}, "for the session only"),
                            ({"type": "setMode", "mode": "x", "destination": "session"}, "no permission mode"),
                            ({"type": "addDirectories", "directories": ["/etc"], "destination": "session"}, "--add-dir"),
                            ({"type": "removeDirectories", "directories": ["/etc"], "destination": "session"}, "in the settings"), ("x", "it is a text")):
            answer = {"behavior": "allow", "updatedPermissions": [kept, change]}
            _, lines = self.hosted(lambda request, say=answer: [self.reply(request, say)], message(use("Bash", command="touch made", id="toolu_1")), message(say("done")))
            (result,) = self.results(lines)
            self.assertTrue(result["is_error"], change)
            self.assertIn("the answer of the program cannot be taken: updatedPermissions[1]: ", str(result))
            self.assertIn(why, str(result))
            self.assertEqual([name for name in ("made", ".helve/settings.local.json") if os.path.exists(self.path(name))], [], change)

    def test_the_host_is_asked_for_a_choice_a_text_and_a_form(self):
        self.needs_testing_tool()
        good = {"choice": {"colour": "g"}, "text": {"title": "My title"}, "form": {"colour": "r", "title": "T", "count": 3, "others": ["r", "g"]}}
        for kind, content in good.items():
            for answer, told in (({"action": "accept", "content": content}, "The answer: " + json.dumps(content)),
                                 ({"action": "accept", "content": {"colour": "b", "title": 1}}, "No answer: the answer of the program does not fit the question: "),
                                 ({"action": "accept"}, "does not fit"), ({"action": "decline", "message": "not now"}, "No answer: not now"), ({}, "No answer: ")):
                asked, lines = self.hosted(lambda request, say=answer: [self.reply(request, say)], message(use("TestingAsk", kind=kind, id="toolu_1")),
                                           message(say("done")))
                ((one,), (result,)) = asked, self.results(lines)
                self.assertEqual((one["subtype"], one["subject"], one["message"], one["mode"]), ("elicitation", "TestingAsk", "How shall it be?", "form"))
                self.assertEqual(set(one["requested_schema"]["properties"]) >= set(content), True, one)
                self.assertIn(told, text_of(result))
                self.assertEqual(result.get("is_error", False), not told.startswith("The answer"))

    def test_where_nobody_can_be_asked_the_model_is_told(self):
        self.needs_testing_tool()
        calls = [use("TestingAsk", kind=kind, id="toolu_" + kind) for kind in ("choice", "text", "form")]
        out = self.run_helve("-p", "--model", self.recording(message(*calls), message(say("done"))), *STREAM, "go")
        results = self.results([json.loads(line) for line in out.splitlines()])
        self.assertEqual([(text_of(result).strip(), result["is_error"]) for result in results],
                         [("No answer: nobody can be asked in this session; do what can be done without an answer", True)] * 3)

    def test_a_question_that_is_withdrawn_takes_no_answer_any_more(self):
        late = []

        def interrupt_it(request):
            late.append(self.reply(request, {"behavior": "allow"}))
            return [{"type": "control_request", "request_id": "i", "request": {"subtype": "interrupt"}}]

        asked, lines = self.hosted(interrupt_it, message(use("Bash", command="touch made", id="toolu_1")), message(say("done")), lines=late, code=1)
        self.assertEqual([line["request_id"] for line in lines if line["type"] == "control_cancel_request"], [late[0]["response"]["request_id"]])
        self.assertEqual(len(asked), 1)
        self.assertFalse(os.path.exists(self.path("made")))

    def test_a_turn_can_be_interrupted(self):
        model = self.recording(message(use("Bash", command="touch started; sleep 60", id="toolu_1")), message(say("after")))
        process = self.start("-p", "--model", model, "--allowed-tools", "Bash", "--input-format", "stream-json", *STREAM)
        process.stdin.write((json.dumps(self.user("go")) + "\n").encode())
        process.stdin.flush()
        self.wait_until(lambda: os.path.exists(self.path("started")))
        request = {"type": "control_request", "request_id": "i", "request": {"subtype": "interrupt"}}
        process.stdin.write((json.dumps(request) + "\n" + json.dumps(self.user("again")) + "\n").encode())
        out, _ = process.communicate(timeout=600)
        results = [json.loads(line) for line in out.splitlines() if b'"type":"result"' in line]
        self.assertEqual([result["is_error"] for result in results], [True, False])
        self.assertEqual(results[1]["result"], "after")


class Endings(Print):
    def recorded_sleeper(self):
        return self.recording(message(say("wait"), use("Bash", command=self.sleeper(), id="toolu_1")), message(say("done")))

    def started(self, *flags):
        process = self.start("-p", "--model", self.recorded_sleeper(), "--allowed-tools", "Bash", *flags, "go", stdin=subprocess.DEVNULL)
        self.wait_until(lambda: os.path.exists(self.path("pid")) and self.read("pid").strip())
        return process

    def gone(self):
        self.wait_until(lambda: not self.alive())

    def test_signals_end_the_turn_and_keep_the_journal(self):
        for number, code in ((signal.SIGINT, 130), (signal.SIGTERM, 143), (signal.SIGHUP, 129)):
            process = self.started("--output-format", "json")
            interrupt(process, number)
            out, err = process.communicate(timeout=600)
            self.assertEqual(process.returncode, code, err)
            result = json.loads(out)
            self.assertTrue(result["is_error"])
            events = self.events(self.journals()[-1])
            self.assertEqual(events[-1]["type"], "session_end")
            answers = [block for event in events if event["type"] == "message" and event["name"] == "user"
                       for block in event["json"] if block["type"] == "tool_result"]
            self.assertEqual(len(answers), 1)
            self.gone()
            os.unlink(self.path("pid"))

    def test_a_signal_ends_it_though_lines_keep_coming(self):
        model = self.recording(message(say("never asked")))
        process = self.start("-p", "--model", model, "--input-format", "stream-json", *STREAM)
        lines, sent = b'{"type":"keep_alive"}\n' * 3000, threading.Event()

        def feed():
            try:
                for i in range(5000):
                    os.write(process.stdin.fileno(), lines)
                    if i == 20:  # more than a pipe holds: helve reads
                        sent.set()
            except BrokenPipeError:
                pass

        feeder = threading.Thread(target=feed)
        feeder.start()
        self.assertTrue(sent.wait(600))
        interrupt(process, signal.SIGTERM)
        try:
            self.assertEqual(process.wait(timeout=600), 143)
        finally:
            process.kill()
            feeder.join()
            for stream in (process.stdin, process.stdout, process.stderr):
                stream.close()

    def test_an_interrupt_while_the_model_speaks(self):
        model = self.recording(message(say("x" * 4000), piece_ms=50))
        process = self.start("-p", "--model", model, *STREAM, "go", stdin=subprocess.DEVNULL)
        process.stdout.readline()
        time.sleep(0.3)
        interrupt(process)
        process.communicate(timeout=600)
        self.assertEqual(process.returncode, 130)

    def test_stdout_that_breaks_ends_the_turn(self):
        waits = use("Bash", command="touch begun; until test -e go; do sleep 0.05; done", id="toolu_1")
        process = self.start("-p", "--model", self.recording(message(waits), message(say("done"))), "--allowed-tools", "Bash", *STREAM, "go",
                             stdin=subprocess.DEVNULL)
        self.wait_until(lambda: os.path.exists(self.path("begun")))
        process.stdout.close()
        self.write("go", "")
        err = process.stderr.read()
        self.assertEqual(process.wait(timeout=600), 1, err)
        process.stderr.close()

    def test_full_disk_of_stdout(self):
        model = self.recording(message(say("hello")))
        with open("/dev/full", "wb") as full:
            process = self.start("-p", "--model", model, "x", stdout=full, stdin=subprocess.DEVNULL)
            _, err = process.communicate(timeout=600)
        self.assertEqual(process.returncode, 1)
        self.assertIn(b"No space", err)

    def test_a_state_directory_that_cannot_be_written(self):
        os.makedirs(os.path.join(self.home, ".local"))
        with open(os.path.join(self.home, ".local/state"), "w"):
            pass
        model = self.recording(message(say("hello")))
        self.run_helve("-p", "--model", model, "x", code=None)
        self.assertIn(self.code, (0, 1))
        self.assertNotEqual(self.err, "")
        self.assertEqual(self.ask(model, "--no-session-persistence"), "hello\n")


class Terminal(Print):
    """A person at a terminal is asked; a pty stands in for it."""

    def converse(self, model, answer, *flags, trust=None):
        master, slave = pty.openpty()
        process = subprocess.Popen([HELVE, "-p", "--model", model, *flags, "go"],
                                   stdin=slave, stderr=slave, stdout=subprocess.PIPE, cwd=self.project, env=self.env,
                                   start_new_session=True)
        os.close(slave)
        seen, answered, prompts = b"", 0, 0
        end = time.monotonic() + 60
        while time.monotonic() < end:
            ready, _, _ = select.select([master], [], [], 0.2)
            if ready:
                try:
                    seen += os.read(master, 65536)
                except OSError:
                    break
            if seen.count(b"told to the model) >") > prompts:  # what is no answer is asked for again, and refused then
                asked = seen.count(b"may this be done") > answered
                os.write(master, (answer if asked else "n").encode() + b"\n")
                answered, prompts = answered + asked, prompts + 1
            if trust and b"Trust them?" in seen and seen.rstrip(b" ").endswith(b">"):
                os.write(master, trust.encode() + b"\n")
                trust = None
            if process.poll() is not None and not ready:
                break
        else:
            process.kill()
        out = process.stdout.read()
        process.stdout.close()
        process.wait(timeout=600)
        os.close(master)
        return out.decode(), seen.decode("utf-8", "replace")

    def model(self):
        return self.recording(message(use("Bash", command="touch made \033[31m", id="toolu_1")), message(use("Bash", command="touch made \033[31m", id="toolu_2")),
                              message(say("done")))

    def plain(self):
        return self.recording(message(use("Bash", command="touch made", id="toolu_1")), message(say("done")))

    def test_no_part_of_a_command_is_hidden(self):
        fake = "ls\n  why you are asked: it only reads\n  [y] once  [n] no\n  (anything else means no) > y\n\ntouch made"
        for command, parts in (("echo hi \033]0; $(touch made) \007", ["$(touch made)"]), ("touch a\rtouch made\b\b", ["touch a", "touch made"]),
                               ("touch \u202eedam hcuot", ["\\u{202e}"]), (fake, ["  | touch made", "  |   [y] once"]),
                               ("ls" + " " * 500 + "; touch made", ["500 blanks", "; touch made"])):
            model = self.recording(message(use("Bash", command=command, id="toolu_1")), message(say("done")))
            out, seen = self.converse(model, "n")
            for part in parts:
                self.assertIn(part, seen)
            for part in ("\033]", "\u202e", "\b"):
                self.assertNotIn(part, seen.split("may this be done")[1])
            self.assertEqual(out.strip(), "done")

    def test_what_is_too_long_to_be_looked_at_cannot_be_allowed(self):
        model = self.recording(message(use("Bash", command="echo " + "x" * 70000 + "; touch made", id="toolu_1")), message(say("done")))
        out, seen = self.converse(model, "y")
        self.assertEqual(out.strip(), "done")
        self.assertNotIn("may this be done", seen)
        self.assertFalse(os.path.exists(self.path("made")))
        self.assertIn("too long to be shown", json.dumps(self.events(self.journals()[-1], "message")))

    def test_yes_no_and_a_word_to_the_model(self):
        self.needs_testing_tool()
        model = self.recording(message(use("TestingPermission", note="shall it be?", id="toolu_1")), message(say("done")))
        for answer, allowed in (("y", True), ("n", False), ("use git instead", False), ("", False)):
            out, seen = self.converse(model, answer)
            self.assertEqual(out.strip(), "done", seen)
            self.assertIn("shall it be?", seen)
            told = json.dumps(self.events(self.journals()[-1], "message"))
            self.assertEqual("It was allowed." in told, allowed, (answer, told))
            if answer.startswith("use"):
                self.assertIn(answer, told)

    def test_always_saves_the_rule(self):
        self.converse(self.plain(), "a")
        saved = json.loads(self.read(".helve/settings.local.json"))
        self.assertEqual(saved["permissions"]["allow"], ["Bash(touch:*)"])

    def test_always_holds_in_the_next_run_too(self):
        self.converse(self.plain(), "a")
        os.unlink(self.path("made"))
        self.ask(self.plain())
        self.assertTrue(os.path.exists(self.path("made")))

    def compound(self, *commands):
        return self.recording(*[message(use("Bash", command=command, id="toolu_%d" % number)) for number, command in enumerate(commands)],
                              message(say("done")))

    def questions(self, seen):
        return seen.count("may this be done")

    def test_always_to_several_parts_saves_a_rule_for_each(self):
        self.write("run", "#!/bin/sh\necho ran >> log\n")
        os.chmod(self.path("run"), 0o755)
        out, seen = self.converse(self.compound("touch made && ./run && mkdir -p sub"), "a")
        self.assertEqual(out.strip(), "done", seen)
        self.assertEqual(self.questions(seen), 1)
        self.assertIn("these rules are saved", seen)
        saved = json.loads(self.read(".helve/settings.local.json"))["permissions"]
        self.assertEqual(saved, {"allow": ["Bash(touch:*)", "Bash(./run:*)", "Bash(mkdir:*)"]})
        # Each by itself, in other words and orders, in the next run, without a person.
        self.ask(self.compound("mkdir sub/b; touch sub/c", "./run", "touch d || ./run", "(./run; touch e) && mkdir f"))
        self.assertEqual([os.path.exists(self.path(name)) for name in ("made", "sub/b", "sub/c", "d", "e", "f")], [True] * 6)
        self.assertEqual(self.read("log"), "ran\n" * 3)

    def test_only_the_rest_is_asked_for(self):
        self.settings({"permissions": {"allow": ["Bash(touch:*)"]}})
        self.write(".helve/settings.local.json", json.dumps({"permissions": {"allow": ["Bash(mkdir:*)"]}}))
        out, seen = self.converse(self.compound("touch a && mkdir b", "touch c; mkdir d; cp a e", "cp a e"), "a", trust="y")
        self.assertEqual(out.strip(), "done", seen)
        self.assertEqual(self.questions(seen), 1, seen)
        self.assertIn("the rule Edit(/%s/**) is saved" % self.project, seen)
        self.assertIn("3 commands (ok: needs no leave):", seen)
        self.assertRegex(seen, r"ask +cp a e")
        self.assertRegex(seen, r"ok +mkdir d")
        self.assertEqual(json.loads(self.read(".helve/settings.local.json"))["permissions"]["allow"], ["Bash(mkdir:*)", "Edit(/%s/**)" % self.project])
        self.assertTrue(os.path.exists(self.path("e")))

    def test_a_rule_that_stands_already_is_not_saved_twice(self):
        self.write(".helve/settings.local.json", json.dumps({"permissions": {"allow": ["Bash(touch:*)"]}}))
        _, seen = self.converse(self.plain(), "a", trust="n")  # not trusted: it does not count, and is asked for
        self.assertEqual(self.questions(seen), 1, seen)
        self.assertEqual(json.loads(self.read(".helve/settings.local.json"))["permissions"]["allow"], ["Bash(touch:*)"])

    def test_always_does_not_outweigh_what_denies_or_asks(self):
        self.settings({"permissions": {"deny": ["Bash(touch b*)"], "ask": ["Bash(touch c*)"]}})
        out, seen = self.converse(self.compound("touch a", "touch a2; touch b1", "touch c1", "touch a3"), "a")
        self.assertEqual(out.strip(), "done", seen)
        self.assertEqual(self.questions(seen), 2, seen)  # a, and c1 again, for which "always" is no answer
        self.assertEqual(sorted(name for name in os.listdir(self.project) if not name.startswith(".")), ["a", "a3"])

    def test_this_session_holds_until_its_end_only(self):
        self.converse(self.compound("touch a", "touch b && touch c"), "s")
        self.assertTrue(os.path.exists(self.path("c")))
        self.assertFalse(os.path.exists(self.path(".helve/settings.local.json")))
        self.ask(self.compound("touch d"))
        self.assertFalse(os.path.exists(self.path("d")))

    def test_an_interpreter_with_code_is_not_offered_for_always_where_nothing_confines_it(self):
        self.settings({"sandbox": {"enabled": False}})
        for command in ("python3 -c 'open(\"made\", \"w\")'", "touch a; perl -E 'say 1'"):
            _, seen = self.converse(self.compound(command), "a")
            self.assertEqual(self.questions(seen), 1, seen)
            self.assertNotIn("[a] always", seen)
            self.assertFalse(os.path.exists(self.path("made")), command)
            self.assertFalse(os.path.exists(self.path(".helve/settings.local.json")), command)

    def test_sessions_that_save_at_once_lose_no_rule(self):
        # Who starts after the first has saved, and before it trusts the folder for that, is asked about trust.
        threads = [threading.Thread(target=self.converse, kwargs={"trust": "y"}, args=(self.recording(
            message(use("Bash", command="./prog%d && touch made%d" % (number, number), id="toolu_1")), message(say("done")),
            name="model%d.jsonl" % number), "a")) for number in range(3)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        saved = json.loads(self.read(".helve/settings.local.json"))["permissions"]["allow"]
        self.assertEqual(sorted(saved), ["Bash(./prog0:*)", "Bash(./prog1:*)", "Bash(./prog2:*)", "Bash(touch:*)"])

    def test_trust_is_asked_for_once(self):
        self.write(".helve/settings.json", json.dumps({"permissions": {"allow": ["Bash(touch:*)"]}}))
        for answer, made in (("n", False), ("o", True), ("y", True), (None, True)):
            out, seen = self.converse(self.plain(), "n", trust=answer)
            self.assertEqual(out.strip(), "done", seen)
            self.assertEqual("Trust them?" in seen, answer is not None, seen)
            self.assertEqual(os.path.exists(self.path("made")), made, answer)
            if made:
                os.unlink(self.path("made"))

    def test_escapes_of_a_model_do_not_reach_the_terminal(self):
        _, seen = self.converse(self.model(), "n")
        self.assertNotIn("made \033[31m", seen)


expose(globals())
if __name__ == "__main__":
    main()
