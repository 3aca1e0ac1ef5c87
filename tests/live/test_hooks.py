"""Hooks as people have them: commands that are told on stdin what happens, and whose answers count."""
import json
import os

import test_cli_print
from cli_support import Case, expose, main, message, say, text_of, use

EVENTS = ("SessionStart", "SessionEnd", "UserPromptSubmit", "PreToolUse", "PermissionRequest", "PermissionDenied", "PostToolUse",
          "PostToolUseFailure", "Notification", "Stop", "TaskCreated", "TaskCompleted", "CwdChanged", "SubagentStart", "SubagentStop", "PreCompact")


class Hooks(Case):
    def hooks(self, more=None, **events):
        """Each event's command; it may be a list of them."""
        lists = {event: [{"hooks": [{"type": "command", "command": one} for one in ([command] if isinstance(command, str) else command)]}]
                 for event, command in events.items()}
        self.settings({"hooks": lists, "sandbox": {"enabled": False}, **(more or {})})

    def answer(self, name, **output):
        """A command that answers with this."""
        path = os.path.join(self.top, name + ".json")
        with open(path, "w") as file:
            json.dump(output, file)
        return "cat >> %s/asked; echo >> %s/asked; cat %s" % (self.top, self.top, path)

    def decide(self, name, **decision):
        return self.answer(name, hookSpecificOutput={"hookEventName": "PermissionRequest", "decision": decision})

    def asked(self):
        """What the hooks of answer() were told."""
        path = os.path.join(self.top, "asked")
        if not os.path.exists(path):
            return []
        with open(path) as file:
            return [json.loads(line) for line in file if line.strip()]

    def ask(self, *messages, flags=(), code=0):
        return self.run_helve("-p", "--model", self.recording(*messages), *flags, "do it", code=code)

    def told(self):
        """All events so far, by name, as their hooks were told them."""
        found = {}
        with open(os.path.join(self.top, "told")) as file:
            for line in file:
                if line.strip():
                    event = json.loads(line)
                    found.setdefault(event["hook_event_name"], []).append(event)
        return found

    def test_a_condition_looks_at_the_text_that_the_tool_names(self):
        """WebSearch has no subject for rules: what stands for its input is the query."""
        told = os.path.join(self.top, "told")
        block = {"type": "command", "command": f"cat >> {told}; echo >> {told}; echo no pears >&2; exit 2", "if": "WebSearch(pears *)"}
        self.settings({"hooks": {"PreToolUse": [{"matcher": "WebSearch", "hooks": [block]}]}, "sandbox": {"enabled": False},
                       "webSearch": {"backend": "searxng", "url": "http://127.0.0.1:9/"}})
        ran = self.ask(message(use("WebSearch", query="plums in spring", id="toolu_1")), message(use("WebSearch", query="pears in spring", id="toolu_2")),
                       message(say("done")))
        with open(told) as file:
            self.assertEqual([json.loads(line)["tool_input"]["query"] for line in file if line.strip()], ["pears in spring"], ran)

    # ---- what they are told ----

    def test_every_event_tells_what_is_documented(self):
        self.hooks({"permissions": {"allow": ["Bash(touch:*)", "Bash(sleep:*)", "Bash(cd:*)"]}},
                   **{event: "cat >> %s/told; echo >> %s/told" % (self.top, self.top) for event in EVENTS})
        os.makedirs(self.path("sub"))
        self.ask(message(use("Bash", command="touch a", id="toolu_1")), message(use("Read", file_path="missing", id="toolu_2")),
                 message(use("Bash", command="cp a b", id="toolu_3")), message(use("Bash", command="cd sub", id="toolu_4")),
                 message(use("Bash", command="sleep 0.01", run_in_background=True, id="toolu_5")),
                 message(use("TaskOutput", task_id="bash_1", block=True, id="toolu_6")), message(say("all done")))
        told = self.told()
        for event in (one for events in told.values() for one in events):
            self.assertEqual(set(("session_id", "transcript_path", "cwd", "permission_mode", "hook_event_name")) - set(event), set(), event)
            self.assertEqual(event["permission_mode"], "default")
            self.assertTrue(os.path.exists(event["transcript_path"]), event)
        self.assertEqual(len(set(one["session_id"] for events in told.values() for one in events)), 1)
        (start,), (end,), (prompt,), (stop,) = (told[name] for name in ("SessionStart", "SessionEnd", "UserPromptSubmit", "Stop"))
        self.assertEqual((start["source"], prompt["prompt"]), ("startup", "do it"))
        self.assertIn("model", start)
        self.assertTrue(end["reason"])
        self.assertEqual((stop["stop_hook_active"], stop["last_assistant_message"]), (False, "all done"))
        self.assertEqual([event["tool_use_id"] for event in told["PreToolUse"]], ["toolu_%d" % number for number in range(1, 7)])
        self.assertEqual((told["PreToolUse"][0]["tool_name"], told["PreToolUse"][0]["tool_input"]["command"]), ("Bash", "touch a"))
        self.assertEqual(sorted(event["tool_use_id"] for event in told["PostToolUse"]), ["toolu_1", "toolu_4", "toolu_5", "toolu_6"])
        self.assertTrue(all("tool_response" in event and event["duration_ms"] >= 0 for event in told["PostToolUse"]))
        (failure,) = told["PostToolUseFailure"]
        self.assertEqual((failure["tool_use_id"], failure["is_interrupt"]), ("toolu_2", False))
        self.assertIn("missing", failure["error"])
        (request,), (denied,) = told["PermissionRequest"], told["PermissionDenied"]
        self.assertEqual(request["permission_suggestions"], [
            {"type": "addRules", "rules": [{"toolName": "Edit", "ruleContent": "/%s/**" % self.project}], "behavior": "allow", "destination": "localSettings"}])
        self.assertEqual((denied["tool_use_id"], denied["tool_input"]["command"]), ("toolu_3", "cp a b"))
        self.assertIn("cp a b", denied["reason"])
        (moved,) = told["CwdChanged"]
        self.assertEqual((moved["old_cwd"], moved["new_cwd"]), (self.project, self.path("sub")))
        (created,), (completed,) = told["TaskCreated"], told["TaskCompleted"]
        self.assertEqual((created["task_id"], created["task_type"], completed["status"], completed["exit_code"]), ("bash_1", "bash", "completed", 0))
        self.assertEqual(set(told) & {"SubagentStart", "SubagentStop", "PreCompact", "Notification"}, set())

    def test_a_session_that_goes_on_says_so(self):
        self.hooks(SessionStart="cat >> %s/told; echo >> %s/told" % (self.top, self.top))
        self.ask(message(say("one")))
        self.ask(message(say("two")), flags=("--continue",))
        self.assertEqual([event["source"] for event in self.told()["SessionStart"]], ["startup", "resume"])

    # ---- what their answers do ----

    def test_a_hook_may_answer_always(self):
        self.hooks(PermissionRequest=self.decide("yes", behavior="allow", updatedPermissions=[
            {"type": "addRules", "rules": [{"toolName": "Bash", "ruleContent": "touch:*"}, {"toolName": "Write"}], "behavior": "allow",
             "destination": "session"}]))
        self.ask(message(use("Bash", command="touch a", id="toolu_1")), message(use("Bash", command="touch b", id="toolu_2")),
                 message(use("Write", file_path="c", content="x", id="toolu_3")), message(say("done")))
        self.assertEqual(len(self.asked()), 1)
        self.assertEqual(sorted(name for name in os.listdir(self.project) if len(name) == 1), ["a", "b", "c"])
        self.assertFalse(os.path.exists(self.path(".helve/settings.local.json")))

    def test_rules_of_a_hook_are_saved_where_it_says(self):
        rules = {"type": "addRules", "rules": [{"toolName": "Bash", "ruleContent": "touch:*"}], "behavior": "allow"}
        self.hooks(PermissionRequest=self.decide("yes", behavior="allow", updatedPermissions=[
            {**rules, "destination": "localSettings"}, {**rules, "behavior": "deny", "rules": [{"toolName": "Bash", "ruleContent": "rm *"}],
                                                        "destination": "userSettings"}]))
        self.ask(message(use("Bash", command="touch a", id="toolu_1")), message(use("Bash", command="rm a", id="toolu_2")), message(say("done")))
        self.assertEqual(len(self.asked()), 1)
        self.assertTrue(os.path.exists(self.path("a")))
        self.assertEqual(json.loads(self.read(".helve/settings.local.json"))["permissions"], {"allow": ["Bash(touch:*)"]})
        with open(os.path.join(self.home, ".config/helve/settings.json")) as file:
            self.assertEqual(json.load(file)["permissions"], {"deny": ["Bash(rm *)"]})

    def test_rules_are_saved_while_the_sandbox_keeps_the_place_of_their_file(self):
        self.hooks({"sandbox": {}}, PermissionRequest=self.decide("yes", behavior="allow", updatedPermissions=[
            {"type": "addRules", "rules": [{"toolName": "Bash", "ruleContent": "touch:*"}], "behavior": "allow", "destination": "localSettings"}]))
        self.ask(message(use("Bash", command="ls", id="toolu_0")), message(use("Bash", command="touch a", id="toolu_1")),
                 message(use("Bash", command="ls .helve; touch b", id="toolu_2")), message(say("done")))
        self.assertEqual(self.complaints(), [])
        self.assertEqual(json.loads(self.read(".helve/settings.local.json"))["permissions"], {"allow": ["Bash(touch:*)"]})
        self.assertEqual(sorted(os.listdir(self.project)), [".helve", "a", "b"])

    def test_a_hook_may_change_the_mode_but_not_switch_the_asking_off(self):
        for mode, asked, made in (("acceptEdits", 1, ["a", "b"]), ("bypassPermissions", 2, []), ("nonsense", 2, [])):
            self.hooks(PermissionRequest=self.decide("yes", behavior="allow", updatedPermissions=[{"type": "setMode", "mode": mode, "destination": "session"}]))
            self.ask(message(use("Write", file_path="a", content="x", id="toolu_1")), message(use("Write", file_path="b", content="x", id="toolu_2")),
                     message(say("done")))
            self.assertEqual(len(self.asked()), asked, mode)
            self.assertEqual("cannot be taken: updatedPermissions[0]: " in self.err, asked == 2, self.err)
            self.assertEqual([name for name in ("a", "b") if os.path.exists(self.path(name))], made, mode)
            for name in made:
                os.unlink(self.path(name))
            os.unlink(os.path.join(self.top, "asked"))

    def test_a_hook_takes_away_no_denial_of_the_session(self):
        for change in ("replaceRules", "removeRules"):
            gone = {"type": change, "behavior": "deny", "rules": [{"toolName": "Bash"}] if change == "removeRules" else [], "destination": "session"}
            self.hooks(PermissionRequest=self.decide("yes", behavior="allow", updatedPermissions=[gone]))
            self.ask(message(use("Write", file_path="a", content="x", id="toolu_1")), message(say("done")))
            self.assertIn("not a hook's to take away", self.err)
            self.assertFalse(os.path.exists(self.path("a")))

    def test_a_list_of_changes_that_is_none_allows_nothing(self):
        self.hooks(PermissionRequest=self.decide("yes", behavior="allow", updatedPermissions={"type": "setMode", "mode": "acceptEdits"}))
        self.ask(message(use("Write", file_path="a", content="x", id="toolu_1")), message(say("done")))
        self.assertIn("updatedPermissions is no list", self.err)
        self.assertFalse(os.path.exists(self.path("a")))

    def test_what_is_confirmed_each_time_stays_so(self):
        rule = {"type": "addRules", "rules": [{"toolName": "Bash"}], "behavior": "allow", "destination": "localSettings"}
        self.hooks(PermissionRequest=self.decide("yes", behavior="allow", updatedPermissions=[rule]))
        os.makedirs(os.path.join(self.home, ".aws"))
        with open(os.path.join(self.home, ".aws/credentials"), "w"):
            pass
        calls = [message(use("Bash", command="cat ~/.aws/credentials", id="toolu_%d" % number)) for number in range(2)]
        self.ask(*calls, message(say("done")))
        self.assertEqual(self.asked(), [])  # nobody is there to confirm it
        out, _ = test_cli_print.Terminal.converse(self, self.recording(*calls, message(say("done"))), "n")
        self.assertEqual((out.strip(), len(self.asked())), ("done", 2))
        self.assertEqual([request["permission_suggestions"] for request in self.asked()], [[], []])
        self.assertFalse(os.path.exists(self.path(".helve/settings.local.json")))

    def test_a_refusal_may_end_the_turn(self):
        self.needs_testing_tool()
        self.hooks(PermissionRequest=self.decide("no", behavior="deny", message="not today", interrupt=True))
        self.ask(message(use("TestingPermission", id="toolu_1")), message(say("never said")), code=None)
        self.assertNotIn("never said", self.out)
        self.assertIn("not today", self.out + self.err)
        self.hooks(PermissionRequest=self.decide("no", behavior="deny", message="not today"))
        self.assertEqual(self.ask(message(use("TestingPermission", id="toolu_1")), message(say("said"))), "said\n")

    def test_a_rule_that_denies_is_not_outweighed_by_a_hook(self):
        self.hooks({"permissions": {"deny": ["Bash(touch:*)"]}}, PreToolUse=self.answer(
            "allow", hookSpecificOutput={"hookEventName": "PreToolUse", "permissionDecision": "allow"}),
                   PermissionRequest=self.decide("yes", behavior="allow"))
        result = self.execute(use("Bash", command="touch a", id="t"))["t"]
        self.assertTrue(result["is_error"])
        self.assertIn("Bash(touch:*)", text_of(result))
        self.assertFalse(os.path.exists(self.path("a")))

    def test_the_person_is_told_what_a_hook_says(self):
        self.hooks(SessionStart="echo 'the repository is frozen' >&2; exit 2", PostToolUse=self.answer("note", systemMessage="formatted 3 files"),
                   SessionEnd="echo 'still frozen' >&2; exit 2")
        self.assertEqual(self.ask(message(use("LS", path=".", id="toolu_1")), message(say("done"))), "done\n")
        for part in ("the repository is frozen", "PostToolUse hook says: formatted 3 files", "still frozen"):
            self.assertIn(part, self.err)


expose(globals())
if __name__ == "__main__":
    main()
