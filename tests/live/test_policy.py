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


expose(globals())
if __name__ == "__main__":
    main()
