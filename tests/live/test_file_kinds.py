"""The file tools at what is no ordinary file: special files, strange names, files at the limits of size, of one line, of none."""
import ctypes
import fcntl
import json
import os
import resource
import socket
import stat
import struct

from cli_support import Case, expose, main, text_of, use

IN_OPEN, IN_NONBLOCK = 0x20, 0o4000
FS_IOC_SETFLAGS, FS_APPEND_FL = 0x40086602, 0x20
NOTEBOOK = json.dumps({"cells": [{"cell_type": "markdown", "id": "one", "metadata": {}, "source": ["old"]}], "metadata": {},
                       "nbformat": 4, "nbformat_minor": 5}, indent=1) + "\n"
library = ctypes.CDLL(None, use_errno=True)


def each_tool(name):
    """What each tool that takes a file is asked to do with that one."""
    update = "*** Begin Patch\n*** Update File: %s\n%s@@\n-old\n+new\n*** End Patch"
    return [use("Read", file_path=name), use("Write", file_path=name, content="new\n"),
            use("Edit", file_path=name, old_string="old", new_string="new"), use("Edit", file_path=name, old_string="", new_string="new"),
            use("MultiEdit", file_path=name, edits=[{"old_string": "old", "new_string": "new"}]),
            use("NotebookEdit", notebook_path=name, cell_number=0, new_source="new"),
            use("ApplyPatch", patch=update % (name, "")), use("ApplyPatch", patch=update % (name, "*** Move to: elsewhere\n")),
            use("ApplyPatch", patch="*** Begin Patch\n*** Delete File: %s\n*** End Patch" % name),
            use("ApplyPatch", patch="*** Begin Patch\n*** Add File: %s\n+new\n*** End Patch" % name),
            use("ApplyPatch", patch=update % ("plain", "*** Move to: %s\n" % name))]


class Kinds(Case):
    def setUp(self):
        super().setUp()
        self.settings({"permissions": {"allow": ["Read", "Write", "Edit", "Glob"]}})
        self.env["HELVE_MAX_TOOL_CONCURRENCY"] = "1"

    def all(self, blocks):
        """The texts of the results, and whether each is an error, in the order of the calls."""
        results = self.execute(*[{**block, "id": str(number)} for number, block in enumerate(blocks)])
        return [(text_of(results[str(number)]), results[str(number)].get("is_error", False)) for number in range(len(blocks))]

    def fine(self, blocks):
        texts = self.all(blocks)
        for block, (text, failed) in zip(blocks, texts):
            self.assertFalse(failed, (block, text))
        return [text for text, _ in texts]

    # ---- special files ----

    def opened(self, watch):
        """How often the watched files were opened so far."""
        try:
            return len(os.read(watch, 1 << 16)) // struct.calcsize("iIII")
        except BlockingIOError:
            return 0

    def test_special_files_are_refused_unopened_by_every_tool(self):
        watch = library.inotify_init1(IN_NONBLOCK)
        self.assertGreaterEqual(watch, 0)
        self.addCleanup(os.close, watch)
        self.write("plain", "old\n")
        os.mkfifo(self.path("fifo"))
        listener = socket.socket(socket.AF_UNIX)
        self.addCleanup(listener.close)
        listener.bind(self.path("socket"))
        names = ["fifo", "socket", "link"]
        os.symlink("fifo", self.path("link"))
        try:
            os.mknod(self.path("device"), stat.S_IFCHR | 0o666, os.makedev(1, 5))
            names.append("device")
        except PermissionError as reason:
            print("# device:", reason)
        for name in names:
            library.inotify_add_watch(watch, self.path(name).encode(), IN_OPEN)
        os.close(os.open(self.path("fifo"), os.O_RDWR))
        self.assertEqual(self.opened(watch), 1)  # an opening is seen
        for name in names + ["/dev/zero", "/dev/tty", "/proc/kmsg", "/proc/self/mem", "/proc/self/fd/0", "/dev/stdin"]:
            blocks = [use("Read", file_path="plain")] + each_tool(name)
            for block, (text, failed) in list(zip(blocks, self.all(blocks)))[1:]:
                self.assertTrue(failed, (name, block, text))
                self.assertIn("never opened; leave it alone, or ask the person", text, (name, block))
        self.assertEqual(self.opened(watch), 0)
        self.assertEqual(self.read("plain"), "old\n")
        self.assertEqual(sorted(os.listdir(self.project)), sorted(names + ["plain"]))

    def test_directories_and_files_of_the_kernel_are_not_written(self):
        os.makedirs(self.path("folder"))
        self.write("plain", "old\n")
        for block, (text, failed) in zip(each_tool("folder"), self.all([use("Read", file_path="plain")] + each_tool("folder"))[1:]):
            self.assertTrue(failed, block)
            self.assertRegex(text, "is a directory|exists already", block)
        for text, failed in self.all(each_tool("/proc/self/comm")[1:]):
            self.assertTrue(failed)
            self.assertIn("never written; choose another place", text)
        self.assertEqual(sorted(os.listdir(self.project)), ["folder", "plain"])

    # ---- names ----

    def test_every_tool_takes_names_of_all_kinds(self):
        names = ["n" * 249, "é" * 124 + "n", "with\nnewline", "with blank", "-dash", "q\"uote's", "tab\tname", "ends.", " ", "*", "[a]", "~", "#"]
        blocks = []
        for number, name in enumerate(names):
            folder = "d%d/" % number
            self.write(folder + name, "old\n")
            self.write(folder + name + ".ipynb", NOTEBOOK)
            path = folder + name
            blocks += [use("Read", file_path=path), use("Edit", file_path=path, old_string="old", new_string="new"),
                       use("MultiEdit", file_path=path, edits=[{"old_string": "new", "new_string": "newer"}]),
                       use("Write", file_path=path, content="newest\n"), use("Write", file_path=folder + "made/" + name, content="made\n"),
                       use("Read", file_path=path + ".ipynb"), use("Glob", pattern="*", path=folder + "made"),
                       use("NotebookEdit", notebook_path=path + ".ipynb", cell_id="one", new_source="new")]
            if name.strip() == name and "\n" not in name:  # in a patch these end at the line, and have no blanks around them
                blocks.append(use("ApplyPatch", patch="*** Begin Patch\n*** Update File: %s\n@@\n-newest\n+last\n*** End Patch" % path))
        texts = self.fine(blocks)
        for number, name in enumerate(names):
            folder = "d%d/" % number
            self.assertEqual(self.read(folder + name), "last\n" if name.strip() == name and "\n" not in name else "newest\n", name)
            self.assertEqual(self.read(folder + "made/" + name), "made\n", name)
            self.assertEqual(self.read(folder + name + ".ipynb"), NOTEBOOK.replace("old", "new"), name)
            self.assertEqual(sorted(os.listdir(self.path(folder))), sorted([name, name + ".ipynb", "made"]))
        listed = [text for block, text in zip(blocks, texts) if block["name"] == "Glob"]
        for number, name in enumerate(names):
            shown = "d%d/made/%s" % (number, name)
            self.assertIn(json.dumps(shown) if "\n" in name or "\t" in name else shown, listed[number])

    def test_a_name_that_is_no_utf8_is_left_to_a_shell_by_every_tool(self):
        path = os.path.join(self.project.encode(), b"caf\xe9.txt")
        with open(path, "w") as file:
            file.write("old\n")
        blocks = each_tool("caf\ufffd.txt")
        for block in blocks[0], blocks[2], *blocks[4:7], blocks[8]:  # the others make a file of that very name
            (text, failed), = self.all([block])
            self.assertTrue(failed, block)
            self.assertIn("A name near it is not valid UTF-8: use a shell command with " + self.project + "/caf?.txt", text, block)
        self.assertEqual(os.listdir(self.project.encode()), [b"caf\xe9.txt"])
        with open(path) as file:
            self.assertEqual(file.read(), "old\n")
        text, = self.fine([use("Glob", pattern="*.txt")])
        self.assertEqual(text, "caf\ufffd.txt\n")

    # ---- sizes ----

    def test_what_is_over_a_gigabyte_is_read_by_range_and_not_changed(self):
        path = self.write("big", "old\n" * 5000)
        os.truncate(path, (1 << 30) + 1)
        blocks = [use("Read", file_path="big", offset=1, limit=1)] + each_tool("big")[1:9]
        (text, failed), *others = self.all(blocks)
        self.assertEqual((text.split("\n")[0], failed), ("     1\told", False))
        for block, (text, failed) in zip(blocks[1:], others):
            self.assertTrue(failed, block)
            self.assertIn("is too large to be changed (1.1 GB; at most 1 GiB). Change it with a shell command", text, block)
        self.assertEqual((os.listdir(self.project), os.stat(path).st_size), (["big"], (1 << 30) + 1))

    def test_one_line_of_megabytes_is_edited_in_its_middle(self):
        self.write("line", "x" * 1000000 + "old" + "y" * 1000000)
        text = self.fine([use("Read", file_path="line"), use("Edit", file_path="line", old_string="old", new_string="new")])[1]
        self.assertLess(len(text), 100000)
        self.assertEqual(self.read("line"), "x" * 1000000 + "new" + "y" * 1000000)

    def test_an_empty_file_is_filled_by_each_tool_that_can(self):
        for name in ("w", "e", "m", "p", "unfit"):
            self.write(name, "")
        self.fine([use("Write", file_path="w", content="new\n"), use("Edit", file_path="e", old_string="", new_string="new\n"),
                   use("MultiEdit", file_path="m", edits=[{"old_string": "", "new_string": "old\n"}, {"old_string": "old", "new_string": "new"}]),
                   use("Read", file_path="p"), use("ApplyPatch", patch="*** Begin Patch\n*** Update File: p\n@@\n+new\n*** End Patch")])
        for name in ("w", "e", "m", "p"):
            self.assertEqual(self.read(name), "new\n", name)
        for text, failed in self.all([use("Read", file_path="unfit")] + each_tool("unfit")[2:3] + each_tool("unfit")[4:7])[1:]:
            self.assertTrue(failed)
            self.assertRegex(text, "not found in the file|no notebook")
        self.assertEqual(self.read("unfit"), "")

    def test_a_file_that_a_patch_moves_keeps_what_belongs_to_it(self):
        path = self.write("old", "a\nb\n")
        os.chmod(path, 0o640)
        try:
            os.setxattr(path, "user.mark", b"kept")
        except OSError:
            self.skipTest("no attributes")
        for text, hunk in (("moved/one", ""), ("moved/two", "@@\n-a\n+A\n")):
            answer = self.all([use("Read", file_path="old"), use("ApplyPatch", patch="*** Begin Patch\n*** Update File: old\n"
                                                                 "*** Move to: %s\n%s*** End Patch" % (text, hunk))])
            self.assertFalse(answer[-1][1], answer)
            self.assertEqual(os.getxattr(self.path(text), "user.mark"), b"kept")
            self.assertEqual(stat.S_IMODE(os.stat(self.path(text)).st_mode), 0o640)
            self.assertFalse(os.path.exists(path))
            os.rename(self.path(text), path)

    def patch(self, *lines):
        return use("ApplyPatch", patch="\n".join(("*** Begin Patch",) + lines + ("*** End Patch",)))

    def test_a_link_that_a_patch_moves_stays_a_link_and_its_file_is_changed(self):
        self.write("real", "a\nb\n")
        os.symlink("real", self.path("link"))
        answer, failed = self.all([self.patch("*** Update File: link", "*** Move to: other")])[-1]
        self.assertFalse(failed, answer)
        self.assertIn("symbolic link, which was moved as it is.", answer)
        self.assertEqual((os.readlink(self.path("other")), os.path.lexists(self.path("link"))), ("real", False))
        answer, failed = self.all([use("Read", file_path="other"),
                                   self.patch("*** Update File: other", "*** Move to: in/deep", "@@", "-a", "+A")])[-1]
        self.assertFalse(failed, answer)
        self.assertIn("leads to nothing", answer)
        self.assertEqual((os.readlink(self.path("in/deep")), os.path.lexists(self.path("other"))), ("real", False))
        self.assertEqual((self.read("real"), os.path.islink(self.path("real"))), ("A\nb\n", False))

    def test_a_link_moves_only_where_nothing_stands(self):
        self.write("real", "real\n")
        self.write("there", "mine\n")
        os.symlink("real", self.path("link"))
        answer, failed = self.all([self.patch("*** Update File: link", "*** Move to: there")])[-1]
        self.assertTrue(failed)
        self.assertIn("exists already", answer)
        self.assertEqual((os.readlink(self.path("link")), self.read("there")), ("real", "mine\n"))

    def test_a_patch_that_fails_gives_back_what_it_had_removed(self):
        """The last file cannot be removed: what went before it comes back with all that belongs to it."""
        if not self.holds(self.path("held")):
            self.skipTest("nothing here keeps root from removing a file")
        self.write("plain", "plain\n")
        os.chmod(self.path("plain"), 0o640)
        os.utime(self.path("plain"), ns=(5, 1000000000000000005))
        os.symlink("plain", self.path("link"))
        self.write("held/stays", "stays\n")
        self.hold(self.path("held"), True)
        try:
            answers = self.all([use("Read", file_path="plain"), use("Read", file_path="held/stays"),
                                self.patch("*** Delete File: plain", "*** Delete File: link", "*** Delete File: held/stays")])
        finally:
            self.hold(self.path("held"), False)
        self.assertTrue(answers[-1][1], answers)
        self.assertIn("No file was changed", answers[-1][0])
        status = os.stat(self.path("plain"))
        self.assertEqual((self.read("plain"), stat.S_IMODE(status.st_mode), status.st_mtime_ns), ("plain\n", 0o640, 1000000000000000005))
        self.assertEqual((os.readlink(self.path("link")), self.read("held/stays")), ("plain", "stays\n"))

    def hold(self, path, is_held):
        """Nothing in that directory can be removed; root is kept from it by a flag of the file system alone."""
        os.makedirs(path, exist_ok=True)
        if os.geteuid():
            os.chmod(path, 0o555 if is_held else 0o755)
            return
        descriptor = os.open(path, os.O_RDONLY)
        try:
            fcntl.ioctl(descriptor, FS_IOC_SETFLAGS, struct.pack("I", FS_APPEND_FL if is_held else 0))
        finally:
            os.close(descriptor)

    def holds(self, path):
        try:
            self.hold(path, True)
            self.hold(path, False)
        except OSError:
            return False
        return True

    def test_a_file_of_more_than_a_gibibyte_is_refused_before_it_is_read(self):
        path = self.write("large", "old\n")
        os.truncate(path, (1 << 30) + 1)
        before = os.stat(path)
        for text, failed in self.all(each_tool("large")[1:6] + each_tool("large")[6:9]):
            self.assertTrue(failed)
            self.assertIn("at most 1 GiB", text)
        after = os.stat(path)
        self.assertEqual((after.st_ino, after.st_size, after.st_mtime_ns), (before.st_ino, before.st_size, before.st_mtime_ns))
        largest = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss >> 10
        self.assertTrue(largest < 800, "%d MB" % largest)  # under a sanitizer; else some 20


expose(globals())

if __name__ == "__main__":
    main()
