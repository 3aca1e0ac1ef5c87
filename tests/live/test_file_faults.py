"""What the file tools do when the system fails them, through `helve exec`: killed or refused at each system call that changes
files, on a full disk, on one that is read only. Old bytes or new ones, nothing beside them, and words that help.

FAULTS_STEP=1 takes every system call (a minute or two each), not every so many.
"""
import errno
import json
import os
import resource
import shutil
import signal
import subprocess
import sys
import tarfile

from cli_support import HELVE, Case, expose, main, mount_alone, text_of, use
from harness import Skip

FAULTS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "faults.py")
OLD, NEW = "the old\n", "the new\n"
PATCH = ("*** Begin Patch\n*** Update File: p\n@@\n-the old\n+%s\n*** Add File: q\n+the new\n*** Delete File: r\n*** Update File: s\n"
         "*** Move to: t\n@@\n-the old\n+the new\n*** End Patch")


def notebook(source):
    cell = {"cell_type": "markdown", "id": "one", "metadata": {}, "source": [source]}
    return json.dumps({"cells": [cell], "metadata": {}, "nbformat": 4, "nbformat_minor": 5}, indent=1) + "\n"


def change(new):
    """What is asked of each tool, and what is there before and after, by the id of the call."""
    return {
        "write": (use("Write", file_path="w", content=new + "\n"), {"w": OLD}, {"w": new + "\n"}),
        "edit": (use("Edit", file_path="e", old_string="the old", new_string=new), {"e": OLD}, {"e": new + "\n"}),
        "multi": (use("MultiEdit", file_path="m", edits=[{"old_string": "old", "new_string": "between"},
                                                         {"old_string": "the between", "new_string": new}]),
                  {"m": OLD}, {"m": new + "\n"}),
        "patch": (use("ApplyPatch", patch=PATCH % new.replace("\n", "\n+")), {"p": OLD, "q": None, "r": "gone\n", "s": OLD, "t": None},
                  {"p": new + "\n", "q": NEW, "r": None, "s": None, "t": NEW}),
        "cell": (use("NotebookEdit", notebook_path="n.ipynb", cell_id="one", new_source=new), {"n.ipynb": notebook("the old")},
                 {"n.ipynb": notebook(new)}),
        "place": (use("Edit", file_path="h", old_string="the old", new_string=new), {"h": OLD, "l": OLD},
                  {"h": new + "\n", "l": new + "\n"}),  # two names of one file
        "made": (use("Write", file_path="made/deep/a", content=new + "\n"), {"made/deep/a": None}, {"made/deep/a": new + "\n"}),
    }


class Faults(Case):
    def setUp(self):
        super().setUp()
        self.settings({"permissions": {"allow": ["Read", "Write", "Edit"]}})
        self.env["HELVE_MAX_TOOL_CONCURRENCY"] = "1"

    def fill(self, changes, below=""):
        for _, before, _ in changes.values():
            for name, text in before.items():
                if text is not None and name != "l":
                    self.write(below + name, text)
        os.link(self.path(below + "h"), self.path(below + "l"))

    @staticmethod
    def calls(changes):
        reads = [use("Read", id="read-" + name, file_path=name) for _, before, _ in changes.values() for name, text in before.items()
                 if text is not None]
        return "".join(json.dumps(block) + "\n" for block in
                       reads + [{**block, "id": identity} for identity, (block, _, _) in changes.items()])

    @staticmethod
    def results(out):
        return {result["tool_use_id"]: result for result in map(json.loads, out.splitlines())}

    def tree(self):
        found = {}
        for folder, folders, files in os.walk(self.project):
            for name in files:
                path = os.path.join(folder, name)
                with open(path, newline="") as file:
                    found[os.path.relpath(path, self.project)] = file.read()
            if not folders and not files and folder != self.project:
                found[os.path.relpath(folder, self.project) + "/"] = "an empty folder"
        return found

    def judge(self, changes, found, results, reason):
        """Each change is made or not, as its result says, and nothing else is there. Returns how many failed."""
        failed = 0
        for identity, (_, before, after) in changes.items():
            now = {name: found.pop(name, None) for name in before}
            result = results.get(identity)
            if result and not result.get("is_error"):
                self.assertEqual(now, after, identity)
                continue
            self.assertIn(now, (before, after), identity)
            if result:
                text = text_of(result)
                failed += 1
                self.assertTrue(now == before or "was written, but" in text, (identity, text))
                if reason >= 0:  # who interrupts knows what is next
                    self.assertRegex(text, r"\. [A-Z]|; ", "nothing is said of the next step")
                    self.assertFalse(text.rstrip().endswith(os.strerror(reason)), text)
        self.assertEqual(found, {}, "something is left")
        return failed


class SystemCalls(Faults):
    def one(self, changes, number, reason):
        """One run that is ended, or failed, at its call of that number; None when there are not so many."""
        told = os.path.join(self.top, "told")
        shutil.rmtree(self.project)
        os.makedirs(self.project)
        self.fill(changes)
        # Leaks cannot be looked for while another process traces.
        env = {**self.env, "ASAN_OPTIONS": self.env.get("ASAN_OPTIONS", "") + ":detect_leaks=0"}
        ran = subprocess.run([sys.executable, FAULTS, str(number), str(reason), told, HELVE, "exec"], env=env, cwd=self.project,
                             input=self.calls(changes).encode(), stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=60,
                             check=True)
        with open(told) as file:
            answer = json.load(file)
        if "refused" in answer:
            raise Skip("tracing: " + answer["refused"])
        self.assertNotIn("Sanitizer", ran.stderr.decode())
        if not answer["reached"]:
            return None
        if reason < 0:
            self.assertIn(answer["code"], (0, 128 - reason, reason), ran.stderr)
        elif reason:
            self.assertGreaterEqual(answer["code"], 0, ran.stderr)
        self.execute()  # a session that begins looks after what was left
        failed = self.judge(changes, self.tree(), self.results(ran.stdout.decode()), reason)
        for folder, _, _ in os.walk(os.path.join(self.home, ".local")):
            if os.path.basename(folder) == "changes":
                self.assertEqual(os.listdir(folder), [])
        return failed

    def at_many_calls(self, first, reasons, step=9):
        """Returns at how many calls the program was stopped, and how many changes failed."""
        changes, runs, failed = change("the new"), 0, 0
        for number in range(first, 3000, int(os.environ.get("FAULTS_STEP", step))):
            try:
                count = self.one(changes, number, reasons[runs % len(reasons)])
            except AssertionError as reason:
                raise AssertionError("call %d, reason %d" % (number, reasons[runs % len(reasons)])) from reason
            if count is None:
                break
            runs += 1
            failed += count
        return runs, failed

    def test_killed_at_any_call_each_change_is_made_or_not(self):
        runs, _ = self.at_many_calls(4, [0])
        self.assertGreater(runs, 20)

    def test_asked_to_end_at_any_call_each_change_is_made_or_not(self):
        runs, _ = self.at_many_calls(6, [-signal.SIGTERM, -signal.SIGINT], 17)
        self.assertGreater(runs, 10)

    def test_whichever_call_fails_each_result_says_what_became_of_its_change(self):
        reasons = [errno.ENOSPC, errno.EIO, errno.EACCES, errno.EROFS, errno.EDQUOT, errno.EMFILE, errno.EINTR]
        runs, failed = self.at_many_calls(2, reasons)
        self.assertGreater(runs, 20)
        self.assertGreater(failed, 5)


class Descriptors(Faults):
    def test_with_too_few_descriptors_each_change_is_made_or_not(self):
        changes, failed, made = change("the new"), 0, 0
        for limit in (6, 9, 12, 14, 15, 16, 17, 18, 20, 30, 64):
            shutil.rmtree(self.project)
            os.makedirs(self.project)
            self.fill(changes)
            self.run_helve("exec", stdin=self.calls(changes), code=None,
                           env={**self.env, "ASAN_OPTIONS": self.env.get("ASAN_OPTIONS", "") + ":detect_leaks=0"},
                           preexec_fn=lambda limit=limit: resource.setrlimit(resource.RLIMIT_NOFILE, (limit, limit)))
            results = self.results(self.out)
            self.assertTrue(results or "`ulimit -n` raises the limit" in self.err, (limit, self.err))
            self.execute()
            count = self.judge(changes, self.tree(), results, errno.EMFILE)
            failed, made = failed + count, made + (len(results) > 0 and count == 0)
        self.assertGreater(failed, 10)
        self.assertGreater(made, 0)

    def limited(self, limit, *arguments, stdin=""):
        self.run_helve(*arguments, stdin=stdin, code=None,
                       env={**self.env, "ASAN_OPTIONS": self.env.get("ASAN_OPTIONS", "") + ":detect_leaks=0"},
                       preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (limit, limit)))

    def test_no_door_ends_but_with_words(self):
        self.write("x", "hello\n")
        for limit in (4, 5, 6, 8, 10):
            for door in ("exec",), ("tool", "call", "Read", '{"file_path":"x"}'):
                self.limited(limit, *door, stdin=json.dumps(use("Read", file_path="x")) if door == ("exec",) else "")
                self.assertIn(self.code, (1, 2, 127))
                if "loading shared libraries" not in self.err:
                    self.assertIn("ulimit -n", self.out + self.err, (limit, door))

    def test_a_file_that_cannot_be_opened_again_is_none_that_was_changed(self):
        self.env["HELVE_MAX_TOOL_CONCURRENCY"] = "8"
        names = ["f%d" % i for i in range(6)]
        for limit in range(16, 34):
            for name in names:
                self.write(name, OLD)
            blocks = [use("Read", id="r" + name, file_path=name) for name in names]
            blocks += [use("Edit", id=name, file_path=name, old_string="old", new_string="new") for name in names]
            self.limited(limit, "exec", stdin="".join(json.dumps(block) + "\n" for block in blocks))
            for name, result in self.results(self.out).items():
                self.assertNotIn("changed since", text_of(result), (limit, name))
                self.assertIn(self.read(name.lstrip("r")), (OLD, NEW))


class Disks(Faults):
    """On a file system of its own, which the program alone sees."""

    SCRIPT = """
        %s
        cp -a "$1/seed/." "$1/project"
        %s
        cd "$1/project"
        "$2" exec < "$1/calls" > "$1/out" 2> "$1/err"
        echo $? > "$1/code"
        %s
        "$2" exec < /dev/null > /dev/null
        tar -cf "$1/after.tar" .
        """
    FULL = ('mount -t tmpfs -o size=256k none "$1/project"', 'head -c 9M /dev/zero > "$1/project/filler" 2> /dev/null || :',
            'rm -f "$1/project/filler"')
    READ_ONLY = ('mount --bind "$1/project" "$1/project"', 'mount -o remount,ro,bind "$1/project"', ":")

    def on(self, steps, new, reason, home=False):
        changes = change(new)
        self.fill(changes)
        os.rename(self.project, os.path.join(self.top, "seed"))
        os.makedirs(self.project)
        with open(os.path.join(self.top, "calls"), "w") as file:
            file.write(self.calls(changes))
        env = {**self.env, "HELVE_HOME": self.path("state")} if home else self.env
        script = "set -e\n" + self.SCRIPT % steps
        script = script.replace('"$2" exec < "$1/calls"', 'set +e; "$2" exec < "$1/calls"').replace("echo $? ", "code=$?; set -e; echo $code ")
        if home:
            script = script.replace('cp -a', 'mkdir "$1/project/state"; cp "$1/home/.config/helve/settings.json" "$1/project/state"; cp -a')
        subprocess.run([*mount_alone(self.home), "sh", "-c", script, "sh", self.top, HELVE], env=env, check=True, timeout=600)
        found = {}
        with tarfile.open(os.path.join(self.top, "after.tar")) as archive:
            for member in archive.getmembers():
                if member.isfile() or member.islnk():
                    found[member.name[2:]] = archive.extractfile(member).read().decode()
                elif member.isdir() and not any(other.name.startswith(member.name + "/") for other in archive.getmembers()):
                    found[member.name[2:] + "/"] = "an empty folder"
        results, texts = {}, {}
        with open(os.path.join(self.top, "out")) as out:
            results = self.results(out.read())
        with open(os.path.join(self.top, "code")) as code:
            self.assertLess(int(code.read()), 128)
        with open(os.path.join(self.top, "err")) as err:
            texts["err"] = err.read()
        self.assertNotIn("Sanitizer", texts["err"])
        found = {name: text for name, text in found.items() if not name.startswith("state")}
        for identity, result in results.items():
            texts[identity] = text_of(result)
        return self.judge(changes, found, results, reason), texts

    def test_a_full_disk_costs_no_byte_of_what_was(self):
        failed, texts = self.on(self.FULL, "new text\n" * 1000, errno.ENOSPC)
        self.assertEqual(failed, 7)
        for identity in change(""):
            self.assertIn("No space left on device. Free some space", texts[identity], identity)

    def test_a_disk_that_is_full_of_helve_s_own_files_costs_no_byte_either(self):
        failed, texts = self.on(self.FULL, "new text\n" * 1000, errno.ENOSPC, home=True)
        self.assertTrue(failed == 7 or "No space left" in texts["err"], texts)

    def test_a_full_disk_leaves_no_empty_journal_before_the_others(self):
        """`--continue` finds the session before; one that has room for its first lines only goes on with these."""
        script = """
            set -eu
            mount -t tmpfs -o size=1m none "$1/home"; export HELVE_HOME="$1/home/state"; cd "$1/project"
            ask() { "$2" -p --model replay:"$1/said.jsonl" --output-format json $4 "$3" < /dev/null; }
            ask "$1" "$2" first ""
            for left in 0 4096 8192; do
                head -c 9M /dev/zero > "$1/home/filler" 2> /dev/null || :
                truncate -s -$left "$1/home/filler"
                ask "$1" "$2" full "" || :
                find "$1/home" -name '*.jsonl' -size 0 >> "$1/empty"
                rm "$1/home/filler"
                ask "$1" "$2" next --continue
            done
            """
        self.write("../said.jsonl", json.dumps({"role": "assistant", "content": [{"type": "text", "text": "fine"}]}) + "\n")
        ran = subprocess.run([*mount_alone(self.home), "sh", "-c", script, "sh", self.top, HELVE], env=self.env, check=True, timeout=600,
                             stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        results = [json.loads(line) for line in ran.stdout.splitlines()]
        self.assertEqual([one["result"] for one in results], ["fine"] * 7, ran)
        self.assertEqual(results[2]["session_id"], results[0]["session_id"], ran)
        self.assertIn("No space left", ran.stderr.decode())
        self.assertNotIn("Sanitizer", ran.stderr.decode())
        self.assertEqual(self.read("../empty"), "")

    def test_a_disk_that_can_only_be_read_says_so(self):
        failed, texts = self.on(self.READ_ONLY, "the new", errno.EROFS)
        self.assertEqual(failed, 7)
        for identity in change(""):
            self.assertIn("Read-only file system. That file system can only be read; choose another place", texts[identity], identity)


expose(globals())

if __name__ == "__main__":
    main()
