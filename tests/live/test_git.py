"""git that only reads, in repositories that name programs of theirs: unasked, none of them may run.

Each trick is a real repository with real git and a program that leaves a mark. Plain git must leave the mark (or the trick
is none), and helve must not: it either runs git with its overrides, or asks, which in `helve exec` means no.
"""
import os
import shlex
import subprocess

from cli_support import Case, expose, main, text_of, use

SIGNED = ("tree %s\\nauthor a <a@b> 1 +0000\\ncommitter a <a@b> 1 +0000\\ngpgsig -----BEGIN PGP SIGNATURE-----\\n \\n abc\\n"
          " -----END PGP SIGNATURE-----\\n\\nsigned\\n")
SIGN = ("git update-ref refs/heads/signed $(printf '" + SIGNED + "' $(git rev-parse HEAD^{tree}) |"
        " git hash-object -t commit -w --stdin)")
ATTRIBUTES = "echo '*.txt filter=x diff=x merge=x' > .gitattributes"
# In UTF-16, whose halves are letters of their own, a line "--output=mark".
TITLE = "x " + "\n--output=mark x".encode().decode("utf-16-be")
SUBMODULE = ("git init -q s && cd s && git config user.email a@b && git config user.name n && echo x > f.txt && git add . &&"
             " git commit -qm s && %s && cd .. && git add s && git commit -qm sub && echo y > s/f.txt")
CONFLICT = ("git config merge.x.driver 'EVIL %%A' && %s && git add . && git commit -qam m && git checkout -qb side HEAD~1 &&"
            " %s && echo side > a.txt && git add . && git commit -qm side && git checkout -q main &&"
            " git merge -q -s ours side -m mm" % (ATTRIBUTES, ATTRIBUTES))

# What the overrides stop: the command runs, the program does not.
STOPPED = [
    ("fsmonitor", "git config core.fsmonitor EVIL", ["git status", "git diff --stat", "git ls-files -m", "git blame a.txt",
                                                      "git grep hello", "git check-ignore a", "git describe --always --dirty"]),
    ("hook", "cp EVIL .git/hooks/post-index-change", ["git status", "git describe --always --dirty"]),
    ("hooksPath", "mkdir h && cp EVIL h/post-index-change && git config core.hooksPath h", ["git status"]),
    ("signature", "git config gpg.program EVIL && git config log.showSignature true && " + SIGN,
     ["git log signed", "git show signed", "git log -p signed"]),
    ("signature format", "git config gpg.program EVIL && git config format.pretty %G? && " + SIGN,
     ["git log signed"]),
    ("ssh signature", "git config gpg.ssh.program EVIL && git config gpg.ssh.allowedSignersFile /dev/null &&"
     " git config log.showSignature true && " + SIGN.replace("PGP", "SSH"), ["git log signed"]),
    ("worktree configuration", "git config extensions.worktreeConfig true && git config --worktree core.fsmonitor EVIL",
     ["git status"]),
    ("encoding of titles", "git config i18n.logOutputEncoding UTF-16BE && git commit -q --allow-empty -m '" + TITLE + "'",
     ["git log --format='%h %s' | awk '{print $1}' | xargs -n1 git show"]),
    ("fsmonitor of a submodule", SUBMODULE % "git config core.fsmonitor EVIL", ["git status", "git diff --stat"]),
]

# What nothing stops: helve asks.
ASKED = [
    ("filter", "git config filter.x.clean EVIL && " + ATTRIBUTES, ["git diff --stat", "git diff", "git blame a.txt",
                                                                     "git diff --no-index a.txt .gitattributes"]),
    ("textconv", "git config diff.x.textconv EVIL && " + ATTRIBUTES, ["git diff", "git log -p", "git show", "git blame a.txt",
                                                                        "git log -G two"]),
    ("driver", "git config diff.x.command EVIL && " + ATTRIBUTES, ["git diff"]),
    ("external diff", "git config diff.external EVIL", ["git diff", "git diff HEAD~1"]),
    ("old way of writing", "printf '[filter.x]\\nclean = EVIL\\n' >> .git/config && " + ATTRIBUTES, ["git diff --stat"]),
    ("include", "git config -f .git/more filter.x.clean EVIL && git config include.path more && " + ATTRIBUTES,
     ["git diff --stat"]),
    ("conditional include", "git config -f .git/more filter.x.clean EVIL &&"
     " git config includeIf.onbranch:main.path more && " + ATTRIBUTES, ["git diff --stat"]),
    ("merge driver", CONFLICT, ["git show --remerge-diff"]),
    ("trailer", "git config trailer.x.command EVIL && git config trailer.x.key X && echo foo > m",
     ["git interpret-trailers m"]),
    ("filter of a submodule", SUBMODULE % ("git config filter.x.clean EVIL && " + ATTRIBUTES), ["git status", "git diff"]),
    ("alias", "git config alias.st '!EVIL'", ["git st"]),
    ("bare look-alike", "mkdir sub && cp -r .git/* sub && cd sub && git config -f config filter.x.clean EVIL &&"
     " git config -f config core.bare false && git config -f config core.worktree .. && cd .. && " + ATTRIBUTES,
     ["cd sub && git diff --stat", "git -C sub diff --stat", "(cd sub; git diff --stat)", "env -C sub git diff --stat"]),
    ("worktree file", "git worktree add -q ../w && git config filter.x.clean EVIL && echo x > ../w/a.txt &&"
     " echo '*.txt filter=x' > ../w/.gitattributes", ["cd ../w && git diff --stat"]),
    ("words that execute", "git config diff.external EVIL", ["git log -p --ext-diff", "git -c core.pager=EVIL -p log"]),
    ("assignment", "true", ["GIT_EXTERNAL_DIFF=EVIL git diff", "GIT_CONFIG_COUNT=1 GIT_CONFIG_KEY_0=diff.external"
                            " GIT_CONFIG_VALUE_0=EVIL git diff", "export GIT_EXTERNAL_DIFF=EVIL; git diff"]),
]


class Hostile(Case):
    def setUp(self):
        super().setUp()
        self.evil, self.mark = os.path.join(self.top, "evil"), None
        with open(os.path.join(self.home, ".gitconfig"), "w") as file:
            file.write("[user]\n\tname = n\n\temail = a@b\n[init]\n\tdefaultBranch = main\n")
        self.env["GIT_CONFIG_NOSYSTEM"] = "1"
        self.number = 0

    def shell(self, script, check=True):
        return subprocess.run(["bash", "-c", script.replace("EVIL", self.evil)], cwd=self.project, env=self.env, check=check,
                              capture_output=True, stdin=subprocess.DEVNULL, timeout=600)

    def repository(self, setup):
        """A fresh repository with two commits, a change, and a file whose times alone have changed, made hostile."""
        self.number += 1
        self.project = os.path.join(self.top, "trick-%d" % self.number, "project")
        os.makedirs(self.project)
        # Where a command in the sandbox may write, too.
        self.mark = os.path.join(self.project, "mark")
        with open(self.evil, "w") as file:
            file.write("#!/bin/sh\necho ran >> %s\n" % shlex.quote(self.mark))
        os.chmod(self.evil, 0o755)
        self.shell("git init -q . && echo hello > a.txt && echo same > b.txt && git add . && git commit -qm one && echo two > a.txt &&"
                   " git commit -qam two && echo three > a.txt")
        self.shell(setup)
        self.shell("touch -d '1 minute ago' a.txt b.txt; rm -f %s" % shlex.quote(self.mark))

    def marked(self):
        found = os.path.exists(self.mark)
        if found:
            os.unlink(self.mark)
        return found

    def through_helve(self, commands):
        calls = [use("Bash", command=command.replace("EVIL", self.evil), id=str(at)) for at, command in enumerate(commands)]
        results = self.execute(*calls)
        return [results[str(at)] for at in range(len(commands))]

    def trick(self, name, setup, commands):
        """Plain git falls for one of the commands at least; what helve makes of them leaves no mark."""
        self.repository(setup)
        fell = False
        for command in commands:
            self.shell(command, check=False)
            fell |= self.marked()
        self.assertTrue(fell, "%s is no trick" % name)
        self.repository(setup)
        results = self.through_helve(commands)
        self.assertFalse(self.marked(), "%s: %s" % (name, [text_of(result)[:200] for result in results]))
        return results

    def test_the_overrides_stop_what_has_a_fixed_name(self):
        for name, setup, commands in STOPPED:
            for command, result in zip(commands, self.trick(name, setup, commands)):
                self.assertNotIn("Permission to use", text_of(result), "%s: %s" % (name, command))

    def test_what_nothing_stops_is_asked(self):
        for name, setup, commands in ASKED:
            for command, result in zip(commands, self.trick(name, setup, commands)):
                self.assertIn("Permission to use", text_of(result), "%s: %s" % (name, command))

    def test_bash_itself_takes_nothing_from_the_environment_that_changes_what_it_reads(self):
        self.repository("mkdir sub")
        os.makedirs(os.path.join(self.top, "elsewhere", "sub"))
        self.env.update({"BASH_ENV": self.evil, "ENV": self.evil, "SHELLOPTS": "braceexpand:hashall:interactive-comments:noglob",
                         "BASHOPTS": "extglob:nullglob", "CDPATH": os.path.join(self.top, "elsewhere"), "GLOBIGNORE": "*",
                         "BASH_FUNC_ls%%": "() { " + self.evil + "; }", "PS4": "$(" + self.evil + ")", "POSIXLY_CORRECT": "1"})
        plain = self.shell("ls; cd sub; pwd; echo ../*.txt")
        self.assertTrue(self.marked(), "the environment is no trick")
        self.assertNotIn(os.path.join(self.project, "sub").encode(), plain.stdout)
        listed, moved = self.through_helve(["ls; echo *.txt", "cd sub; pwd"])
        self.assertFalse(self.marked())
        self.assertIn("a.txt b.txt", text_of(listed))
        self.assertIn(os.path.join(self.project, "sub"), text_of(moved))

    def test_reading_leaves_the_repository_as_it_is(self):
        self.repository("true")
        before = self.read_index()
        results = self.through_helve(["git status", "git diff", "git diff --stat", "git log -p", "git show", "git ls-files -m",
                                      "git blame a.txt", "git stash list", "git branch -a", "git describe --always"])
        self.assertFalse([text_of(result) for result in results if result.get("is_error")])
        self.assertEqual(before, self.read_index())

    def read_index(self):
        with open(os.path.join(self.project, ".git/index"), "rb") as file:
            return file.read()

    def test_a_person_who_allows_git_gets_it_as_it_is(self):
        self.repository("git config diff.external EVIL")
        self.settings({"permissions": {"allow": ["Bash(git diff:*)"]}})
        results = self.through_helve(["git diff"])
        self.assertTrue(self.marked(), results)

    def test_hooks_run_where_committing_was_allowed(self):
        self.repository("cp EVIL .git/hooks/pre-commit")
        self.settings({"permissions": {"allow": ["Bash(git commit:*)", "Bash(git status:*)"]}})
        results = self.through_helve(["git status && git commit -qam x"])
        self.assertTrue(self.marked(), results)


expose(globals())
if __name__ == "__main__":
    main()
