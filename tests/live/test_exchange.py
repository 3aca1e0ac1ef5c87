"""What was judged is what is used: files and directories are exchanged for links while calls run, while hooks think and
while somebody is asked. The attacker has what a command in the sandbox has: the workspace. EXCHANGE_TRIES sets how often
each tool is tried (some hundred were enough to get through before there were handles). What is promised is 0 of 10,000:

  EXCHANGE_TRIES=10000 HELVE=$PWD/build/helve tests/live/run test_exchange.py"""
import json
import os
import subprocess
import sys

from cli_support import Case, expose, main, text_of, use

TRIES = int(os.environ.get("EXCHANGE_TRIES", "120"))
SECRET = "TOP-SECRET-KEY"
# Exchanges pairs of names in turn until it is killed; the pause lets a call come as far as its tool.
ATTACKER = """
import ctypes, sys, time
libc = ctypes.CDLL(None)
pairs = [name.encode() for name in sys.argv[2:]]
print("ready", flush=True)
while True:
    for one, other in zip(pairs[::2], pairs[1::2]):
        libc.renameat2(-100, one, -100, other, 2)
    if float(sys.argv[1]):
        time.sleep(float(sys.argv[1]))
"""


class Exchange(Case):
    def setUp(self):
        super().setUp()
        os.makedirs(os.path.join(self.home, ".ssh"))
        os.makedirs(os.path.join(self.home, ".config/autostart"))
        self.key = os.path.join(self.home, ".ssh/id_rsa")
        self.profile = os.path.join(self.home, ".bashrc")
        for path in (self.key, os.path.join(self.home, ".config/autostart/f.txt")):
            with open(path, "w") as file:
                file.write(SECRET + "\n")
        with open(self.profile, "w") as file:
            file.write("old\n")
        self.write("notes.txt", "old harmless\n")
        self.write("d/f.txt", "old harmless\n")
        os.symlink(self.key, self.path("notes.link"))
        os.symlink(os.path.join(self.home, ".config/autostart"), self.path("d.link"))
        os.symlink(self.profile, self.path("n.link"))
        self.write("n.txt", "old\n")

    def outside(self):
        """What lies outside the workspace, to be held against what it was."""
        found = {}
        for folder, _, files in os.walk(self.home):
            if "helve" not in folder[len(self.home):]:
                for file in files:
                    with open(os.path.join(folder, file)) as content:
                        found[os.path.join(folder, file)] = content.read()
        return found

    def attack(self, *pairs, pause=0.0):
        process = subprocess.Popen([sys.executable, "-c", ATTACKER, str(pause), *pairs], cwd=self.project, stdout=subprocess.PIPE)
        self.addCleanup(process.stdout.close)
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        self.assertEqual(process.stdout.readline(), b"ready\n")
        return process

    def race(self, make, *pairs, mode, pauses=(0.0, 0.00002, 0.001)):
        """Try calls under each pause; nothing outside is shown or changed. Returns all results."""
        before, results = self.outside(), []
        for pause in pauses:
            attacker = self.attack(*pairs, pause=pause)
            calls = [call for number in range(max(1, TRIES // len(pauses))) for call in make("%s-%d" % (pause, number))]
            results += self.execute(*calls, flags=("--permission-mode", mode)).values()
            self.assertIsNone(attacker.poll())
            attacker.kill()
        for result in results:
            self.assertNotIn(SECRET, text_of(result))
        self.assertEqual(self.outside(), before)
        return results

    # ---- a process beside ----

    def test_reading_a_file_that_is_exchanged(self):
        for mode in ("default", "acceptEdits"):
            results = self.race(lambda n: [use("Read", id="r" + n, file_path="notes.txt"),
                                           use("Grep", id="g" + n, pattern="SECRET|old", path="notes.txt", output_mode="content")],
                                "notes.txt", "notes.link", mode=mode)
            self.assertTrue(any("harmless" in text_of(result) for result in results), mode)

    def test_reading_in_a_directory_that_is_exchanged(self):
        for mode in ("default", "acceptEdits"):
            results = self.race(lambda n: [use("Read", id="r" + n, file_path="d/f.txt"),
                                           use("Grep", id="g" + n, pattern="SECRET|old", path="d", output_mode="content")],
                                "d", "d.link", mode=mode)
            self.assertTrue(any("harmless" in text_of(result) for result in results), mode)

    def test_listing_a_directory_that_is_exchanged(self):
        with open(os.path.join(self.home, ".config/autostart", SECRET), "w"):
            pass
        for mode in ("default", "acceptEdits"):
            results = self.race(lambda n: [use("LS", id="l" + n, path="d"), use("Glob", id="b" + n, pattern="*", path="d")],
                                "d", "d.link", mode=mode)
            self.assertTrue(any("f.txt" in text_of(result) for result in results), mode)

    def test_changing_a_file_that_is_exchanged(self):
        self.race(lambda n: [use("Read", id="r" + n, file_path="n.txt"),
                             use("Edit", id="e" + n, file_path="n.txt", old_string="old", new_string="old"[::-1], replace_all=True),
                             use("MultiEdit", id="m" + n, file_path="n.txt", edits=[{"old_string": "dlo", "new_string": "old"}])],
                  "n.txt", "n.link", mode="acceptEdits")

    def test_writing_in_a_directory_that_is_exchanged(self):
        patch = "*** Begin Patch\n*** Add File: d/%s.patch\n+x\n*** End Patch"
        self.race(lambda n: [use("Write", id="w" + n, file_path="d/%s.desktop" % n, content="x"),
                             use("Write", id="s" + n, file_path="d/sub/%s.desktop" % n, content="x"),
                             use("ApplyPatch", id="p" + n, patch=patch % n)],
                  "d", "d.link", mode="acceptEdits")
        made = os.listdir(self.path("d")) + os.listdir(self.path("d.link"))
        self.assertTrue(any(name.endswith(".desktop") for name in made))

    def test_changing_files_together_in_a_directory_that_is_exchanged(self):
        """For another directory, not for a link: a change is one of all files of one of them, or of none."""
        for folder, text in (("e", "one"), ("e.other", "two")):
            for name in ("a", "b"):
                self.write("%s/%s" % (folder, name), text + "\n")
        patch = "*** Begin Patch\n" + "".join("*** Update File: e/%s\n@@\n-{0}\n+{1}\n" % name for name in ("a", "b")) + "*** End Patch"
        words = (("one", "ONE"), ("two", "TWO"), ("ONE", "one"), ("TWO", "two"))
        # Each waits for the disk many times: a quarter of the tries of others.
        results = self.race(lambda n: [use("ApplyPatch", id="%s.%d" % (n, at), patch=patch.format(*pair)) for at, pair in enumerate(words)
                                       if at == int(n.rsplit("-", 1)[1]) % len(words)], "e", "e.other", mode="acceptEdits")
        self.assertTrue(any(not result.get("is_error") for result in results), text_of(results[0]))
        found = []
        for folder in ("e", "e.other"):
            texts = set()
            for name in ("a", "b"):
                with open(self.path("%s/%s" % (folder, name))) as file:
                    texts.add(file.read().strip())
            self.assertEqual(len(texts), 1, (folder, texts))
            found.append(texts.pop().lower())
        self.assertEqual(sorted(found), ["one", "two"])

    def test_changing_a_notebook_that_is_exchanged(self):
        cells = {"cells": [{"cell_type": "code", "id": "c", "source": "old", "metadata": {}, "outputs": [], "execution_count": None}],
                 "metadata": {}, "nbformat": 4, "nbformat_minor": 5}
        self.write("n.ipynb", json.dumps(cells))
        with open(os.path.join(self.home, "own.ipynb"), "w") as file:
            json.dump({**cells, "metadata": {"note": SECRET}}, file)
        os.symlink(os.path.join(self.home, "own.ipynb"), self.path("n.ipynb.link"))
        results = self.race(lambda n: [use("Read", id="r" + n, file_path="n.ipynb"),
                                       use("NotebookEdit", id="e" + n, notebook_path="n.ipynb", cell_id="c", new_source="x" + n)],
                            "n.ipynb", "n.ipynb.link", mode="acceptEdits")
        self.assertTrue(any(not result.get("is_error") for result in results))

    def test_watching_a_file_that_is_exchanged(self):
        """What is appended to the key while it may be watched is not shown."""
        append = "i=0; while [ $i -lt 20 ]; do echo %s >> '%s'; i=$((i+1)); sleep 0.05; done" % (SECRET, self.key)
        writer = os.path.join(self.top, "writer")
        with open(writer, "w") as file:
            file.write("#!/bin/sh\n" + append)
        os.chmod(writer, 0o755)
        for pause in (0.0, 0.001):
            attacker = self.attack("notes.txt", "notes.link", pause=pause)
            calls = [use("Monitor", id="m%d" % number, file="notes.txt", pattern="SECRET|harm", description="x") for number in range(8)]
            results = self.execute(*calls, use("Bash", id="append", command=writer, sandbox=False), *[
                use("TaskOutput", id="o%d" % number, task_id="monitor_%d" % (number + 1)) for number in range(8)],
                flags=("--permission-mode", "default", "--allowed-tools", "Bash", "Monitor"))
            attacker.kill()
            for result in results.values():
                self.assertNotIn(SECRET, text_of(result))

    # ---- an attacker that is a command itself, at each level of the sandbox ----

    def level(self, env):
        """What HELVE_SANDBOX is in a command: what the machine lets the sandbox be."""
        lines = self.run_helve("doctor", "--offline", "--json", env=env, code=None).splitlines()
        said = json.loads(next(line for line in lines if '"sandbox"' in line))["message"]
        return "full" if said.startswith("full") else "landlock" if said.startswith("Landlock") else ""

    def inside(self, name, env, settings):
        """The attacker runs in the background of the very session that it attacks."""
        names = ["notes.txt", "notes.link", "d", "d.link", "n.txt", "n.link"]  # in the script: a command that names one is asked about
        attacker = ATTACKER.replace('print("ready", flush=True)', 'open("ready-%s", "w").close()' % name).replace("sys.argv[2:]", repr(names))
        self.write("attack.py", attacker)
        self.settings(settings)
        level, before, results = self.level(env), self.outside(), []
        if name == "less" and level != "landlock":
            self.skipTest("there is no Landlock here")
        for pause in ("0.0", "0.001", "0.02", "0.2"):
            if float(pause) > 0.001 and any("harmless" in text_of(result) for result in results):
                break  # slower ones only until a call has met the files as they are
            if os.path.exists(self.path("ready-" + name)):
                os.unlink(self.path("ready-" + name))
            start = "exec %s attack.py %s" % (sys.executable, pause)
            wait = "for i in $(seq 600); do [ -e ready-%s ] && break; sleep 0.1; done; test -e ready-%s && echo attacked in \"$HELVE_SANDBOX\"" % (name, name)
            calls = [use("Bash", id="attack", command=start, run_in_background=True), use("Bash", id="wait", command=wait)]
            for number in range(max(1, TRIES // 10 if TRIES < 1000 else TRIES // 2)):
                n = "%s%d" % (pause, number)
                calls += [use("Read", id="r" + n, file_path="notes.txt"), use("Read", id="R" + n, file_path="d/f.txt"),
                          use("Grep", id="g" + n, pattern="SECRET|old", path="notes.txt", output_mode="content"),
                          use("Write", id="w" + n, file_path="d/%s.desktop" % n, content="x"), use("Read", id="p" + n, file_path="n.txt"),
                          use("Edit", id="e" + n, file_path="n.txt", old_string="old", new_string="dlo", replace_all=True),
                          use("MultiEdit", id="m" + n, file_path="n.txt", edits=[{"old_string": "dlo", "new_string": "old"}])]
            done = self.execute(*calls, flags=("--permission-mode", "acceptEdits"), env=env)
            self.assertIn('attacked in %s' % level, text_of(done["wait"]), name)
            results += done.values()
        for result in results:
            self.assertNotIn(SECRET, text_of(result), name)
        self.assertEqual(self.outside(), before, name)
        self.assertTrue(any("harmless" in text_of(result) for result in results), name)

    def test_an_attacker_inside_the_sandbox_at_each_level(self):
        less = os.path.join(self.top, "bin")
        os.makedirs(less)
        for directory in self.env["PATH"].split(":"):
            for name in os.listdir(directory) if os.path.isdir(directory) else ():
                if name != "bwrap" and not os.path.lexists(os.path.join(less, name)):
                    os.symlink(os.path.join(directory, name), os.path.join(less, name))
        for name, enabled, env in (("full", True, self.env), ("off", False, self.env), ("less", True, dict(self.env, PATH=less))):
            self.inside(name, env, {"permissions": {"allow": ["Bash"]}, "sandbox": {"enabled": enabled}})

    # ---- while a hook runs, or somebody is asked ----

    def hook(self, event, *links, answer="", more=None, matcher="*"):
        """A hook that puts links in the place of names the first time it is asked; answer is what it says then."""
        steps = "; ".join("mv %s %s.was; ln -s %s %s" % (name, name, target, name) for name, target in links)
        command = "cd %s; if [ ! -e %s/done ]; then touch %s/done; %s; %s fi" % (
            self.project, self.top, self.top, steps, "echo '%s';" % answer if answer else "")
        self.settings({"hooks": {event: [{"matcher": matcher, "hooks": [{"type": "command", "command": command}]}]}, **(more or {})})

    def again(self):
        """The workspace as it was before the hook."""
        done = os.path.join(self.top, "done")
        self.assertTrue(os.path.exists(done), "the hook did not run")
        os.unlink(done)
        for name in ("notes.txt", "d", "n.txt"):
            if os.path.islink(self.path(name)):
                os.unlink(self.path(name))
                os.rename(self.path(name + ".was"), self.path(name))

    def test_what_a_hook_exchanges_is_seen(self):
        patch = "*** Begin Patch\n*** Add File: d/p.desktop\n+x\n*** End Patch"
        edit = (use("Read", id="0", file_path="n.txt"), use("Edit", id="1", file_path="n.txt", old_string="old", new_string="evil"))
        calls = [use("Read", id="1", file_path="notes.txt"), use("Read", id="1", file_path="d/f.txt"),
                 use("Grep", id="1", pattern="SECRET", path="notes.txt", output_mode="content"),
                 use("Write", id="1", file_path="d/new.desktop", content="x"), use("ApplyPatch", id="1", patch=patch),
                 use("Bash", id="1", command="cat notes.txt"), use("Bash", id="1", command="grep -r SECRET d/f.txt"), edit]
        autostart = os.path.join(self.home, ".config/autostart")
        for enabled in (True, False):
            for mode in ("default", "acceptEdits"):
                for call in calls:
                    before_it, call = call if isinstance(call, tuple) else (None, call)
                    self.hook("PreToolUse", ("notes.txt", self.key), ("d", autostart), ("n.txt", self.profile), matcher=call["name"],
                              more={"sandbox": {"enabled": enabled}})
                    before = self.outside()
                    text = text_of(self.execute(*filter(None, (before_it, call)), flags=("--permission-mode", mode))["1"])
                    self.assertNotIn(SECRET, text.replace(json.dumps(call["input"]), ""), (enabled, mode, call))
                    self.assertEqual(self.outside(), before, (enabled, mode, call))
                    self.again()

    def test_what_is_exchanged_during_a_question_is_asked_again(self):
        allow = json.dumps({"hookSpecificOutput": {"hookEventName": "PermissionRequest", "decision": {"behavior": "allow"}}})
        autostart = os.path.join(self.home, ".config/autostart")
        edit = (use("Read", id="0", file_path="n.txt"), use("Edit", id="1", file_path="n.txt", old_string="old", new_string="evil"))
        more = {"sandbox": {"enabled": False}, "permissions": {"ask": ["Read(notes.txt)", "Bash(cat:*)"]}}
        for calls in ((use("Write", id="1", file_path="d/x.desktop", content="x"),), (use("Bash", id="1", command="touch d/y.desktop"),), edit,
                      (use("Bash", id="1", command="cat notes.txt"),), (use("Read", id="1", file_path="notes.txt"),),
                      (use("Grep", id="1", pattern="SECRET", path="notes.txt", output_mode="content"),)):
            self.hook("PermissionRequest", ("notes.txt", self.key), ("d", autostart), ("n.txt", self.profile), answer=allow, more=more)
            before = self.outside()
            result = self.execute(*calls)["1"]
            self.assertTrue(result.get("is_error"), (calls, text_of(result)))
            self.assertNotIn(SECRET, text_of(result), calls)
            self.assertEqual(self.outside(), before, calls)
            self.again()

    def test_a_save_by_rename_during_a_question_changes_nothing(self):
        allow = json.dumps({"hookSpecificOutput": {"hookEventName": "PermissionRequest", "decision": {"behavior": "allow"}}})
        other = os.path.join(self.top, "other.txt")
        self.settings({"hooks": {"PermissionRequest": [{"hooks": [{"type": "command", "command":
            "cd %s; echo once >> asked; echo saved > t; mv t other.txt; echo '%s'" % (self.top, allow)}]}]}})
        with open(other, "w") as file:
            file.write("old\n")
        self.assertIn("saved", text_of(self.execute(use("Read", id="1", file_path=other))["1"]))
        with open(os.path.join(self.top, "asked")) as file:
            self.assertEqual(file.read(), "once\n")


expose(globals())
if __name__ == "__main__":
    main()
