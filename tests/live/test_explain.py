"""What commands do, and what is decided about them: `helve explain bash`, `helve permissions test`, and whole calls."""
import json
import os
import subprocess

from cli_support import Case, expose, main, use


class Bash(Case):
    def ask(self, *commands, **flags):
        text = "".join(json.dumps(dict({"id": number, "command": command, "cwd": self.project}, **flags)) + "\n"
                       for number, command in enumerate(commands))
        return self.lines("explain", "bash", "--json", "--batch", stdin=text)

    def test_classes_and_decisions(self):
        rows = [("ls -la | head -5", "read_only", "allow"), ("cat a && git status", "read_only", "allow"),
                ("make", "needs_confirm", "ask"), ("echo x > a", "needs_confirm", "ask"), ("ls ..", "read_only", "ask"),
                ("sudo ls", "always_confirm", "ask"), ("cat ~/.ssh/id_rsa", "always_confirm", "ask"),
                ("rm -rf /", "forbid", "deny"), ("curl x | sh", "forbid", "deny"), (":(){ :|:& };:", "forbid", "deny"),
                ("ls 'x", "needs_confirm", "ask"), ("$x", "needs_confirm", "ask"), ("", "needs_confirm", "ask")]
        answers = self.ask(*[row[0] for row in rows])
        self.assertEqual([answer["id"] for answer in answers], list(range(len(rows))))
        for answer, (command, kind, decision) in zip(answers, rows):
            self.assertEqual((answer["class"], answer["decision"]), (kind, decision), (command, answer))
            self.assertTrue(answer["reason"], command)

    def test_rules_as_people_write_them(self):
        self.write("package.json", '{"scripts": {"test": "true"}}')
        rows = [("AWS_PROFILE=p aws s3 ls", ["allow Bash(aws:*)"], "ask", "Bash(AWS_PROFILE=p aws:*)"),
                ("AWS_PROFILE=p aws s3 ls", ["allow Bash(AWS_PROFILE=p aws:*)"], "allow", None),
                ("NODE_OPTIONS=--max-old-space-size=4096 npm test", [], "ask", "Bash(NODE_OPTIONS=--max-old-space-size=4096 npm test:*)"),
                ("NODE_OPTIONS=--max-old-space-size=4096 npm test", ["allow Bash(NODE_OPTIONS=--max-old-space-size=* npm test:*)"], "allow", None),
                ("NODE_OPTIONS='--max-old-space-size=4 -r ./x' npm test", ["allow Bash(NODE_OPTIONS=--max-old-space-size=* npm test:*)"], "ask", None),
                ("DATABASE_URL=postgres://localhost/x npm test", ["allow Bash(npm test)"], "ask", "Bash(DATABASE_URL=postgres://localhost/x npm test:*)"),
                ("LD_PRELOAD=./x.so npm test", ["allow Bash(npm test)"], "ask", None), ("API_TOKEN=x npm test", ["allow Bash(npm test)"], "ask", None),
                ("git commit -m 'wip now' -q", ['allow Bash(git commit -m "wip now" *)'], "allow", None), ("git commit -m wip", ['allow Bash(git commit -m "wip")'], "allow", None),
                ("git commit -m wips", ['allow Bash(git commit -m "wip")'], "ask", "Bash(git commit:*)"), ('bash -lc "git status"', [], "allow", None),
                ("bash -lc 'make x'", ["allow Bash(make:*)"], "allow", None), ("bash -lc 'make x'", [], "ask", None),
                ("source .venv/bin/activate && pytest -q", ["allow Bash(source .venv/bin/activate)", "allow Bash(pytest:*)"], "allow", None),
                ("source .venv/bin/activate && pytest -q", ["allow Bash(pytest:*)"], "ask", "Bash(source .venv/bin/activate)"),
                ("source ./other && pytest -q", ["allow Bash(source .venv/bin/activate)", "allow Bash(pytest:*)"], "ask", "Bash(source ./other)")]
        for command, rules, decision, proposal in rows:
            flags = ["--allowed-tools", ",".join(rule.split(" ", 1)[1] for rule in rules)] if rules else []
            told = self.run_helve("explain", "bash", command, *flags, code=None)
            self.assertTrue(told.startswith(decision + ":"), (command, rules, told))
            if proposal:
                self.assertIn("proposal   " + proposal + "\n", told)
            elif decision == "ask" and "-r ./x" not in command and "make" not in command:
                self.assertNotIn("proposal", told)
            if decision == "ask":  # the door says the same
                said = self.run_helve("tool", "call", "Bash", json.dumps({"command": command}), *flags, code=None)
                self.assertIn("Permission to use Bash was", said)
                self.assertEqual(proposal is not None and proposal in said, proposal is not None, said)

    def test_accepting_edits_is_about_what_an_act_does(self):
        self.write("a", "x")
        free = ["chmod +x a", "chmod 0644 a", "mkdir -p 2024", "chmod -R 755 a", "chmod g+w,o=r a", "chmod +w a", "mkdir a777", "ln -s a b", "truncate -s 0 x", "dd if=a of=b", "sort -o a a", "install a b", "tee x", "cp a b"]
        asked = ["ln -s /etc b", "ln -s ../x b", "tee ../x", "mknod x b 8 0", "chmod u+s a", "chmod 4755 a", "chmod 04755 a", "install -m4755 a b", "mkdir -m 2777 d", "chmod -R 777 a", "chmod 0666 a", "chmod u=rw,a+w a", "chmod o=rwx a", "mkdir -m777 d", "install -m 666 a b", "make", "tar xf a.tar", "ln a ../b"]
        for command in free + asked:
            told = self.run_helve("explain", "bash", command, "--permission-mode", "acceptEdits", code=None)
            self.assertTrue(told.startswith("allow:" if command in free else "ask:"), (command, told))
            self.assertTrue(self.run_helve("explain", "bash", command, code=None).startswith("ask:"), command)

    def test_each_part_is_told(self):
        answer = self.ask("cd src && make -j4 2>&1 | tee log; rm 'a b'")[0]
        self.assertEqual([part["argv"] for part in answer["commands"]],
                         [["cd", "src"], ["make", "-j4"], ["tee", "log"], ["rm", "a b"]])
        self.assertEqual(answer["commands"][2]["writes"], [self.path("src/log")])
        for part in answer["commands"]:
            self.assertIn(part["class"], ("read_only", "writes", "executes", "network", "unknown"))
            self.assertTrue(part["why"])

    def test_the_class_does_not_depend_on_the_rules(self):
        for rules in ([], ["allow Bash"], ["deny Bash(make)"], ["ask Bash(ls:*)"]):
            answers = self.ask("make", "ls", "rm -rf /", rules=rules)
            self.assertEqual([answer["class"] for answer in answers], ["needs_confirm", "read_only", "forbid"])
        self.assertEqual(self.ask("ls", rules=["deny Bash(ls)"])[0]["decision"], "deny")

    def test_a_program_of_the_workspace_is_not_the_machines(self):
        self.write("bin/ls", "#!/bin/sh\n")
        os.chmod(self.path("bin/ls"), 0o755)
        path = self.path("bin") + ":" + os.environ["PATH"]
        self.assertEqual(self.ask("ls")[0]["class"], "read_only")
        self.assertEqual(self.ask("ls", env={"PATH": path})[0]["class"], "needs_confirm")
        self.assertEqual(self.ask("ls", env={"PATH": ".:" + os.environ["PATH"]})[0]["class"], "read_only")

    def test_where_a_program_is_can_be_asked(self):
        path = self.path("bin") + ":/usr/bin:/bin"
        self.write("bin/tool", "#!/bin/sh\n")
        os.chmod(self.path("bin/tool"), 0o755)
        rows = [("ls -l $(which env)", "allow"), ('file "$(command -v env)"', "allow"), ("stat $(type -P env)", "allow"),
                ("ls -l $(command -v echo)", "ask"), ("ls -l $(which tool)", "ask"), ("IFS=/; ls -l $(which env)", "ask"),
                ("which() { echo ~/.ssh/id_rsa; }; cat $(which env)", "ask"), ("cat $(which $x)", "ask"),
                ("rm $(which env)", "ask"), ("cp -r d bin; ls -l $(which env)", "ask"), ("ls -l $(which -a env)", "ask")]
        answers = self.ask(*[row[0] for row in rows], env={"PATH": path})
        self.assertEqual([(row[0], answer["decision"]) for row, answer in zip(rows, answers)], rows)
        self.assertEqual(answers[0]["commands"][0]["argv"], ["ls", "-l", "/usr/bin/env"])
        answer = self.ask("ls -l $(which env)", env={"PATH": path}, rules=["deny Read(//usr/bin/env)"])[0]
        self.assertEqual(answer["decision"], "deny")

    def test_links_are_followed(self):
        os.symlink("/etc/shadow", self.path("innocent"))
        os.symlink("/", self.path("all"))
        answers = self.ask("cat innocent", "rm -rf all/", "rm -rf all/*")
        self.assertEqual([answer["class"] for answer in answers], ["always_confirm", "forbid", "forbid"])

    def test_what_the_kernel_tells_of_the_process_is_open(self):
        os.symlink("/proc/self/environ", self.path("mounts"))
        os.symlink("/proc/1/mounts", self.path("mounts1"))
        rows = [("cat /proc/mounts", "allow"), ("grep VmRSS /proc/self/status", "allow"), ("cat mounts", "ask"),
                ("cat mounts1", "ask"), ("cat /proc/self/environ", "ask"), ("cat /proc/self/root/etc/x", "ask")]
        answers = self.ask(*[row[0] for row in rows])
        self.assertEqual([(row[0], answer["decision"]) for row, answer in zip(rows, answers)], rows)

    def test_a_pattern_does_not_lead_through_links(self):
        os.makedirs(self.path("src/sub"))
        self.write("src/a.c", "x")
        commands = ["cat src/*", "wc -l src/*.c", 'for f in src/*; do cat "$f"; done', "head src/*/*", "ls src/*/",
                    "find src -exec cat {} +", "grep -R x src", "helm show readme ./src", "ls -L src", 'for f in src/a.c src/b; do cat "$f"; done']
        decide = lambda: [answer["decision"] for answer in self.ask(*commands)]
        self.assertEqual(decide(), ["allow"] * len(commands))
        os.symlink("a.c", self.path("src/c"))
        os.symlink("/usr/share", self.path("src/d"))
        self.assertEqual(decide()[0], "allow")
        os.symlink("/etc/shadow", self.path("src/b"))
        self.assertEqual(decide(), ["ask", "allow"] + ["ask"] * (len(commands) - 2))
        answer = self.ask("cat src/*", rules=["allow Read(src/**)"])[0]
        self.assertEqual((answer["class"], answer["decision"]), ("always_confirm", "ask"))
        os.unlink(self.path("src/b"))
        os.symlink("/etc/passwd", self.path("src/b"))
        self.assertEqual(decide(), ["ask", "allow"] + ["ask"] * (len(commands) - 2))
        answers = self.ask("cat src/*", rules=["allow Read(src/**)"]) + self.ask("touch src/*", mode="acceptEdits")
        self.assertEqual([answer["decision"] for answer in answers], ["ask", "ask"])
        self.assertIn("link", answers[0]["reason"])
        self.assertEqual([proposal for proposal in answers[0]["proposals"] if proposal.startswith("Read")], [])
        answers = self.ask("find src -type f -exec cat {} +", "cat lib/*", "grep -R x lib", "find . ! -type f -exec cat {} +")
        self.assertEqual([answer["decision"] for answer in answers], ["allow", "allow", "ask", "ask"])

    def test_what_is_made_of_names_may_be_a_link_an_option_or_several(self):
        for directory in ("src", "old"):
            os.makedirs(self.path(directory))
        for name in ("src/a.c", "src/a.h", "old/a.c", "a.txt"):
            self.write(name, "x")
        cut = ['for f in src/*.c; do cat "${f%.c}.h"; done', 'show() { head -2 "$1"; }; for f in src/*.h; do show "$f"; done',
               'c() { local f; for f in "$@"; do wc -l "$f"; done; }; c src/*.h']
        split = ["for f in src/*.h; do wc -l $f; done", "for f in src/*.c; do cat ${f%.c}.h; done"]
        other = ['for f in src/*.c; do cat "old/${f##*/}"; done', 'for f in src/*.c; do sort "${f##*/}"; done',
                 'for f in *.txt; do cat "old/$f"; done']
        decide = lambda rows: [answer["decision"] for answer in self.ask(*rows)]
        self.assertEqual(decide(cut + split + other), ["allow"] * 8)
        os.symlink("/etc/shadow", self.path("src/a b.h"))
        self.assertEqual(decide(cut + split + other), ["ask"] * 5 + ["allow"] * 3)
        os.unlink(self.path("src/a b.h"))
        for name in ("src/a b.c", "src/a*", "src/'", "src/$(x)", "src/a\nb", "src/[a]"):
            self.write(name, "x")
            self.assertEqual(decide(cut + split + other), ["allow"] * 3 + ["ask"] * 2 + ["allow"] * 3, name)
            os.unlink(self.path(name))
        os.symlink("/etc/shadow", self.path("old/a.txt"))
        self.assertEqual(decide(other), ["ask", "allow", "ask"])
        os.unlink(self.path("old/a.txt"))
        self.write("src/-oout", "x")
        self.assertEqual(decide(cut + split + other), ["allow"] * 6 + ["ask", "allow"])

    def test_links_are_seen_at_any_depth_that_a_pattern_reaches(self):
        os.makedirs(self.path("src/sub"))
        self.write("src/sub/a.c", "x")
        rows = ['for d in */*/; do ls "$d"; done', 'shopt -s globstar; for f in **; do cat "$f"; done',
                'for d in */; do ls "$d"; done']
        decide = lambda: [answer["decision"] for answer in self.ask(*rows)]
        self.assertEqual(decide(), ["allow"] * 3)
        os.symlink("/root", self.path("src/out"))
        self.assertEqual(decide(), ["ask", "ask", "allow"])

    def test_names_of_today_and_of_loops_may_be_links(self):
        for directory in ("src", "tests", "logs"):
            os.makedirs(self.path(directory))
            self.write(directory + "/a.log", "x")
        today = ['cat "logs/$(date +%F).log"', "tail -5 logs/$(hostname).log", 'wc -l < "logs/log.$(uname -m)"']
        loops = ["for d in src tests; do find $d -name '*.log' | xargs cat; done",
                 'for d in src tests; do find "$d" -exec cat {} +; done', 'for d in */; do find "$d" | xargs cat; done',
                 "for d in src tests; do grep -rl x $d | xargs cat; done"]
        decide = lambda: [answer["decision"] for answer in self.ask(*today, *loops)]
        self.assertEqual(decide(), ["allow"] * 7)
        os.symlink("/root", self.path("logs/x.log"))
        self.assertEqual(decide(), ["ask", "ask", "allow", "ask", "allow", "ask", "ask"])
        os.symlink("/root", self.path("logs/log.x86"))
        os.symlink("/root", self.path("src/out"))
        self.assertEqual(decide(), ["ask"] * 7)

    def test_loops_over_many_names_are_looked_at_for_a_while(self):
        loop = "for i in " + " ".join("a%d" % number for number in range(300)) + "; do cat %s; done"
        answers = self.ask(loop % ('"$i" ' * 300), loop % " ".join('d%d/"$i"' % number for number in range(10)),
                           loop % " ".join('d%d/"$i"' % number for number in range(300)),
                           loop % ('"$i" ' * 300 + '"$j"'), loop % ('"$i" ' * 300 + '; cd src; cat ../../"$i"'),
                           loop.replace("cat %s", "for j in $(ls %s); do cat %s; done") % ("$i " * 1000, "$j " * 1000))
        self.assertEqual([answer["decision"] for answer in answers], ["allow", "allow"] + ["ask"] * 4)

    def test_each_repository_of_a_pattern_is_looked_at(self):
        git = lambda *arguments: subprocess.run(["git", *arguments], cwd=self.project, check=True, env=self.env)
        for name in ("a", "b c", "-d"):
            git("init", "-q", "--", name)
        rows = ['for d in */; do git -C "$d" status -s; done', 'for d in *; do git -C "$d" log --oneline -3; done',
                'for d in */; do (cd "$d" && git status -s); done']
        decide = lambda: [answer["decision"] for answer in self.ask(*rows)]
        self.assertEqual(decide(), ["ask"] * 3)
        os.rename(self.path("-d"), self.path("d"))
        self.assertEqual(decide(), ["allow"] * 3)
        git("-C", "b c", "config", "filter.x.clean", "touch pwned")
        self.assertEqual(decide(), ["ask"] * 3)
        git("-C", "b c", "config", "--unset", "filter.x.clean")
        self.assertEqual(decide(), ["allow"] * 3)
        rows.append('for d in */; do (cd "$d" && git branch); done')
        self.assertEqual(decide(), ["allow"] * 4)
        os.symlink("/etc", self.path("e"))
        self.assertEqual(decide(), ["ask"] * 4)
        rows.pop()
        os.unlink(self.path("e"))
        os.makedirs(self.path("d/deep"))
        os.symlink("/root", self.path("d/deep/out"))
        self.assertEqual(decide(), ["allow", "allow", "ask"])
        os.unlink(self.path("d/deep/out"))
        self.assertEqual(decide(), ["allow"] * 3)
        for number in range(200):
            os.makedirs(self.path("many%d" % number))
        self.assertEqual(decide(), ["ask"] * 3)

    def test_a_pattern_becomes_names_where_the_shell_is(self):
        os.makedirs(self.path("sub"))
        self.write("sub/x.c", "x")
        self.write("-oout", "x")
        sub = self.path("sub")
        rows = ["env -C sub sort *", "nice env -C sub file *", 'for f in *; do (cd sub && sort "$f"); done',
                f'for f in *; do cd {sub} && sort "$f"; done', f'f() {{ (cd {sub} && sort "$1"); }}; f *; f *',
                """bash -c 'for f in "$@"; do (cd sub && sort "$f"); done' _ *"""]
        decide = lambda: [answer["decision"] for answer in self.ask(*rows)]
        self.assertEqual(decide(), ["ask"] * len(rows))
        os.unlink(self.path("-oout"))
        self.assertEqual(decide()[:4], ["allow"] * 4)
        self.write("sub/-oout", "x")
        self.assertEqual(decide()[:4], ["allow"] * 4)
        os.unlink(self.path("sub/-oout"))
        os.makedirs(self.path("-o"))
        rows = ['for d in */; do (cd sub && sort "${d}x"); done', 'for d in */; do (cd sub && sort "$d/x"); done',
                'for d in */; do sort "$d/x"; done']
        self.assertEqual(decide(), ["ask"] * 3)
        os.rmdir(self.path("-o"))
        self.assertEqual(decide(), ["allow"] * 3)
        self.write("sub/-oout", "x")
        rows = ["cd sub && sort *", 'cd sub && for f in *; do (cd .. && sort "$f"); done', "cd sub && env -C .. sort *"]
        self.assertEqual(decide(), ["ask"] * len(rows))

    def test_names_that_only_the_index_of_git_has_may_be_options(self):
        git = lambda *arguments: subprocess.run(["git", *arguments], cwd=self.project, check=True, env=self.env)
        commands = ["git ls-files | xargs sort", "git ls-files | xargs wc -l", "for f in $(git ls-files); do sort $f; done"]
        decide = lambda: [answer["decision"] for answer in self.ask(*commands)]
        os.makedirs(self.path("src"))
        self.write("src/a.c", "x")
        self.write("-oout", "x")
        git("init", "-q")
        git("add", "--", "src/a.c", "-oout")
        os.unlink(self.path("-oout"))
        self.assertEqual(decide(), ["ask"] * 3)
        git("rm", "-q", "--cached", "--", "-oout")
        self.assertEqual(decide(), ["allow"] * 3)

    def test_refs_and_changes_of_any_name_are_looked_at(self):
        author = ["-c", "user.name=a", "-c", "user.email=a@example.org"]
        git = lambda *arguments: subprocess.run(["git", *arguments], cwd=self.project, check=True, env=self.env, capture_output=True)
        refs = ['for t in $(git tag); do git log -1 "$t"; done', "git show $(git tag | tail -1) --stat",
                "for b in $(git for-each-ref --format='%(refname:short)' refs/heads); do git log -1 \"$b\"; done"]
        told = lambda commands: {answer["decision"] for answer in self.ask(*commands)}
        os.makedirs(self.path("src"))
        self.write("src/a.c", "x")
        git("init", "-q")
        git("add", "src")
        git(*author, "commit", "-qm", "x")
        git("tag", "v1")
        self.assertEqual(told(refs), {"allow"})
        git("update-ref", "refs/tags/--output=x", "HEAD")
        git("update-ref", "refs/heads/--output=x", "HEAD")
        self.assertEqual(told(refs), {"ask"})
        git("pack-refs", "--all", "--prune")
        self.assertEqual(told(refs), {"ask"})
        git("update-ref", "-d", "refs/tags/--output=x")
        git("update-ref", "-d", "refs/heads/--output=x")
        self.assertEqual(told(refs), {"allow"})
        here = ['b=$(git branch --show-current); git log "$b..HEAD"', "git log $(git tag | tail -1)..HEAD"]
        self.assertEqual(told(here), {"allow"})
        with open(self.path(".git/HEAD")) as file:
            head = file.read()
        self.write(".git/HEAD", "ref: refs/heads/--output=x\n")
        self.assertEqual(told(here), {"ask"})
        self.write(".git/HEAD", head)
        changes, seen = ["cat $(git diff --name-only)", "cd src && cat $(git diff --name-only)"], ["cat $(git diff --name-only --diff-filter=d HEAD)"]
        self.assertEqual(told(changes + seen), {"allow"})
        self.assertEqual(told(["cat $(git diff --name-only HEAD)", "git diff --name-only --cached | xargs cat"]), {"ask"})
        os.makedirs(self.path("x /etc"))
        with open(self.path("x /etc/hostname"), "w") as file:
            file.write("x\n")
        git("add", ".")
        self.assertEqual(told(changes + seen), {"ask"})

    def test_behind_cd_into_a_pattern_operands_lie_below_it(self):
        loop = "for d in */; do (cd \"$d\" && %s); done"
        reads = ["cat x", "head -5 x && ls", "cat < x", "wc -l s/x", "[ -f x ] && grep y x"]
        asked = ["cat ../x", "cat *", "bash -c 'cat x'", "cd s && cat x", "env -C s cat x", "rm x", "sort -o x y"]
        decide = lambda commands, **more: [answer["decision"] for answer in self.ask(*[loop % command for command in commands], **more)]
        for name in ("a/x", "b/s/x"):
            os.makedirs(os.path.dirname(self.path(name)))
            self.write(name, "x")
        self.assertEqual(decide(reads), ["allow"] * len(reads))
        self.assertEqual(decide(asked), ["ask"] * len(asked))
        self.assertEqual([answer["decision"] for answer in self.ask("for d in */; do (cd \"$d\"; cat x); done", "cd \"$d\" && cat x")], ["ask"] * 2)
        self.assertEqual([answer["class"] for answer in self.ask(loop % "cat id_rsa", loop % "cat .ssh/config")], ["always_confirm"] * 2)
        for name, target in (("c", "/etc"), ("a/y", "/etc/passwd")):
            os.symlink(target, self.path(name))
            self.assertEqual(decide(reads), ["ask"] * len(reads), name)
            os.unlink(self.path(name))
        os.makedirs(self.path("-P"))
        self.assertEqual(decide(["cat x"]), ["ask"])

    def test_a_denied_name_behind_a_pattern_is_denied(self):
        commands = ["cat */.env", "for d in */; do cat \"$d/.env\"; done", "for d in */; do cat \"$d\".env; done", "for d in */; do (cd \"$d\" && cat .env); done",
                    "cat */sub/.env", "rm */.env", "cat < */.env"]
        others = ["cat */x", "for d in */; do (cd \"$d\" && cat x); done", "cat */.envx"]
        os.makedirs(self.path("a"))
        rules = {"deny": ["Read(.env)"]}
        answers = [answer["decision"] for answer in self.ask(*(commands + others), rules=rules)]
        self.assertEqual(answers, ["deny"] * len(commands) + ["allow"] * len(others))

    def test_keys_that_only_the_index_of_git_names_are_keys(self):
        git = lambda *arguments: subprocess.run(["git", *arguments], cwd=self.project, check=True, env=self.env)
        keys = ["git ls-files | xargs cat", "for f in $(git ls-files); do head $f; done", "cat $(git ls-files 'k/*')", "cd k && git ls-files | xargs cat",
                "git ls-files k/ | xargs base64", "git ls-files | grep id | while read f; do cat \"$f\"; done"]
        others = ["git ls-files '*.c' | xargs cat", "git ls-files src | xargs cat", "cd src && git ls-files | xargs cat", "git ls-files | grep '\\.c$' | xargs cat",
                  "git ls-files | xargs grep x", "git ls-files | xargs wc -l", "git ls-files"]
        classes = lambda commands: [answer["class"] for answer in self.ask(*commands)]
        for name in ("src/a.c", "k/id_rsa"):
            os.makedirs(os.path.dirname(self.path(name)))
            self.write(name, "x")
        git("init", "-q")
        git("add", "src")
        self.assertEqual(classes(keys + others), ["read_only"] * len(keys + others))
        git("add", "k")
        self.assertEqual(classes(keys + others), ["always_confirm"] * len(keys) + ["read_only"] * len(others))

    def test_what_a_part_is_given_was_there_before_it_ran(self):
        for name in ("src", "old", "empty"):
            os.makedirs(self.path(name))
        self.write("src/a.c", "x")
        own = ["rm src/*.c", "touch src/*.c", "chmod go-w src/*.c", "mv src/*.c old/", "mv -t old src/*.c",
               "sed -i s/a/b/ src/*.c", "rm *.o; rm src/*.c", "chmod go-w src/*; rm src/*.c"]
        others = ["mv old src/new; rm src/new/*", "for i in 1 2; do mv src/*.c old; done", "mv src/* .; mv old/* src",
                  "f() { mv src/* old; }; f; f", "cp -r old new; rm new/*", "mv old/b new/c .", "timeout 5 mv src/* old",
                  "bash -c 'mv src/*.c old'"]
        rules = ["allow Bash(rm:*)", "allow Bash(mv:*)", "allow Bash(cp:*)", "allow Bash(chmod:*)", "allow Bash(touch:*)",
                 "allow Bash(sed:*)"]
        decide = lambda commands: [(command, answer["decision"])
                                   for command, answer in zip(commands, self.ask(*commands, rules=rules))]
        self.assertEqual(decide(own), [(command, "allow") for command in own])
        self.assertEqual(decide(others), [(command, "ask") for command in others])
        os.symlink("/etc/passwd", self.path("src/link.c"))
        self.assertEqual(decide(own), [(command, "ask") for command in own])

    def test_what_the_world_says_holds_until_a_part_changes_it(self):
        os.makedirs(self.path("src"))
        self.write("src/a.c", "x")
        self.write("from/a.c", "x")
        os.symlink(self.home, self.path("from/out"))
        os.symlink(os.path.join(self.home, "x"), self.path("c.c"))
        self.write("from/c.c", "x")
        self.write("from/.envrc", "x")
        rows = [("touch out && sort *", "allow"), ("mkdir -p a/b; git status", "allow"), ("sort src/a.c", "allow"),
                ("cp from/a.c .", "allow"), ("mv -v from/a.c ./", "allow"), ("cp -t . from/a.c", "allow"), ("cp from/a.c . && ls", "allow"),
                ("cp from/c.c .", "ask"), ("cp from/out/x .", "ask"), ("cp from/.envrc .", "ask"), ("cp from/c.c from/a.c .", "ask"),
                ("cp -r from . && cp from/a.c .", "ask"), ("for i in 1 2; do cp from/a.c .; done", "ask"), ("ln from/a.c .", "ask"),
                ("ln -sf ~/x from/a.c; cp from/a.c .", "ask"), ("cp from/a.c . < from/c.c", "ask"), ("cp from/a.c .; cat from/a.c", "ask"),
                ("git log > log.txt", "allow"), ("touch x; cat src/*", "allow"), ("cp src/a.c b", "allow"),
                ("cp src/a.c b; cat src/a.c", "allow"), ("touch ./--compress-program=x; sort *", "ask"),
                ("for i in 1 2; do sort * > ./-o$i; done", "ask"), ("touch -- -S1; ls | xargs sort", "ask"),
                ("echo x > ./-i; sed -n 1p *", "ask"), ("mv src d; sort *", "ask"), ("cp -r src d; cat d/*", "ask"),
                ("cp -r src d; cat d/a.c", "ask"), ("cp -r src d && cd d && git status", "ask"),
                ("mv src d && git -C d log", "ask"), ("mkdir objects refs; touch HEAD config; git status", "ask"),
                ("touch .yarnrc.yml; yarn --version", "ask")]
        answers = self.ask(*[row[0] for row in rows], mode="acceptEdits")
        self.assertEqual([(row[0], answer["decision"]) for row, answer in zip(rows, answers)], rows)

    def test_text_for_people(self):
        text = self.run_helve("explain", "bash", "ls; make \x1b[2J; sudo x")
        for wanted in ("ok       ls", "ask      make", "confirm  sudo x"):
            self.assertIn(wanted, text)
        self.assertNotIn("\x1b", text)
        text = self.run_helve("explain", "bash", "git log --oneline; npm test; cat ../x; cat $HOME/$y; ls | xargs -I{} sh -c 'wc {}'; bash -lc id")
        self.assertIn("ok       git log --oneline", text)
        self.assertIn("ok       bash -lc id", text)
        for line, wanted in (("npm test", "runs code"),
                             ("cat ../x", "which no rule allows"), ("sh -c", "names become part of code"),
                             ("cat $HOME/$y", "which ones is not known")):
            told = [found for found in text.splitlines() if found.strip().startswith("ask") and line.split()[1] in found]
            self.assertTrue(any(wanted in found for found in told), (line, text))

    def test_flags_hold_for_lines_that_say_nothing_else(self):
        lines = "".join(json.dumps(dict({"id": 1, "command": "touch x", "cwd": self.project}, **more)) + "\n"
                        for more in ({}, {"mode": "default"}, {"rules": ["deny Bash(touch:*)"]}))
        answers = self.lines("explain", "bash", "--json", "--batch", "--permission-mode", "acceptEdits", stdin=lines)
        self.assertEqual([answer["decision"] for answer in answers], ["allow", "ask", "deny"])

    def test_every_rule_that_a_command_needs_is_proposed(self):
        answer = self.ask("git add . && npm run build > log")[0]
        self.assertEqual(answer["proposals"], ["Bash(git add:*)", "Bash(npm run build:*)", "Edit(/%s/**)" % self.project] + ["Bash(npm %s:*)" % name for name in ("test", "run test", "run lint")])
        again = self.ask("git add . && npm run build > log", rules=answer["proposals"])[0]
        self.assertEqual(again["decision"], "allow")


class Permissions(Case):
    def check(self, value, code):
        self.write("cases.json", json.dumps(value))
        return self.run_helve("permissions", "test", "cases.json", code=code)

    def test_cases_and_rules(self):
        good = {"permissions": {"allow": ["Bash(make:*)"], "deny": ["Bash(git push:*)", "Read(.env)"]},
                "cases": [{"command": "make && ls", "expect": "allow", "rule": "Bash(make:*)"},
                          {"command": "git -C . push", "expect": "deny"}, {"command": "rm -rf /", "expect": "forbid"},
                          {"tool": "Read", "path": ".env", "expect": "deny"}, {"command": "sudo ls", "expect": "always_confirm"}],
                "rules": [{"rule": "Bash(git diff:*)", "matches": ["git diff > /dev/null"], "not": ["git diff-index", "git diff | sh"]},
                          {"rule": "Edit(src/**)", "list": "deny", "matches": ["src/a"], "not": ["a"]}]}
        self.assertIn("0 failed", self.check(good, 0))
        good["cases"].append({"command": "curl x", "expect": "allow"})
        text = self.check(good, 1)
        self.assertIn("1 failed", text)
        self.assertIn("expected allow, found ask", text)

    def test_files_that_cannot_be_used(self):
        for value in ({}, {"case": []}, {"cases": [{"command": "x"}]}, {"cases": [{"tool": "Nope", "path": "x", "expect": "ask"}]},
                      {"rules": [{"rule": "Bash(", "matches": ["x"]}]}, {"cases": [{"command": "x", "expect": "maybe"}]},
                      {"mode": "planned", "cases": [{"command": "ls", "expect": "allow"}]},
                      {"rules": [{"rule": "Bash(ls)", "list": "allowed", "matches": ["ls"]}]}):
            self.check(value, 2)
        self.run_helve("permissions", "test", "missing.json", code=2)

    def test_without_rules_the_settings_are_tested(self):
        self.settings({"permissions": {"deny": ["Bash(curl:*)"]}})
        self.check({"cases": [{"command": "ls; curl x", "expect": "deny", "rule": "Bash(curl:*)"}]}, 0)
        for mode, outcome in (("default", "ask"), ("plan", "deny"), ("bypassPermissions", "allow")):
            self.check({"mode": mode, "cases": [{"command": "make", "expect": outcome}]}, 0)


class Calls(Case):
    def results(self, *commands, flags=()):
        blocks = [use("Bash", id=str(number), command=command) for number, command in enumerate(commands)]
        return [line["is_error"] if "is_error" in line else False for line in self.execute(*blocks, flags=flags).values()]

    def test_what_only_reads_needs_no_rule_and_one_part_stops_the_rest(self):
        self.write("a", "x\n")
        self.assertEqual(self.results("cat a | wc -l", "for i in a; do cat $i; done", "cat a; touch b", "touch c && cat a"),
                         [False, False, True, True])
        self.assertFalse(os.path.exists(self.path("b")) or os.path.exists(self.path("c")))
        self.assertEqual(self.results("cat a; touch b", flags=("--allowed-tools", "Bash(touch:*)")), [False])
        self.assertTrue(os.path.exists(self.path("b")))


expose(globals())
if __name__ == "__main__":
    main()
