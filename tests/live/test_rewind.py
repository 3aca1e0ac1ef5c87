"""`helve rewind`: what a session changed goes back, byte for byte, and nothing that somebody else did is lost."""
import glob
import hashlib
import json
import os
import re
import shutil
import subprocess
import time

from cli_support import expose, main, message, say, use
from rewind_support import Rewind


class Tools(Rewind):
    def test_an_edit_goes_back_byte_for_byte_with_its_mode_and_time(self):
        path = self.write("a.sh", b"#!/bin/sh\r\necho one\n\xff\xfe tail")
        os.chmod(path, 0o750)
        os.utime(path, ns=(1, 1500000000123456789))
        before = self.tree()
        self.turn(use("Read", file_path=path), use("Edit", file_path=path, old_string="one", new_string="two"))
        self.assertNotEqual(self.tree(), before)
        self.assertIn("a.sh", self.rewind("--to", "1"))
        self.assertEqual(self.tree(), before)
        self.assertEqual(os.stat(path).st_mtime_ns, 1500000000123456789)

    def test_what_was_written_anew_goes_and_what_was_deleted_comes_back(self):
        old = self.write("sub/old.txt", "line one\nline two\n")
        os.chmod(old, 0o600)
        before = self.tree()
        patch = "*** Begin Patch\n*** Add File: new.txt\n+hello\n*** Delete File: sub/old.txt\n*** End Patch"
        self.turn(use("Read", file_path=old), use("ApplyPatch", patch=patch), use("Write", file_path=self.path("deep/er/x"), content="x"))
        self.assertFalse(self.exists("sub/old.txt"))
        actions, _ = self.plan("--to", "1")
        self.assertEqual({name: actions[name] for name in ("new.txt", "sub/old.txt", "deep/er/x")},
                         {"new.txt": "remove", "sub/old.txt": "bring back", "deep/er/x": "remove"})
        self.assertEqual({name: value for name, value in self.tree().items() if not name.startswith("deep")}, before)
        self.assertFalse(self.exists("deep/er/x"))

    def test_a_patch_that_moves_a_file_is_taken_back(self):
        self.write("one.txt", "alpha\nbeta\n")
        before = self.tree()
        patch = "*** Begin Patch\n*** Update File: one.txt\n*** Move to: two.txt\n@@\n alpha\n-beta\n+gamma\n*** End Patch"
        self.turn(use("Read", file_path=self.path("one.txt")), use("ApplyPatch", patch=patch))
        self.assertEqual(self.read("two.txt"), "alpha\ngamma\n")
        self.rewind("--to", "1")
        self.assertEqual(self.tree(), before)

    def test_many_edits_and_a_notebook(self):
        path = self.write("m.txt", "a b c d\n")
        cells = {"cells": [{"cell_type": "code", "id": "x", "metadata": {}, "source": ["1\n"], "outputs": [], "execution_count": None}],
                 "metadata": {}, "nbformat": 4, "nbformat_minor": 5}
        book = self.write("n.ipynb", json.dumps(cells, indent=1))
        before = self.tree()
        edits = [{"old_string": "a", "new_string": "A"}, {"old_string": "d", "new_string": "D"}]
        self.turn(use("Read", file_path=path), use("MultiEdit", file_path=path, edits=edits), use("Read", file_path=book),
                  use("NotebookEdit", notebook_path=book, cell_id="x", new_source="2"))
        self.assertEqual(self.read("m.txt"), "A b c D\n")
        self.assertNotEqual(self.tree()["n.ipynb"], before["n.ipynb"])
        self.rewind("--to", "1")
        self.assertEqual(self.tree(), before)

    def test_each_turn_is_a_place_to_go_back_to(self):
        path = self.write("f", "0\n")
        states = [self.tree()]
        for number in range(1, 4):
            self.turn(use("Read", file_path=path), use("Edit", file_path=path, old_string="%d" % (number - 1), new_string="%d" % number),
                      use("Write", file_path=self.path("new%d" % number), content="x"), prompt="turn %d" % number)
            states.append(self.tree())
        self.rewind("--to", "3", "--code")
        self.assertEqual(self.tree(), states[2])
        self.rewind("--to", "1", "--code")
        self.assertEqual(self.tree(), states[0])
        listed = self.rewind()
        for number in range(1, 4):
            self.assertRegex(listed, r"(?m)^ +%d .*turn %d$" % (number, number))

    def test_a_file_edited_twice_in_a_turn_is_kept_once(self):
        path = self.write("f", "a b\n")
        self.turn(use("Read", file_path=path), use("Edit", file_path=path, old_string="a", new_string="x"),
                  use("Edit", file_path=path, old_string="b", new_string="y"))
        self.assertEqual(len(os.listdir(self.store())), 1)
        self.assertEqual(os.listdir(self.store()), [hashlib.sha256(b"a b\n").hexdigest()])
        self.rewind("--to", "1")
        self.assertEqual(self.read("f"), "a b\n")

    def test_a_call_that_failed_leaves_nothing_to_rewind(self):
        path = self.write("f", "a\n")
        self.turn(use("Read", file_path=path), use("Edit", file_path=path, old_string="zzz", new_string="x"))
        actions, last = self.plan("--to", "1")
        self.assertEqual(actions, {})
        self.assertEqual(last["files"], 0)

    def test_copies_are_private(self):
        path = self.write("f", "a\n")
        self.turn(use("Read", file_path=path), use("Edit", file_path=path, old_string="a", new_string="b"))
        self.assertEqual(os.stat(self.store()).st_mode & 0o777, 0o700)
        for name in os.listdir(self.store()):
            self.assertEqual(os.stat(os.path.join(self.store(), name)).st_mode & 0o777, 0o600)

    def test_names_that_are_no_utf8_and_hold_newlines(self):
        name = os.fsencode(self.project) + b"/odd\n\xff\xfename"
        with open(name, "wb") as file:
            file.write(b"one\n")
        before = self.tree()
        self.turn(use("Bash", command="printf 'two\\n' > $'odd\\n\\xff\\xfename'"))
        with open(name, "rb") as file:
            self.assertEqual(file.read(), b"two\n")
        self.rewind("--to", "1")
        self.assertEqual(self.tree(), before)


class Shell(Rewind):
    def test_what_a_command_says_it_writes_goes_back(self):
        self.write("gone.txt", "bytes\n")
        self.write("moved.txt", "m\n")
        self.write("d/one", "1")
        self.write("d/e/two", "2")
        os.symlink("moved.txt", self.path("link"))
        before = self.tree()
        self.turn(use("Bash", command="rm gone.txt"), use("Bash", command="mv moved.txt other.txt"), use("Bash", command="echo hi > made.txt"),
                  use("Bash", command="rm -r d"), use("Bash", command="rm link"), use("Bash", command="mkdir -p new/dir"))
        self.assertFalse(self.exists("d"))
        self.rewind("--to", "1")
        self.assertEqual(self.tree(), before)


    def test_what_an_unknown_program_changes_goes_back(self):
        self.write("a.txt", b"one\xff\n")
        self.write("b.txt", "to go\n")
        self.write("sub/c.txt", "in a folder\n")
        os.symlink("a.txt", self.path("link"))
        os.chmod(self.path("sub/c.txt"), 0o600)
        os.mkdir(self.path("empty"), 0o700)
        before = self.tree()
        self.turn(self.script("""
import os, shutil
open("a.txt", "ab").write(b"more")
os.remove("b.txt")
shutil.rmtree("sub")
os.remove("link"); os.symlink("b.txt", "link")
os.rmdir("empty")
os.makedirs("made/deep"); open("made/deep/x", "w").write("x")
"""))
        self.assertFalse(self.exists("b.txt"))
        self.rewind("--to", "1")
        self.assertEqual(self.tree(), before)
        self.rewind("--undo")
        self.assertTrue(self.exists("made/deep/x"))
        self.assertFalse(self.exists("sub"))
        self.assertEqual(os.readlink(self.path("link")), "b.txt")

    def test_a_program_between_two_edits_breaks_no_chain(self):
        path = self.write("f", "one\n")
        self.turn(use("Read", file_path=path), use("Edit", file_path=path, old_string="one", new_string="two"),
                  self.script("text = open('f').read(); open('f', 'w').write('# formatted\\n' + text)"),
                  use("Read", file_path=path), use("Edit", file_path=path, old_string="two", new_string="three"))
        self.assertEqual(self.read("f"), "# formatted\nthree\n")
        self.rewind("--to", "1")
        self.assertEqual(self.read("f"), "one\n")

    def test_what_was_too_large_to_be_copied_before_is_said(self):
        self.write("large", b"x" * (17 << 20))
        self.write("small", "s\n")
        self.turn(self.script("open('large', 'ab').write(b'y'); open('small', 'w').write('t')"))
        out = self.rewind("--to", "1", code=1)
        self.assertIn("no earlier copy", out)
        self.assertEqual(self.read("small"), "t")
        self.rewind("--to", "1", "--force")
        self.assertEqual(self.read("small"), "s\n")
        self.assertEqual(os.path.getsize(self.path("large")), (17 << 20) + 1)

    def test_larger_files_are_copied_before_a_command_while_there_is_room(self):
        for number, megabytes in enumerate((2, 11, 12)):  # of 24 together
            self.write("l%d" % number, bytes([number]) * (megabytes << 20))
        self.write("small", "s\n")
        old = self.tree()
        self.turn(self.script("for name in 'l0 l1 l2 small'.split(): open(name, 'ab').write(b'y')"))
        out = self.rewind("--to", "1", code=1)
        self.assertRegex(out, "leave *l2 .*no earlier copy")
        self.rewind("--to", "1", "--force")
        now = self.tree()
        left = [name for name in old if now[name] != old[name]]
        self.assertIn(left, (["l2"], ["l1", "l2"]))  # on a slow disk there is no time for more

    def test_extended_attributes_of_a_deleted_file_come_back(self):
        path = self.write("f", "x\n")
        try:
            os.setxattr(path, "user.mark", b"\x00value")
        except OSError:
            return  # the file system has none
        self.turn(use("Bash", command="rm f"))
        self.rewind("--to", "1")
        self.assertEqual(os.getxattr(path, "user.mark"), b"\x00value")

    def test_two_sessions_rewind_their_own(self):
        self.write("shared", "one\n")
        self.write("f", "f\n")
        self.turn(use("Bash", command="echo two >> shared"), use("Bash", command="echo g > f"))
        first, self.session = self.session, None
        self.turn(use("Bash", command="echo three >> shared"))
        second = self.session
        self.session = first
        self.assertIn("changed since", self.rewind("--to", "1", code=1))
        self.session = second
        self.rewind("--to", "1")
        self.assertEqual((self.read("shared"), self.read("f")), ("one\ntwo\n", "g\n"))
        self.session = first
        self.rewind("--to", "1")
        self.assertEqual((self.read("shared"), self.read("f")), ("one\n", "f\n"))

    def test_a_fork_has_its_own_changes_alone(self):
        self.write("f", "one\n")
        self.turn(use("Bash", command="echo two > f"))
        first = self.session
        self.turn(use("Bash", command="echo three > f"), flags=("--fork-session",))
        self.assertNotEqual(self.session, first)
        self.rewind("--to", "1")
        self.assertEqual(self.read("f"), "two\n")

    def test_files_outside_the_workspace_come_back_too(self):
        path = os.path.join(self.top, "outside.txt")
        with open(path, "w") as file:
            file.write("before\n")
        self.turn(use("Read", file_path=path), use("Edit", file_path=path, old_string="before", new_string="after"))
        self.rewind("--to", "1")
        with open(path) as file:
            self.assertEqual(file.read(), "before\n")

    def test_a_directory_that_became_a_link_is_not_followed(self):
        self.write("d/f", "one\n")
        self.turn(use("Bash", command="echo two > d/f"))
        os.rename(self.path("d"), os.path.join(self.top, "elsewhere"))
        os.symlink(os.path.join(self.top, "elsewhere"), self.path("d"))
        self.rewind("--to", "1", code=1)
        self.rewind("--to", "1", "--force")
        with open(os.path.join(self.top, "elsewhere/f")) as file:
            self.assertEqual(file.read(), "two\n")


class Refusing(Rewind):
    def changed(self):
        path = self.write("f", "one\n")
        self.write("g", "g\n")
        self.turn(use("Read", file_path=path), use("Edit", file_path=path, old_string="one", new_string="two"),
                  use("Read", file_path=self.path("g")), use("Edit", file_path=self.path("g"), old_string="g", new_string="h"))
        return path

    def test_what_somebody_changed_since_is_not_overwritten_unasked(self):
        path = self.changed()
        self.write("f", "mine\n")
        state = self.tree()
        out = self.rewind("--to", "1", code=1)
        self.assertIn("changed since", out)
        self.assertIn("--force", self.err)
        self.assertEqual(self.tree(), state)
        self.rewind("--to", "1", "--force")
        self.assertEqual(self.read("f"), "one\n")
        self.assertEqual(self.read("g"), "g\n")
        self.rewind("--undo")
        self.assertEqual(self.tree(), state)
        self.assertTrue(path)

    def test_what_somebody_changed_in_between_counts(self):
        path = self.changed()
        self.write("f", "two\nand mine\n")
        self.turn(use("Read", file_path=path), use("Edit", file_path=path, old_string="two", new_string="three"))
        self.rewind("--to", "2", "--dry-run")
        self.assertIn("between", self.rewind("--to", "1", code=1))
        self.assertEqual(self.read("f"), "three\nand mine\n")

    def test_a_touched_file_with_the_same_bytes_is_no_hindrance(self):
        path = self.changed()
        os.utime(path)
        os.replace(path, path + ".x")
        os.replace(path + ".x", path)
        self.rewind("--to", "1")
        self.assertEqual(self.read("f"), "one\n")

    def test_dry_run_writes_nothing(self):
        self.changed()
        before, state = self.tree(), {name: open(name, "rb").read() for name in self.journals()}
        out = self.rewind("--to", "1", "--dry-run")
        self.assertIn("restore", out)
        self.assertEqual(self.tree(), before)
        self.assertEqual({name: open(name, "rb").read() for name in self.journals()}, state)

    def test_deny_rules_hold(self):
        self.changed()
        self.settings({"permissions": {"deny": ["Edit(./f)"]}})
        self.assertIn("leave", self.rewind("--to", "1", code=1))
        self.assertEqual(self.read("g"), "h\n")
        self.rewind("--to", "1", "--force")
        self.assertEqual((self.read("f"), self.read("g")), ("two\n", "g\n"))

    def test_a_damaged_copy_is_told_and_nothing_is_half_restored(self):
        self.changed()
        state = self.tree()
        copy = os.path.join(self.store(), hashlib.sha256(b"one\n").hexdigest())
        with open(copy, "wb") as file:
            file.write(b"ONE\n")
        self.rewind("--to", "1", code=1)
        self.assertIn("damaged", self.err)
        self.assertEqual(self.tree(), state)
        os.unlink(copy)
        self.rewind("--to", "1", code=1)
        self.assertIn("gone", self.err)
        self.assertEqual(self.tree(), state)

    def test_wrong_use(self):
        self.changed()
        self.rewind("--to", "7", code=1)
        self.rewind("--to", "0", code=2)
        self.rewind("--undo", "--to", "1", code=2)
        self.rewind("--undo", code=1)
        self.run_helve("rewind", "ffffffff-none", code=1)

    def test_journals_from_elsewhere_are_not_believed(self):
        self.changed()
        copy = os.path.join(self.top, "foreign.jsonl")
        with open(copy, "wb") as file:
            file.write(open(self.journal(), "rb").read())
        self.run_helve("rewind", copy, "--to", "1", code=1)
        self.assertEqual(self.read("f"), "two\n")

    def test_a_session_that_runs_is_left_alone(self):
        self.changed()
        lock = subprocess.Popen(["flock", self.journal(), "sh", "-c", "echo locked; read x"], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.addCleanup(lambda: (lock.communicate(b"\n"), None))
        lock.stdout.readline()
        self.rewind("--to", "1", code=1)
        self.assertIn("running", self.err)
        self.assertEqual(self.read("f"), "two\n")


class Limits(Rewind):
    def edit(self, name, content):
        path = self.write(name, content)
        self.turn(use("Write", file_path=self.path("new-" + name), content="x"), use("Bash", command="echo more >> " + name))
        return path

    def test_a_file_of_100_megabytes_comes_back(self):
        block = bytes(range(256)) * 4096
        path = self.path("large")
        with open(path, "wb") as file:
            for number in range(100):
                file.write(b"%d" % number + block[:(1 << 20) - len(b"%d" % number)])
        with open(path, "rb") as file:
            before = hashlib.sha256(file.read()).hexdigest()
        self.turn(use("Bash", command="echo more >> large"))
        self.assertEqual(os.path.getsize(path), (100 << 20) + 5)
        self.rewind("--to", "1")
        with open(path, "rb") as file:
            self.assertEqual(hashlib.sha256(file.read()).hexdigest(), before)

    def test_larger_files_are_changed_without_a_copy_and_that_is_said(self):
        self.settings({"checkpointFileMegabytes": 1})
        self.edit("f", b"x" * (2 << 20))
        self.assertIn("without a copy", json.dumps(self.events(self.journal(), "notice")))
        self.assertIn("larger than 1 MB", self.rewind("--to", "1", code=1))
        self.assertTrue(self.exists("new-f"))

    def test_none_are_kept_when_the_settings_say_so(self):
        self.settings({"checkpointMegabytes": 0})
        self.edit("f", "a\n")
        self.assertEqual(self.events(self.journal(), "checkpoint"), [])
        self.assertFalse(os.path.exists(self.store()))

    def test_old_copies_go_when_there_are_too_many_but_not_those_of_a_running_session(self):
        self.settings({"checkpointMegabytes": 4})
        stores, sessions = [], []
        for number in range(3):
            self.session = None
            self.edit("f%d" % number, b"%d" % number * (3 << 19))
            stores.append(self.store())
            sessions.append(self.session)
        self.assertEqual([os.path.exists(store) for store in stores], [False, True, True])
        self.session = sessions[0]
        self.rewind("--to", "1", code=1)
        self.assertIn("gone", self.err)
        lock = subprocess.Popen(["flock", stores[1].replace("/checkpoints", ".jsonl"), "sh", "-c", "echo locked; read x"],
                                stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.addCleanup(lambda: (lock.communicate(b"\n"), None))
        lock.stdout.readline()
        self.session = None
        self.edit("f4", b"4" * (3 << 19))
        self.assertEqual([os.path.exists(store) for store in stores], [False, True, False])

    def test_copies_that_a_rewind_still_needs_stay(self):
        self.settings({"checkpointMegabytes": 4})
        self.edit("f", b"1" * (3 << 19))
        store, session = self.store(), self.session
        for name in ("list", "conflict"):
            folder = os.path.join(os.path.dirname(self.journal()), "changes", "restore-00000000000000%02x" % len(name))
            os.makedirs(folder)
            with open(os.path.join(folder, name), "w") as file:
                file.write(json.dumps({"path": store, "kind": "nothing"}) + "\nnot to be read by anybody\n")
            self.run_helve("sessions", "remove", session, code=1)
            self.assertIn("still needed", self.err)
            if name == "list":  # a session that began would look after it
                shutil.rmtree(folder)
        for number in range(2):
            self.session = None
            self.edit("g%d" % number, b"%d" % number * (3 << 19))
        self.assertTrue(os.path.exists(store))
        shutil.rmtree(folder)
        self.session = None
        self.edit("h", b"h" * (3 << 19))
        self.assertFalse(os.path.exists(store))
        self.run_helve("sessions", "remove", session)

    def test_copies_go_with_their_session(self):
        self.edit("f", "a\n")
        store = self.store()
        self.assertTrue(os.path.exists(store))
        self.run_helve("sessions", "remove", self.session)
        self.assertFalse(os.path.exists(store))


class Large(Rewind):
    BYTES = 300 << 20

    def test_a_large_file_goes_back_without_being_held_in_memory(self):
        """It has holes, so that its copy takes no room."""
        self.settings({"checkpointFileMegabytes": 400})
        path = self.write("large", "begin\n")
        os.truncate(path, self.BYTES - 4)
        with open(path, "ab") as file:
            file.write(b"end\n")
        before = os.stat(path)
        self.turn(use("Bash", command="echo new > large"))
        self.assertEqual(self.read("large"), "new\n")
        process = self.start("rewind", self.session, "--to", "1", stdout=subprocess.DEVNULL)
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        self.assertEqual(process.returncode, 0)
        with open(path, "rb") as file:
            self.assertEqual(file.read(6), b"begin\n")
            file.seek(-4, os.SEEK_END)
            self.assertEqual(file.read(), b"end\n")
        now = os.stat(path)
        self.assertEqual((now.st_size, now.st_mtime_ns), (before.st_size, before.st_mtime_ns))
        self.assertLess(now.st_blocks * 512, 8 << 20)
        self.assertLess(usage.ru_maxrss << 10, self.BYTES - (60 << 20))  # a sanitizer's own is most of it


class Killed(Rewind):
    FILES = 40

    def test_a_rewind_that_is_killed_is_done_for_all_files_or_for_none(self):
        names = ["f%d" % number for number in range(self.FILES)]
        for name in names:
            self.write(name, "old " + name)
        old = self.tree()
        self.turn(use("Bash", command="for n in %s; do echo new > $n; done" % " ".join(names)),
                  use("Bash", command="python3 -c \"import os; os.remove('f0'); open('made', 'w').write('m')\""))
        new = self.tree()
        changes = os.path.join(os.path.dirname(self.journal()), "changes")
        half = 0
        for moment in range(8):
            process = self.start("rewind", self.session, "--to", "1", "--code", stdin=subprocess.DEVNULL)
            self.wait_until(lambda: process.poll() is not None or glob.glob(changes + "/restore-*/list"))
            time.sleep(moment * 0.004)
            process.kill()
            process.communicate()
            half += self.tree() not in (old, new)
            self.turn(prompt="look")  # a session that begins looks after what was left
            self.assertIn(self.tree(), (old, new))
            self.assertEqual(os.listdir(changes), [])
            if self.tree() == old:
                break
        if os.environ.get("TELL"):
            print("# killed %d times, half-way %d times" % (moment + 1, half))
        self.rewind("--to", "1", "--code", "--force")
        self.assertEqual(self.tree(), old)


    def test_a_rewind_that_is_killed_is_taken_back_or_was_none(self):
        """--undo right after it: the files are those before the rewind, whatever it had come to."""
        names = ["f%d" % number for number in range(self.FILES)]
        for name in names:
            self.write(name, "old " + name)
        self.turn(use("Bash", command="for n in %s; do echo new > $n; done" % " ".join(names)))
        new = self.tree()
        changes = os.path.join(os.path.dirname(self.journal()), "changes")
        for moment in range(4):
            process = self.start("rewind", self.session, "--to", "1", "--code", stdin=subprocess.DEVNULL)
            self.wait_until(lambda: process.poll() is not None or glob.glob(changes + "/restore-*/list"))
            time.sleep(moment * 0.004)
            process.kill()
            process.communicate()
            self.rewind("--undo", code=None)
            self.assertEqual(self.tree(), new, (moment, self.code, self.err))


class Conversation(Rewind):
    def said(self):
        """The texts of the next request, by --resume with a model that only records."""
        self.turn(prompt="last")
        lines = [event for event in self.events(self.journal()) if event["type"] == "request"]
        return lines[-1]["data"]["messages"]

    def test_the_conversation_goes_on_from_before_the_message(self):
        path = self.write("f", "0\n")
        for number in (1, 2, 3):
            self.turn(use("Read", file_path=path), use("Edit", file_path=path, old_string=str(number - 1), new_string=str(number)),
                      prompt="turn %d" % number)
        self.rewind("--to", "2", "--conversation")
        self.assertEqual(self.read("f"), "3\n")
        self.assertEqual(self.said(), 6 + 1)
        listed = self.rewind()
        self.assertEqual(len(re.findall(r"\(rewound\)", listed)), 2)
        self.rewind("--to", "3", code=1)
        self.rewind("--undo", code=1)
        self.assertIn("went on", self.err)

    def test_both_and_undo_and_undo_of_the_undo(self):
        path = self.write("f", "0\n")
        for number in (1, 2):
            self.turn(use("Read", file_path=path), use("Edit", file_path=path, old_string=str(number - 1), new_string=str(number)))
        self.rewind("--to", "2")
        self.assertEqual(self.read("f"), "1\n")
        self.rewind("--undo")
        self.assertEqual(self.read("f"), "2\n")
        self.rewind("--redo")
        self.assertEqual(self.read("f"), "1\n")
        self.rewind("--undo")
        self.assertEqual(self.read("f"), "2\n")
        self.assertEqual(self.said(), 12 + 1)

    def test_several_rewinds_are_undone_and_redone_step_by_step(self):
        path = self.write("f", "0\n")
        for number in range(1, 5):
            self.turn(use("Read", file_path=path), use("Edit", file_path=path, old_string=str(number - 1), new_string=str(number)))
        self.rewind("--undo", code=1)
        self.assertIn("nothing was rewound", self.err)
        self.rewind("--redo", code=1)
        for to, text in (("4", "3\n"), ("3", "2\n"), ("2", "1\n")):
            self.rewind("--to", to)
            self.assertEqual(self.read("f"), text)
        self.rewind("--redo", code=1)
        for text in ("2\n", "3\n"):
            self.assertIn("--redo", self.rewind("--undo"))
            self.assertEqual(self.read("f"), text)
        self.rewind("--redo")
        self.assertEqual(self.read("f"), "2\n")
        for text in ("3\n", "4\n"):
            self.rewind("--undo")
            self.assertEqual(self.read("f"), text)
        self.rewind("--undo", code=1)
        self.assertIn("already", self.err)
        self.assertEqual(self.read("f"), "4\n")
        for text in ("3\n", "2\n", "1\n"):
            self.rewind("--redo")
            self.assertEqual(self.read("f"), text)
        self.rewind("--redo", code=1)
        self.rewind("--undo")
        self.rewind("--to", "2")  # a new one: what was taken back before it is not done again
        self.rewind("--redo", code=1)
        self.assertEqual(self.read("f"), "1\n")
        for text in ("2\n", "3\n", "4\n"):
            self.rewind("--undo")
            self.assertEqual(self.read("f"), text)
        self.assertEqual(self.said(), 24 + 1)
        self.rewind("--undo", "--redo", code=2)
        self.rewind("--redo", "--to", "1", code=2)

    def test_back_to_the_very_beginning(self):
        self.turn(prompt="first")
        self.rewind("--to", "1")
        self.assertEqual(self.said(), 1)


class Programs(Rewind):
    """The control request rewind_files of stream-json."""

    def drive(self, *steps):
        """Feed lines one after another: each step is a line, or a function of the lines so far that gives one."""
        recorded = [message(use("Bash", id="t%d" % i, command="echo %d >> f" % i)) if i % 2 else message(say("done")) for i in range(1, 7)]
        process = self.start("-p", "--model", self.recording(*recorded), "--input-format", "stream-json", "--output-format", "stream-json",
                             "--verbose", "--replay-user-messages", "--permission-mode", "bypassPermissions")
        lines = []
        for step in steps:
            line = step(lines) if callable(step) else step
            process.stdin.write((json.dumps(line) + "\n").encode())
            process.stdin.flush()
            ends = "result" if line["type"] == "user" else "control_response"
            while True:
                lines.append(json.loads(process.stdout.readline()))
                if lines[-1]["type"] == ends:
                    break
        process.stdin.close()
        process.wait(60)
        process.stdout.close()
        process.stderr.close()
        return lines

    @staticmethod
    def said(text, **more):
        return dict({"type": "user", "message": {"role": "user", "content": text}}, **more)

    @staticmethod
    def request(id, **more):
        return {"type": "control_request", "request_id": "r", "request": dict(subtype="rewind_files", user_message_id=id, **more)}

    def test_a_program_rewinds_files_by_its_own_message_id(self):
        self.write("f", "0\n")
        seen = []
        lines = self.drive(self.said("one"), self.said("two", uuid="my-own-id"),
                           self.request("my-own-id", dry_run=True),
                           lambda lines: seen.append(self.read("f")) or self.request("my-own-id"),
                           lambda lines: seen.append(self.read("f")) or self.request([line["uuid"] for line in lines if line.get("isReplay")][0]),
                           self.request("unknown"))
        self.assertEqual(seen, ["0\n1\n3\n", "0\n1\n"])
        self.assertEqual(self.read("f"), "0\n")
        answers = [line["response"] for line in lines if line["type"] == "control_response"]
        self.assertEqual([answer["subtype"] for answer in answers], ["success", "success", "success", "error"])
        self.assertEqual([answer["response"]["canRewind"] for answer in answers[:3]], [True] * 3)
        self.assertEqual(answers[1]["response"]["filesChanged"], [self.path("f")])

    def test_a_program_is_told_when_something_would_be_lost(self):
        self.write("f", "0\n")
        lines = self.drive(self.said("one", uuid="a"), lambda lines: self.write("f", "mine\n") and self.request("a"))
        answer = lines[-1]["response"]["response"]
        self.assertEqual((answer["canRewind"], self.read("f")), (False, "mine\n"))


class Git(Rewind):
    def git(self, *arguments):
        return subprocess.run(["git", *arguments], cwd=self.project, env=dict(self.env, GIT_CONFIG_GLOBAL="/dev/null"), check=True,
                              stdout=subprocess.PIPE).stdout

    def test_git_is_never_touched(self):
        self.git("init", "-q")
        path = self.write("f", "one\n")
        self.git("add", "f")
        self.git("-c", "user.name=n", "-c", "user.email=e", "commit", "-qm", "x")

        def state():
            found = {}
            for folder, _, files in os.walk(self.path(".git")):
                for name in files:
                    with open(os.path.join(folder, name), "rb") as file:
                        found[os.path.join(folder, name)] = hashlib.sha256(file.read()).hexdigest()
            return found
        before = state()
        self.turn(use("Read", file_path=path), use("Edit", file_path=path, old_string="one", new_string="two"),
                  use("Bash", command="echo x > .git/mine"))
        made = {name for name in state() if name not in before}
        self.rewind("--to", "1")
        now = state()
        self.assertEqual({name: value for name, value in now.items() if name in before}, before)
        self.assertEqual({name for name in now if name not in before}, made)
        self.assertEqual(self.git("status", "--porcelain"), b"")


if __name__ == "__main__":
    main()
expose(globals())
