"""Write, Edit, MultiEdit, ApplyPatch and NotebookEdit through the doors: what survives a change, what is refused, two
processes at one file, what a person is shown. FILES_SECONDS=60 lets the two processes go on for a minute."""
import json
import os
import pty
import re
import select
import stat
import struct
import subprocess
import threading
import time

from cli_support import HELVE, Case, expose, main, text_of, use

NOTEBOOK = {"cells": [{"cell_type": "code", "execution_count": 1, "id": "one", "metadata": {}, "outputs": [],
                       "source": ["x = 1\n", "y = 2"]}], "metadata": {}, "nbformat": 4, "nbformat_minor": 5}


def changes_of(name, old, new):
    """The tools that change a text file, each with its input."""
    return {
        "Write": {"file_path": name, "content": new + "\n"},
        "Edit": {"file_path": name, "old_string": old, "new_string": new},
        "MultiEdit": {"file_path": name, "edits": [{"old_string": old, "new_string": new}]},
        "ApplyPatch": {"patch": f"*** Begin Patch\n*** Update File: {name}\n@@\n-{old}\n+{new}\n*** End Patch"},
    }


class Files(Case):
    def setUp(self):
        super().setUp()
        self.settings({"permissions": {"allow": ["Read", "Write", "Edit"]}})

    def change(self, tool, given, *before, code=0):
        """Read what is named, then the change; its text and whether it failed."""
        blocks = [use("Read", id=str(number), file_path=name) for number, name in enumerate(before)]
        result = self.execute(*blocks, use(tool, id="x", input=given), code=code)["x"]
        return text_of(result), result.get("is_error", False)

    def bytes_of(self, name):
        with open(self.path(name), "rb") as file:
            return file.read()

    # ---- what survives ----

    def test_mode_owner_attributes_and_lists_survive_each_tool(self):
        for tool, given in changes_of("file", "old", "new").items():
            path = self.write("file", "old\n")
            os.chmod(path, 0o2751)
            if os.geteuid() == 0:
                os.chown(path, 1234, 2345)
                os.chmod(path, 0o2751)
            kept = {}
            for name, value in (("user.test", b"kept"), ("system.posix_acl_access", self.list_for(1000))):
                try:
                    os.setxattr(path, name, value)
                    kept[name] = os.getxattr(path, name)
                except OSError as reason:
                    print(f"# {name}: {reason}")
            before = os.stat(path)
            text, failed = self.change(tool, given, "file")
            self.assertFalse(failed, text)
            after = os.stat(path)
            self.assertEqual(self.bytes_of("file"), b"new\n")
            for name in ("st_mode", "st_uid", "st_gid"):
                self.assertEqual(getattr(after, name), getattr(before, name), (tool, name))
            for name, value in kept.items():
                self.assertEqual(os.getxattr(path, name), value, (tool, name))
            self.assertEqual(os.listdir(self.project), ["file"])
            os.unlink(path)

    @staticmethod
    def list_for(user):
        """An access control list as the kernel has it: owner rwx, that user r--, group r-x, mask r-x, others --x."""
        entries = ((1, 7, 0xffffffff), (2, 4, user), (4, 5, 0xffffffff), (0x10, 5, 0xffffffff), (0x20, 1, 0xffffffff))
        return struct.pack("<I", 2) + b"".join(struct.pack("<HHI", *entry) for entry in entries)

    def test_links_keep_pointing_and_hard_links_stay_one_file(self):
        for tool in ("Write", "Edit", "MultiEdit", "ApplyPatch"):
            self.write("there/target", "old\n")
            os.symlink("there/target", self.path("link"))
            text, failed = self.change(tool, changes_of("link", "old", "new")[tool], "link")
            self.assertFalse(failed, text)
            self.assertTrue(os.path.islink(self.path("link")))
            self.assertEqual(self.bytes_of("there/target"), b"new\n")
            os.link(self.path("there/target"), self.path("name"))
            text, failed = self.change(tool, changes_of("name", "new", "newer than that")[tool], "name")
            self.assertFalse(failed, text)
            self.assertIn("hard links", text, tool)
            self.assertEqual(self.bytes_of("there/target"), b"newer than that\n")
            self.assertEqual(os.stat(self.path("name")).st_ino, os.stat(self.path("there/target")).st_ino)
            self.assertEqual(sorted(os.listdir(self.project)), ["link", "name", "there"])
            self.assertEqual(os.listdir(self.path("there")), ["target"])
            os.unlink(self.path("link"))
            os.unlink(self.path("name"))

    def test_settings_are_confirmed_by_whatever_name(self):
        """A second name of the file, and the file that a link stands for: a person is asked for both, in every mode."""
        for tool in ("Write", "Edit", "MultiEdit", "ApplyPatch"):
            for name, real in (("name", ".helve/settings.json"), ("kept", ".claude/settings.local.json")):
                self.write(real, "{}\n")
                if name == "name":
                    os.link(self.path(real), self.path(name))
                else:
                    os.rename(self.path(real), self.path(name))
                    os.symlink(self.path(name), self.path(real))
                results = self.execute(use("Read", id="r", file_path=name),
                                       use(tool, id="x", input=changes_of(name, "{}", '{"permissions":{}}')[tool]),
                                       flags=("--permission-mode", "bypassPermissions"))
                self.assertTrue(results["x"].get("is_error"), (tool, name))
                self.assertIn(real, text_of(results["x"]))
                self.assertEqual(self.read(name), "{}\n", (tool, name))
                answer = json.loads(self.run_helve("explain", "path", name, "--tool", tool, "--json")) if tool != "ApplyPatch" else {}
                self.assertNotEqual(answer.get("decision"), "allow")
                os.unlink(self.path(real))
                os.unlink(self.path(name))

    def test_commands_are_asked_about_second_names_of_settings(self):
        for settings in (".claude/settings.json", ".helve/settings.local.json", ".mcp.json"):
            self.write(settings, "{}\n")
            self.write("notes/plain.json", "{}\n")
            for name in ("second.json", "notes/second.json"):
                os.link(self.path(settings), self.path(name))
                for command, wanted in ((f"echo 1 > {name}", "ask"), (f"cat {name}", "allow"), (f"cd . && echo 1 >> ./{name}", "ask"),
                                        ("echo 1 > notes/plain.json", "allow")):
                    answer = json.loads(self.run_helve("explain", "bash", "--json", "--permission-mode", "acceptEdits", command))
                    self.assertEqual(answer["decision"], wanted, (command, answer))
                os.unlink(self.path(name))
            os.unlink(self.path(settings))

    def test_start_up_files_of_the_home_are_confirmed_by_whatever_name(self):
        """People keep them under version control: a link in the home leads to the file in the workspace, to its folder,
        to one above that, or to what does not exist yet; or the file has a second name."""
        links = {"gitconfig": ".gitconfig", "rc/bash": ".bashrc", "ssh.conf": ".ssh/config", "nvim": ".config/nvim", "cargo": ".cargo", "later": ".zshrc"}
        there = {"gitconfig": ".gitconfig", "rc/bash": ".bashrc", "ssh.conf": ".ssh/config", "nvim/init.lua": ".config/nvim", "cargo/config.toml": ".cargo/config.toml", "twice": ".profile", "hard": ".gitconfig"}
        for name in there:
            self.write(name, "old\n")
        os.unlink(self.path("hard"))
        os.link(self.path("gitconfig"), self.path("hard"))
        for target, link in links.items():
            os.makedirs(os.path.dirname(os.path.join(self.home, link)), exist_ok=True)
            os.symlink(self.path(target), os.path.join(self.home, link))
        os.link(self.path("twice"), os.path.join(self.home, ".profile"))
        self.write("plain", "old\n")
        new = {"later": ".zshrc", "nvim/lua/a.lua": ".config/nvim"}
        calls = [use("Read", id="r" + name, file_path=name) for name in (*there, "plain")]
        calls += [use("Edit", id="e" + name, file_path=name, old_string="old", new_string="new") for name in (*there, "plain")]
        calls += [use("Write", id="w" + name, file_path=name, content="new\n") for name in (*there, *new)]
        results = self.execute(*calls, flags=("--permission-mode", "acceptEdits"))
        for call in calls:
            name = call["input"]["file_path"]
            if call["name"] == "Read" or name == "plain":
                self.assertFalse(results[call["id"]].get("is_error"), text_of(results[call["id"]]))
            else:
                self.assertIn({**there, **new}[name], text_of(results[call["id"]]), call)
        self.assertEqual([self.read(name) for name in there], ["old\n"] * len(there))
        self.assertEqual([os.path.exists(self.path(name)) for name in new], [False, False])
        for name in ("sub/bash", "sub/gitconfig", "sub/plain", "sub/out", "put/a"):
            self.write(name, "1\n")
        os.symlink(os.path.join(self.home, "anything"), self.path("put/out"))
        os.symlink("../gitconfig", self.path("put/gitconfig"))
        into = ("cp sub/bash rc", "install sub/bash rc/", "cp -r sub/. .", "cp -t rc sub/b*", "mv sub/bash rc/", "cp sub/out put", "cp sub/gitconfig put")
        over = ("mv rc old", "rm -r rc", "rm -r r*", "mv -T sub rc", "ln -s sub later", "sed -i s/a/b/ rc/*", "rm nvim/i*")
        fine = ("cp sub/plain rc", "mv sub/plain rc", "cp sub/* put/new", "rm -r sub", "mv sub old", "rm rc/x*", "echo 1 > plain", "cat gitconfig")
        for command, wanted in [(form % name, "ask") for name in (*there, *new) for form in ("echo 1 > %s", "cp plain %s")] + [(command, "ask") for command in into + over] + [(command, "allow") for command in fine]:
            answer = json.loads(self.run_helve("explain", "bash", "--json", "--permission-mode", "acceptEdits", command))
            self.assertEqual(answer["decision"], wanted, command)

    def test_commands_are_asked_about_what_links_to_settings_lead_to(self):
        for link, target in ((".claude/settings.json", "config/agent.json"), (".mcp.json", "servers.json"), (".helve", "other")):
            self.write(target + ("/settings.json" if link == ".helve" else ""), "{}\n")
            os.makedirs(os.path.dirname(self.path(link)), exist_ok=True)
            os.symlink(self.path(target), self.path(link))
            file = target + ("/settings.json" if link == ".helve" else "")
            for command, wanted in ((f"echo 1 > {file}", "ask"), (f"echo 1 > {file}.old", "allow")):
                answer = json.loads(self.run_helve("explain", "bash", "--json", "--permission-mode", "acceptEdits", command))
                self.assertEqual(answer["decision"], wanted, (command, answer))
            os.unlink(self.path(link))

    def test_a_notebook_with_two_names_stays_one_file(self):
        path = self.write("a.ipynb", json.dumps(NOTEBOOK, indent=1) + "\n")
        os.chmod(path, 0o640)
        os.link(path, self.path("b.ipynb"))
        text, failed = self.change("NotebookEdit", {"notebook_path": "a.ipynb", "cell_id": "one", "new_source": "x = 2"},
                                   "a.ipynb")
        self.assertFalse(failed, text)
        self.assertIn("hard links", text)
        self.assertEqual(json.loads(self.read("b.ipynb"))["cells"][0]["source"], ["x = 2"])
        self.assertEqual(stat.S_IMODE(os.stat(path).st_mode), 0o640)

    def test_a_directory_that_takes_no_file_has_its_files_changed_in_place(self):
        if os.geteuid() == 0:
            print("# root may write everywhere")
            return
        self.write("closed/file", "old\n")
        os.chmod(self.path("closed"), 0o555)
        try:
            text, failed = self.change("Edit", changes_of("closed/file", "old", "new")["Edit"], "closed/file")
        finally:
            os.chmod(self.path("closed"), 0o755)
        self.assertFalse(failed, text)
        self.assertIn("in place", text)
        self.assertEqual(self.bytes_of("closed/file"), b"new\n")

    def test_names_of_all_kinds(self):
        for name in ("n" * 255, "with\nnewline", "with blank", "-dash", "q\"uote's", "é" * 127, "ends.", "tab\tname"):
            for tool in ("Edit", "ApplyPatch"):
                if tool == "ApplyPatch" and "\n" in name:
                    continue
                self.write(name, "old\n")
                text, failed = self.change(tool, changes_of(name, "old", "new")[tool], name)
                self.assertFalse(failed, (name, text))
                self.assertEqual(self.bytes_of(name), b"new\n")
            os.unlink(self.path(name))
            text, failed = self.change("Write", {"file_path": name, "content": "new\n"})
            self.assertFalse(failed, (name, text))
            self.assertEqual(os.listdir(self.project), [name])
            os.unlink(self.path(name))
        text, failed = self.change("Write", {"file_path": "deep/er/" + "n" * 256, "content": "x"})
        self.assertTrue(failed)
        self.assertIn("name", text)
        self.assertEqual(os.listdir(self.project), [])  # and no directory is left

    # ---- new files ----

    def test_new_files_follow_editorconfig_and_gitattributes(self):
        self.write(".editorconfig", "root = true\n[*]\ninsert_final_newline = true\n[*.bat]\nend_of_line = crlf\n"
                                    "[*.txt]\ncharset = utf-8-bom\n[old/**]\ncharset = latin1\n[*.u16]\ncharset = utf-16le\n")
        cases = (("a.bat", "a\nb\n", b"a\r\nb\r\n", "CRLF"), ("a.txt", "é\n", b"\xef\xbb\xbf\xc3\xa9\n", "byte order"),
                 ("old/a", "é\n", b"\xe9\n", "windows-1252"), ("a.u16", "a\n", b"\xff\xfea\0\n\0", "UTF-16"),
                 ("a.c", "a\r\nb\n", b"a\r\nb\n", None), ("b.c", "a", b"a", "newline at the end"))
        for name, content, wanted, note in cases:
            ways = {"Write": {"file_path": name, "content": content},
                    "Edit": {"file_path": name, "old_string": "", "new_string": content}}
            if content.endswith("\n") and "\r" not in content:
                ways["ApplyPatch"] = {"patch": f"*** Begin Patch\n*** Add File: {name}\n"
                                               + "".join("+" + line for line in content.splitlines(True)) + "*** End Patch"}
            for tool, given in ways.items():
                text, failed = self.change(tool, given)
                self.assertFalse(failed, text)
                self.assertEqual(self.bytes_of(name), wanted, tool)
                self.assertEqual("Note" in text, note is not None, text)
                self.assertIn(note or "", text)
                os.unlink(self.path(name))
        text, failed = self.change("Write", {"file_path": "old/b", "content": "a\n日本\n"})
        self.assertTrue(failed)
        self.assertIn("U+65E5", text)
        self.assertFalse(os.path.exists(self.path("old/b")))

    def test_git_speaks_where_there_is_a_work_tree(self):
        self.write(".editorconfig", "[*]\nend_of_line = crlf\n")
        self.write(".gitattributes", "* text=auto\n*.sh text eol=lf\n*.bin -text\n*.sln working-tree-encoding=UTF-16LE-BOM\n")
        self.change("Write", {"file_path": "a.sh", "content": "a\n"})
        self.assertEqual(self.bytes_of("a.sh"), b"a\r\n")  # no work tree: .gitattributes is nobody's
        os.unlink(self.path("a.sh"))
        subprocess.run(["git", "init", "-q", self.project], check=True, env=self.env)
        self.write("sub/.gitattributes", "*.sh eol=crlf\n")
        for name, wanted in (("a.sh", b"a\n"), ("sub/a.sh", b"a\r\n"), ("a.bin", b"a\n"), ("a.c", b"a\r\n"),
                             ("a.sln", b"\xff\xfea\0\r\0\n\0")):
            text, failed = self.change("Write", {"file_path": name, "content": "a\n"})
            self.assertFalse(failed, text)
            self.assertEqual(self.bytes_of(name), wanted, name)

    def git(self, *arguments, stdin=b""):
        return subprocess.run(["git", *arguments], input=stdin, cwd=self.project, env=self.env, check=True,
                              stdout=subprocess.PIPE).stdout.decode().strip()

    def test_line_ends_of_new_files_are_those_that_git_would_check_out(self):
        self.git("init", "-q")
        blob = self.git("hash-object", "-w", "--stdin", stdin=b"a\nb\n")
        self.git("update-index", "--add", "--cacheinfo", "100644,%s,a.x" % blob)
        self.git("config", "include.path", "line-ends")
        process, endings, number = self.start("exec"), set(), 0
        with process, process.stdin, process.stdout:
            for attributes in ("", "* text=auto\n", "*.x text\n", "*.x -text\n", "*.x eol=lf\n", "*.x binary\n"):
                self.write(".gitattributes", attributes)
                for autocrlf in ("", "autocrlf=true", "autocrlf", "autocrlf=input", "autocrlf=No"):
                    for eol in ("", "eol=crlf", "eol=LF", "eol=native"):
                        self.write(".git/line-ends", "[core]\n%s\n%s\n" % (autocrlf, eol))
                        self.git("checkout-index", "-f", "a.x")
                        wanted = self.bytes_of("a.x")
                        os.unlink(self.path("a.x"))
                        number += 1
                        block = use("Write", id="toolu_%d" % number, file_path="a.x", content="a\nb\n")
                        process.stdin.write(json.dumps(block).encode() + b"\n")
                        process.stdin.flush()
                        text = text_of(json.loads(process.stdout.readline()))
                        self.assertTrue(os.path.exists(self.path("a.x")), text)
                        self.assertEqual(self.bytes_of("a.x"), wanted, (attributes, autocrlf, eol, text))
                        self.assertEqual("as git's core." in text, b"\r" in wanted, (attributes, autocrlf, eol, text))
                        endings.add(wanted)
                        os.unlink(self.path("a.x"))
        self.assertEqual(endings, {b"a\nb\n", b"a\r\nb\r\n"})

    def test_the_settings_of_git_come_last_and_leave_scripts_alone(self):
        self.git("init", "-q")
        with open(os.path.join(self.home, ".gitconfig"), "w") as file:
            file.write("[core]\n\tautocrlf = true\n")
        self.write(".editorconfig", "[*.lf]\nend_of_line = lf\n")
        for name, content, wanted in (("a.c", "a\n", b"a\r\n"), ("a.lf", "a\n", b"a\n"), ("a.sh", "#!/bin/sh\n", b"#!/bin/sh\n"),
                                      ("nul", "a\0\n", b"a\0\n")):
            text, failed = self.change("Write", {"file_path": name, "content": content})
            self.assertFalse(failed, text)
            self.assertEqual(self.bytes_of(name), wanted, name)
        self.git("config", "core.autocrlf", "input")  # the repository's own counts more
        self.change("Write", {"file_path": "b.c", "content": "a\n"})
        self.assertEqual(self.bytes_of("b.c"), b"a\n")

    # ---- what is refused ----

    def test_text_that_stands_for_text_is_refused_by_each_tool(self):
        elided = "int a = 2;\n// ... rest of the code unchanged ..."
        for tool, given in changes_of("a.c", "int a = 1;", elided).items():
            if tool == "ApplyPatch":
                given = {"patch": given["patch"].replace("\n// ...", "\n+// ...")}
            self.write("a.c", "int a = 1;\nint b;\n")
            text, failed = self.change(tool, given, "a.c")
            self.assertTrue(failed, tool)
            self.assertIn("rest of the code unchanged", text)
            self.assertIn("line 2", text)
            self.assertEqual(self.bytes_of("a.c"), b"int a = 1;\nint b;\n")
        self.write("a.ipynb", json.dumps(NOTEBOOK, indent=1) + "\n")
        text, failed = self.change("NotebookEdit", {"notebook_path": "a.ipynb", "cell_id": "one",
                                                    "new_source": "x = 2\n# ... rest unchanged"}, "a.ipynb")
        self.assertTrue(failed)
        self.assertIn("line 2 of new_source", text)
        self.write("a.c", "int a = 1;\n// ... rest of the code unchanged ...\n")  # its own line may stay
        text, failed = self.change("Write", {"file_path": "a.c", "content": elided + "\n"}, "a.c")
        self.assertFalse(failed, text)
        text, failed = self.change("Write", {"file_path": "new.c", "content": elided + "\n"})
        self.assertFalse(failed, text)  # nothing is lost

    # ---- a person ----

    def converse(self, tool, given, answer, env=()):
        """`helve tool call` at a terminal; all that was seen there."""
        master, slave = pty.openpty()
        process = subprocess.Popen([HELVE, "tool", "call", tool, json.dumps(given)], stdin=slave, stderr=slave,
                                   stdout=subprocess.PIPE, cwd=self.project, env={**self.env, **dict(env)},
                                   start_new_session=True)
        os.close(slave)
        seen, asked, trusted, end = b"", False, False, time.monotonic() + 60
        while time.monotonic() < end:
            if select.select([master], [], [], 0.1)[0]:
                try:
                    seen += os.read(master, 65536)
                except OSError:
                    break
            elif process.poll() is not None:
                break
            if not trusted and b"Trust them?" in seen and seen.rstrip(b" ").endswith(b">"):
                os.write(master, b"y\n")
                trusted = True
            if not asked and b"may this be done" in seen and seen.rstrip(b" ").endswith(b">"):
                os.write(master, answer.encode() + b"\n")
                asked = True
        out = process.stdout.read().decode()
        process.stdout.close()
        process.wait(timeout=600)
        os.close(master)
        return out, seen.decode("utf-8", "replace").replace("\r\n", "\n")

    def test_a_person_sees_the_change_that_is_asked_for(self):
        self.settings({"permissions": {"allow": ["Read"]}})
        self.write("empty", "")
        given = {"file_path": "made", "content": "first\n\tsecond \u202e line\n"}
        _, seen = self.converse("Write", given, "n")
        self.assertIn("  | +first\n  | +    second \\u{202e} line\n", seen)
        self.assertNotIn("\033", seen)
        _, seen = self.converse("Write", given, "n", {"TERM": "xterm"})
        self.assertIn("  | \033[32m+first\033[0m\n", seen)
        patch = "*** Begin Patch\n*** Add File: made\n+first\n*** End Patch"
        _, seen = self.converse("ApplyPatch", {"patch": patch}, "n")
        self.assertIn("  | +first\n", seen)
        self.write("made", "int a = 1;\n")
        _, seen = self.converse("ApplyPatch", {"patch": "*** Begin Patch\n*** Update File: made\n@@\n-int a = 1;\n+int a = 2;\n*** End Patch"}, "n",
                                {"TERM": "xterm"})
        self.assertIn("  | \033[31m-int a = \033[7m1\033[27m;\033[0m\n  | \033[32m+int a = \033[7m2\033[27m;\033[0m\n", seen)
        _, seen = self.converse("MultiEdit", {"file_path": "made", "edits": [{"old_string": "x", "new_string": "y"}]}, "")
        self.assertIn("no file was read", seen)
        self.assertEqual(self.read("made"), "int a = 1;\n")

    def test_settings_that_would_be_broken_are_not_written_even_with_leave(self):
        good = {".helve/settings.json": "{\"permissions\": {}}\n", ".claude/settings.json": "{\"hooks\": {}}\n",
                ".claude/settings.local.json": "{\"permissions\": {\"allow\": []}}\n", ".mcp.json": "{\"mcpServers\": {}}\n"}
        for name, text in good.items():
            self.write(name, text)
            bad = text.replace("{}", "3").replace("[]", "3")
            given = {"patch": f"*** Begin Patch\n*** Update File: {name}\n@@\n-{text}+{bad}*** End Patch"}
            for tool, fields in (("ApplyPatch", given), ("ApplyPatch", {"patch": "*** Begin Patch\n*** Delete File: %s\n"
                                 "*** Add File: other\n+x\n*** End Patch" % name})):
                out, seen = self.converse(tool, fields, "n" if "Delete" in fields["patch"] else "y")
                self.assertIn("may this be done", seen, (tool, name))
                if "Delete" not in fields["patch"]:
                    self.assertIn("left as it was", out)
                self.assertEqual(self.read(name), text)
        self.write("source", "[]\n")
        os.unlink(self.path(".mcp.json"))
        moved = "*** Begin Patch\n*** Update File: source\n*** Move to: .mcp.json\n*** End Patch"
        out, _ = self.converse("ApplyPatch", {"patch": moved}, "y")
        self.assertIn("left as it was", out)
        self.assertFalse(os.path.exists(self.path(".mcp.json")))
        self.write("good.json", "{\"mcpServers\": {}}\n")
        os.symlink("good.json", self.path("link"))
        out, _ = self.converse("ApplyPatch", {"patch": moved.replace("source", "link")}, "y")
        self.assertIn("must be a file", out)
        self.assertFalse(os.path.lexists(self.path(".mcp.json")))
        for tool, fields in (("Write", {"file_path": ".mcp.json", "content": "[]"}),
                             ("Edit", {"file_path": ".mcp.json", "old_string": "", "new_string": "[]"}),
                             ("MultiEdit", {"file_path": ".mcp.json", "edits": [{"old_string": "", "new_string": "[]"}]})):
            out, _ = self.converse(tool, fields, "y")
            self.assertIn("left as it was", out, tool)
            self.assertFalse(os.path.exists(self.path(".mcp.json")))

    # ---- two processes ----

    @staticmethod
    def count_up(tool, name, index, count):
        """The call that counts process index's line of a file up; a patch counts up a file of its own with it."""
        old, new = ("process %d: %d" % (index, number) for number in (count, count + 1))
        if tool == "Edit":
            return {"file_path": name, "old_string": old + "\n", "new_string": new + "\n"}
        update = "*** Update File: %s\n@@\n-%s\n+%s\n"
        return {"patch": "*** Begin Patch\n" + update % ("own%d" % index, old, new) + update % (name, old, new) + "*** End Patch"}

    def race(self, names, seconds, tool="Edit"):
        """Two processes count up a line each of one file, under the name that each has for it. Returns the counts."""
        counts, faults = [0, 0], []

        def work(index):
            process = self.start("exec", stderr=subprocess.DEVNULL)
            number = 0

            def call(tool, **given):
                nonlocal number
                number += 1
                block = json.dumps(use(tool, id=str(number), **given)) + "\n"
                process.stdin.write(block.encode())
                process.stdin.flush()
                return json.loads(process.stdout.readline())

            try:
                end = time.monotonic() + seconds
                call("Read", file_path=names[index])
                while (time.monotonic() < end or not counts[index]) and counts[index] < 100000:
                    result = call(tool, input=self.count_up(tool, names[index], index, counts[index]))
                    if not result.get("is_error"):
                        counts[index] += 1
                    elif re.search("changed since it was read|replaced|does not fit", text_of(result)):
                        call("Read", file_path=names[index])
                    else:
                        faults.append(text_of(result))
                        return
            finally:
                process.stdin.close()
                process.stdout.read()
                process.stdout.close()
                process.wait(timeout=600)

        threads = [threading.Thread(target=work, args=(index,)) for index in range(2)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(faults, [])
        return counts

    def test_two_processes_at_one_file_lose_no_edit(self):
        seconds = float(os.environ.get("FILES_SECONDS", "3"))
        text = "head\nprocess 0: 0\n" + "between\n" * 50 + "process 1: 0\ntail\n"
        self.write("one/file", text)
        counts = self.race(["one/file", "one/file"], seconds)
        print("# edits of the two:", counts)
        wanted = text.replace("process 0: 0", "process 0: %d" % counts[0]).replace("process 1: 0", "process 1: %d" % counts[1])
        self.assertEqual(self.read("one/file"), wanted)
        self.assertGreater(min(counts), 0)
        os.makedirs(self.path("two"))
        self.write("one/file", text)
        os.link(self.path("one/file"), self.path("two/name"))
        counts = self.race(["one/file", "two/name"], seconds)
        print("# edits of the two, in place:", counts)
        wanted = text.replace("process 0: 0", "process 0: %d" % counts[0]).replace("process 1: 0", "process 1: %d" % counts[1])
        self.assertEqual(self.read("two/name"), wanted)
        self.assertGreater(min(counts), 0)
        self.assertEqual(os.listdir(self.path("one")) + os.listdir(self.path("two")), ["file", "name"])

    def test_two_processes_patch_one_file_and_one_of_their_own_each_all_or_nothing(self):
        text = "head\nprocess 0: 0\n" + "between\n" * 50 + "process 1: 0\ntail\n"
        self.write("file", text)
        for index in range(2):
            self.write("own%d" % index, "process %d: 0\n" % index)
        counts = self.race(["file", "file"], float(os.environ.get("FILES_SECONDS", "3")), "ApplyPatch")
        print("# patches of the two:", counts)
        for index in range(2):
            text = text.replace("process %d: 0" % index, "process %d: %d" % (index, counts[index]))
            self.assertEqual(self.read("own%d" % index), "process %d: %d\n" % (index, counts[index]))
        self.assertEqual(self.read("file"), text)
        self.assertGreater(min(counts), 0)
        self.assertEqual(sorted(os.listdir(self.project)), ["file", "own0", "own1"])


expose(globals())

if __name__ == "__main__":
    main()
