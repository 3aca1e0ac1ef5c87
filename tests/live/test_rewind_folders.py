"""`helve rewind` and the times of folders: they come back where nobody but the session changed anything."""
import os

from cli_support import expose, main, use
from rewind_support import Rewind


class Folders(Rewind):
    """The times of folders in which the session changed something."""

    OLD = 1000000000000000007

    def times(self, *names):
        return [os.stat(self.path(name)).st_mtime_ns for name in names]

    def make(self):
        for name in ("sub/a", "sub/b", "sub/deep/c", "d"):
            self.write(name, "one\n")
        for name in ("sub/deep", "sub", "."):
            os.utime(self.path(name), ns=(self.OLD, self.OLD))

    @staticmethod
    def edit(name, old, new):
        return use("Edit", file_path=name, old_string=old, new_string=new)

    def test_times_of_folders_come_back_with_what_is_in_them(self):
        self.make()
        patch = "*** Begin Patch\n*** Update File: sub/a\n@@\n-two\n+three\n*** Update File: sub/deep/c\n@@\n-one\n+two\n" \
                "*** Delete File: sub/b\n*** Add File: sub/more/f\n+new\n*** End Patch"
        self.turn(use("Read", file_path="sub/a"), self.edit("sub/a", "one", "two"), use("Write", file_path="sub/new", content="x\n"))
        between = self.times("sub", "sub/deep", ".")
        self.turn(use("Read", file_path="sub/deep/c"), use("Read", file_path="sub/b"), use("ApplyPatch", patch=patch),
                  self.edit("sub/a", "three", "four"))
        left = self.times("sub", "sub/deep", ".")
        self.assertNotEqual(left[:2], [self.OLD, self.OLD])
        self.rewind("--to", "2")
        self.assertEqual(self.times("sub", "sub/deep", "."), between)
        self.rewind("--to", "1")
        self.assertEqual(self.times("sub", "sub/deep", "."), [self.OLD] * 3)
        self.assertEqual(sorted(os.listdir(self.path("sub"))), ["a", "b", "deep"])
        self.rewind("--undo")
        self.assertEqual(self.times("sub", "sub/deep", "."), between)
        self.rewind("--undo")
        self.assertEqual(self.times("sub", "sub/deep", "."), left)

    def test_a_folder_in_which_somebody_else_was_keeps_its_time(self):
        self.make()
        self.turn(use("Read", file_path="sub/a"), self.edit("sub/a", "one", "two"), use("Read", file_path="sub/deep/c"),
                  self.edit("sub/deep/c", "one", "two"))
        self.write("sub/mine", "mine\n")
        now = self.times("sub")
        self.turn(use("Read", file_path="sub/a"), self.edit("sub/a", "two", "three"), use("Read", file_path="sub/deep/c"),
                  self.edit("sub/deep/c", "two", "three"))
        self.assertEqual((self.read("sub/a"), self.read("sub/deep/c")), ("three\n", "three\n"))
        self.rewind("--to", "1")
        self.assertEqual((self.read("sub/a"), self.read("sub/mine"), self.read("sub/deep/c")), ("one\n", "mine\n", "one\n"))
        self.assertEqual(self.times("sub/deep"), [self.OLD])
        self.assertGreater(self.times("sub"), now)

    def test_a_folder_that_changed_after_the_session_keeps_its_time(self):
        self.make()
        self.turn(use("Read", file_path="sub/a"), self.edit("sub/a", "one", "two"))
        self.write("sub/mine", "mine\n")
        now = self.times("sub")
        self.rewind("--to", "1")
        self.assertEqual(self.read("sub/a"), "one\n")
        self.assertGreater(self.times("sub"), now)

    def test_a_command_between_two_edits_keeps_the_time_of_the_folder(self):
        """What it did there is known, but not everything that it may have done."""
        self.make()
        self.turn(use("Read", file_path="sub/a"), self.edit("sub/a", "one", "two"),
                  self.script("open(%r, 'w').write('x')" % self.path("sub/made")), self.edit("sub/a", "two", "three"))
        self.rewind("--to", "1")
        self.assertFalse(self.exists("sub/made"))
        self.assertNotEqual(self.times("sub"), [self.OLD])


if __name__ == "__main__":
    main()
expose(globals())
