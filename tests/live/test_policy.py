"""What commands may do, shown with the real program and real files: what is denied stays denied, whatever it is called."""
import json
import os

from cli_support import Case, expose, main


class Commands(Case):
    def bash(self, command, *flags, **options):
        """The decision and the result of one command, through `helve tool call`."""
        options.setdefault("code", None)
        self.run_helve("tool", "call", "Bash", json.dumps({"command": command}), *flags, **options)
        return self.out + self.err

    def program(self, name, text):
        path = self.write(name, text)
        os.chmod(path, 0o755)
        return path

    def workspace_first(self, folder):
        return dict(self.env, PATH=folder + ":" + self.env["PATH"])


class Interpreter(Commands):
    """What runs a command is the system's bash, not one that the workspace has in front of PATH."""

    def setUp(self):
        super().setUp()
        for name in ("bash", "sh", "git"):
            self.program("bin/" + name, "#!/bin/sh\necho \"$0\" >> %s\n" % self.path("caught"))

    def test_the_workspace_does_not_run_the_commands(self):
        for folder in (self.path("bin"), "bin", self.path("bin") + "/"):
            for settings in ({}, {"sandbox": {"enabled": False}}):
                self.settings(settings)
                out = self.bash("echo $0 $BASH_VERSION; nosuchprogram", "--allowed-tools", "Bash",
                                env=self.workspace_first(folder))
                self.assertIn("bash 5", out)
                self.assertIn("bash: line 1: nosuchprogram", out)
                self.assertFalse(os.path.exists(self.path("caught")), folder)

    def test_the_workspace_does_not_run_the_monitor(self):
        self.bash("ls", env=self.workspace_first(self.path("bin")))
        self.run_helve("tool", "call", "Monitor", json.dumps({"command": "echo x", "description": "d"}), "--allowed-tools",
                       "Monitor", code=None, env=self.workspace_first(self.path("bin")))
        self.assertFalse(os.path.exists(self.path("caught")))

    def test_doctor_looks_at_the_systems_git(self):
        self.run_helve("doctor", "--offline", code=None, env=self.workspace_first(self.path("bin")))
        self.assertIn("git version", self.out)
        self.assertFalse(os.path.exists(self.path("caught")))


class Scripts(Commands):
    def test_an_operand_that_is_evaluated_is_asked_about(self):
        out = self.bash("xdg-user-dir '}; touch pwned #'")
        self.assertIn("evaluates its operand", out)
        self.assertFalse(os.path.exists(self.path("pwned")))


class Denials(Commands):
    """A denial for words holds for every spelling of them, and asks where a program may run them."""

    def test_another_spelling_is_denied(self):
        self.write("d/e/f", "")
        for command in ("rm -fr d && ls", "rm -r -f d", "rm -rfv d", "rm d -rf", "rm --rec --force d", "X=1 rm d -f -r",
                        "chronic rm -fr d", "npx -c 'rm -fr d'"):
            out = self.bash(command, "--allowed-tools", "Bash", "--disallowed-tools", "Bash(rm -rf:*)")
            self.assertIn("Bash(rm -rf:*)", out, command)
        self.assertTrue(os.path.exists(self.path("d/e/f")))

    def test_what_an_unknown_program_may_run_is_refused_where_nobody_is_asked(self):
        self.program("rtk", '#!/bin/sh\nexec "$@"\n')
        self.write("a", "1")
        for mode in ("default", "bypassPermissions"):
            out = self.bash("./rtk touch made && ls", "--allowed-tools", "Bash", "--disallowed-tools", "Bash(touch:*)",
                            "--permission-mode", mode)
            self.assertIn("Bash(touch:*)", out)
            self.assertFalse(os.path.exists(self.path("made")))
        self.assertIn("made", self.bash("./rtk touch made && ls", "--allowed-tools", "Bash"))

    def test_a_pattern_for_a_reading_program_opens_no_other_place(self):
        with open(os.path.join(self.home, "f.txt"), "w") as file:
            file.write("elsewhere")
        for command in ("cat ~/f.txt", "head -5 ~/f.txt", "grep -rn e ~/f.txt"):
            out = self.bash(command, "--allowed-tools", "Bash(cat *)", "Bash(head:*)", "Bash(grep:*)")
            self.assertNotIn("elsewhere", out)
            self.assertIn("Read(", out)
        self.assertIn("elsewhere", self.bash("cat ~/f.txt", "--allowed-tools", "Bash(cat *)", "Read(~/f.txt)"))


expose(globals())
if __name__ == "__main__":
    main()
