"""`helve rewind` and commands of which nobody knows what they write: what git ignores, what runs in the background, owners,
attributes and second names; and what could not be tracked is said."""
import hashlib
import json
import os
import re
import subprocess

from cli_support import expose, main, message, say, use
from rewind_support import Rewind


class Ignored(Rewind):
    def prepare(self, count):
        self.write(".gitignore", "node_modules/\n.env\nout/\n")
        os.mkdir(self.path(".git"))
        self.write(".env", "KEY=old\n")
        for number in range(count):
            self.write("node_modules/m%d/index.js" % number, "x")

    def test_few_ignored_files_go_back_like_others(self):
        self.prepare(3)
        before = self.exact()
        self.turn(self.script("""
import os
import re
os.mkdir("out"); open("out/o", "w").write("o")
open(".env", "w").write("KEY=new")
open("node_modules/m1/index.js", "a").write("y")
os.remove("node_modules/m2/index.js")
"""))
        self.assertNotEqual(self.exact(), before)
        self.rewind("--to", "1")
        self.assertEqual(self.exact(), before)

    def test_a_large_ignored_folder_is_named_and_left_alone(self):
        self.prepare(2100)
        self.turn(self.script("open('node_modules/m1/index.js', 'a').write('y'); open('.env', 'w').write('new')"), prompt="build it")
        said = self.rewind("--to", "1", "--dry-run")
        self.assertRegex(said, r"commands whose writes are not known: 1 \(python3 .*program1.py\)")
        self.assertRegex(said, r"not looked at: node_modules \(ignored by git, and (of many files|slow to look at)\)")
        _, last = self.plan("--to", "1", "--dry-run")
        self.assertEqual((last["unknown_commands"], last["not_looked_at"]), (1, [self.path("node_modules")]))
        self.rewind("--to", "1")
        self.assertEqual((self.read(".env"), self.read("node_modules/m1/index.js")), ("KEY=old\n", "xy"))

    def test_what_comes_into_sight_was_not_made(self):
        """A command that changes what git ignores brings old files into sight: they must not go."""
        self.prepare(2100)
        self.turn(self.script("pass"))
        self.turn(self.script("open('.gitignore', 'w').write('none'); open('made', 'w').write('m')"))
        self.turn(self.script("open('node_modules/m7/index.js', 'w').write('changed'); open('node_modules/new', 'w').write('n')"))
        said = self.rewind("--to", "2")
        if re.search("slow to look at|takes too long", said):
            self.skipTest("this machine is too slow to look at so many files around each command, and helve says so")
        self.assertEqual((self.read("node_modules/m1/index.js"), self.exists("made"), self.exists("node_modules/new")), ("x", False, False))
        self.assertEqual(self.read("node_modules/m7/index.js"), "x")
        self.assertEqual(len(os.listdir(self.path("node_modules"))), 2100)

    def test_what_nobody_could_look_at_is_told(self):
        os.mkdir(self.path("many"))
        for number in range(30001):
            os.mknod(self.path("many/%d" % number))
        self.turn(self.script("open('made', 'w').write('m')"))
        _, last = self.plan("--to", "1", "--dry-run")
        self.assertEqual((last["unknown_commands"], last["unwatched_commands"]), (1, 1))
        said = self.rewind("--to", "1")
        self.assertRegex(said, "what 1 of them changed stays as it is: the workspace holds too many files|: looking .* takes too long")
        self.assertTrue(self.exists("made"))
        self.assertRegex(self.rewind(), "whatever 1 command changed: (the workspace holds too many files|looking .* takes too long)")

    def test_a_command_that_changes_nothing_is_still_told(self):
        self.turn(self.script("pass"))
        self.assertIn("commands whose writes are not known: 1", self.rewind("--to", "1", "--dry-run"))

    def test_nothing_is_told_where_all_writes_are_known(self):
        self.turn(use("Bash", command="echo x > f"))
        self.assertNotIn("not known", self.rewind("--to", "1", "--dry-run"))


class Exact(Rewind):
    def test_owners_modes_attributes_and_kinds(self):
        for name in ("mode", "data", "acl", "gone", "to folder"):
            self.write(name, name + "\n")
        self.write("tree/a", "a")
        self.write("to file/inner", "inner")
        os.mkdir(self.path("empty"), 0o700)
        os.symlink("data", self.path("link"))
        os.utime(self.path("gone"), ns=(1, 1500000000123456789))
        if os.geteuid() == 0:
            os.chown(self.path("gone"), 1, 2)
            os.chown(self.path("link"), 3, 4, follow_symlinks=False)
        try:
            os.setxattr(self.path("data"), "user.mark", b"old")
            os.setxattr(self.path("gone"), "user.mark", b"\x00gone")
            os.setxattr(self.path("empty"), "user.mark", b"folder")
        except OSError:
            pass  # the file system has none
        before = self.exact()
        self.turn(self.script("""
import os, shutil
def mark(name, value):
    try:
        os.setxattr(name, "user.mark", value)
    except OSError:
        pass
os.chmod("mode", 0o751)
mark("data", b"new"); mark("acl", b"more"); mark("empty", b"other")
if os.geteuid() == 0:
    os.chown("acl", 5, 6)
os.chmod("empty", 0o755)
os.remove("gone")
os.remove("to folder"); os.mkdir("to folder"); open("to folder/x", "w").write("x")
shutil.rmtree("to file"); open("to file", "w").write("file")
os.remove("link"); os.mkdir("link")
os.rename("tree", "moved")
"""))
        after = self.exact()
        self.assertNotEqual(after, before)
        self.rewind("--to", "1")
        self.assertEqual(self.exact(), before)
        self.rewind("--undo")
        self.assertEqual(self.exact(), after)
        self.rewind("--redo")
        self.assertEqual(self.exact(), before)

    def test_names_of_one_file_stay_names_of_one_file(self):
        for number in range(4):
            self.write("a%d" % number, "bytes %d\n" % number)
            os.makedirs(self.path("other"), exist_ok=True)
            os.link(self.path("a%d" % number), self.path("other/b%d" % number))
        before = self.exact()
        self.turn(self.script("""
import os
import re
open("a0", "w").write("written over, both names")
os.remove("a1")
os.remove("a2"); open("a2", "w").write("a file of its own")
os.remove("a3"); os.remove("other/b3")
"""), use("Bash", command="rm other/b0"))
        after = self.exact()
        self.rewind("--to", "1")
        self.assertEqual(self.exact(), before)
        self.rewind("--undo")
        self.assertEqual(self.exact(), after)
        self.rewind("--redo")
        self.assertEqual(self.exact(), before)

    def test_the_mode_of_a_file_too_large_to_copy_comes_back(self):
        self.write("large", b"x" * (2 << 20))
        os.chmod(self.path("large"), 0o640)
        before = self.exact()
        self.turn(self.script("import os; os.chmod('large', 0o777)"))
        self.rewind("--to", "1")
        self.assertEqual(self.exact(), before)

    def test_a_folder_with_other_files_in_it_is_not_removed(self):
        self.write("f", "a file\n")
        self.turn(self.script("import os; os.remove('f'); os.mkdir('f'); open('f/mine', 'w').write('m')"))
        self.write("f/yours", "somebody else's\n")
        said = self.rewind("--to", "1", code=1)
        self.assertIn("with other files in it", said)
        self.rewind("--to", "1", "--force")
        self.assertEqual((self.read("f/yours"), self.exists("f/mine")), ("somebody else's\n", False))


    def test_force_brings_the_others_back_when_one_copy_is_damaged(self):
        for name in "fg":
            self.write(name, "old %s\n" % name)
        self.turn(use("Bash", command="echo new > f"), use("Bash", command="echo new > g"))
        copy = os.path.join(self.store(), hashlib.sha256(b"old f\n").hexdigest())
        with open(copy, "wb") as file:
            file.write(b"OLD f\n")
        self.assertIn("damaged", self.rewind("--to", "1", "--dry-run", code=1))
        self.rewind("--to", "1", code=1)
        self.assertEqual((self.read("f"), self.read("g")), ("new\n", "new\n"))
        self.rewind("--to", "1", "--force")
        self.assertEqual((self.read("f"), self.read("g")), ("new\n", "old g\n"))


LATE = """
import os, time
open("begun", "w").write("b")
while not os.path.exists("go"):
    time.sleep(0.02)
open("late", "w").write("late")
open("old", "w").write("new")
open("done", "w").write("d")
%s
"""


class Background(Rewind):
    def background(self, then=""):
        return self.script(LATE % then, run_in_background=True)

    def wait_for(self, name):
        return use("Bash", command="for i in $(seq 500); do test -e %s && break; sleep 0.02; done" % name)

    def test_what_a_task_changed_in_its_turn_goes_back(self):
        self.write("old", "old\n")
        before = self.exact()
        self.turn(self.background(), use("Bash", command="touch go"), use("TaskOutput", task_id="bash_1", block=True, timeout=20000))
        self.assertEqual((self.read("late"), self.read("old")), ("late", "new"))
        self.rewind("--to", "1")
        self.assertEqual(self.exact(), before)

    def test_what_a_task_changed_before_the_session_ended_goes_back(self):
        """It never ends by itself: the end of the session is the end of the task."""
        self.write("old", "old\n")
        before = self.exact()
        self.turn(self.background("time.sleep(100)"), use("Bash", command="touch go"), self.wait_for("done"))
        self.assertEqual(self.read("old"), "new")
        self.rewind("--to", "1", "--force")
        self.assertEqual(self.exact(), before)

    def test_an_edit_while_a_task_runs_is_the_edits(self):
        self.write("old", "old\n")
        path = self.write("mine", "one\n")
        before = self.exact()
        self.turn(self.background(), use("Read", file_path=path), use("Edit", file_path=path, old_string="one", new_string="two"),
                  use("Bash", command="touch go"), use("TaskOutput", task_id="bash_1", block=True, timeout=20000))
        self.assertEqual(self.read("mine"), "two\n")
        self.rewind("--to", "1")
        self.assertEqual(self.exact(), before)

    def test_a_known_command_in_the_background_too(self):
        self.write("f", "old\n")
        before = self.exact()
        self.turn(use("Bash", command="sleep 0.3; echo new > f", run_in_background=True),
                  use("TaskOutput", task_id="bash_1", block=True, timeout=20000))
        self.assertEqual(self.read("f"), "new\n")
        self.rewind("--to", "1")
        self.assertEqual(self.exact(), before)

    def drive(self, steps, turns):
        """One session of several turns: (message, what to do after its turn)."""
        blocks = [[message(dict(block, id="t%d_%d" % (i, k))) for k, block in enumerate(turn)] + [message(say("done"))]
                  for i, turn in enumerate(turns)]
        process = self.start("-p", "--model", self.recording(*[one for turn in blocks for one in turn]), "--input-format", "stream-json",
                             "--output-format", "stream-json", "--verbose", "--permission-mode", "bypassPermissions")
        for text, then in steps:
            line = {"type": "user", "message": {"role": "user", "content": text}}
            process.stdin.write((json.dumps(line) + "\n").encode())
            process.stdin.flush()
            while True:
                answer = json.loads(process.stdout.readline())
                if answer["type"] == "result":
                    break
            self.session = answer["session_id"]
            then()
        process.stdin.close()
        process.wait(60)
        process.stdout.close()
        process.stderr.close()

    def test_what_changes_between_turns_needs_a_word(self):
        """A task of the first turn and a person change files while no turn runs: nobody knows who did what."""
        self.write("old", "old\n")

        def meanwhile():
            self.write("go", "")
            self.wait_until(lambda: self.exists("done"))
        self.drive([("first", meanwhile), ("second", lambda: None)], [[self.background()], [self.script("pass")]])
        said = self.rewind("--to", "1", code=1)
        self.assertIn("perhaps by something else", said)
        self.assertEqual(self.read("old"), "new")
        listed = self.rewind("--json").splitlines()
        first, second = [json.loads(line) for line in listed]
        self.assertIn(self.path("late"), first["files"])
        self.assertNotIn(self.path("late"), second["files"])
        self.rewind("--to", "1", "--force")
        self.assertEqual((self.read("old"), self.exists("late")), ("old\n", False))


class Places(Rewind):
    def git(self, *arguments, cwd=None):
        return subprocess.run(["git", "-c", "user.name=n", "-c", "user.email=e", *arguments], cwd=cwd or self.project, check=True,
                              env=dict(self.env, GIT_CONFIG_GLOBAL="/dev/null"), stdout=subprocess.PIPE).stdout

    def change(self):
        return self.script("import os; open('f', 'a').write('more'); open('new', 'w').write('n'); os.remove('gone')")

    def test_in_a_repository_within_another(self):
        self.git("init", "-q")
        for folder in ("", "sub/"):
            self.write(folder + "f", "f\n")
            self.write(folder + "gone", "gone\n")
        self.git("init", "-q", cwd=self.path("sub"))
        before = self.exact()
        self.turn(self.script("import os; [open(d + 'f', 'a').write('m') for d in ('', 'sub/')]; os.remove('sub/gone')"))
        self.rewind("--to", "1")
        self.assertEqual(self.exact(), before)

    def test_in_a_worktree(self):
        self.git("init", "-q")
        self.write("f", "f\n")
        self.write("gone", "gone\n")
        self.git("add", ".")
        self.git("commit", "-qm", "x")
        self.git("worktree", "add", "-q", os.path.join(self.top, "tree"))
        self.project = os.path.join(self.top, "tree")
        before = self.exact()
        self.turn(self.change())
        self.assertNotEqual(self.exact(), before)
        self.rewind("--to", "1")
        self.assertEqual(self.exact(), before)
        self.assertEqual(self.git("status", "--porcelain"), b"")

    def test_in_a_project_behind_a_link(self):
        self.write("f", "f\n")
        self.write("gone", "gone\n")
        before = self.exact()
        real = self.project
        os.symlink(real, os.path.join(self.top, "link"))
        self.project = os.path.join(self.top, "link")
        self.turn(self.change())
        self.project = real
        self.assertNotEqual(self.exact(), before)
        self.rewind("--to", "1")
        self.assertEqual(self.exact(), before)

    def test_two_rewinds_at_once_do_it_once(self):
        for number in range(30):
            self.write("f%d" % number, "old %d\n" % number)
        before = self.exact()
        self.turn(self.script("[open('f%d' % n, 'w').write('new') for n in range(30)]"))
        both = [self.start("rewind", self.session, "--to", "1", "--code", stdin=subprocess.DEVNULL) for _ in range(2)]
        for process in both:
            process.communicate()
        self.assertIn(sorted(process.returncode for process in both), ([0, 0], [0, 1]))
        self.assertEqual(self.exact(), before)

    def test_sessions_at_once_in_one_folder_rewind_their_own(self):
        for name in "ab":
            self.write(name, "old\n")
        before = self.exact()
        sessions = []
        for name in "ab":
            self.session = None
            self.turn(use("Bash", command="echo %s > %s" % (name, name)), use("Bash", command="echo x > new-" + name))
            sessions.append(self.session)
        for self.session in sessions:
            self.rewind("--to", "1")
        self.assertEqual(self.exact(), before)


if __name__ == "__main__":
    main()
expose(globals())
