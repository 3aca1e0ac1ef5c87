"""What rules deny and what is secret, in the sandbox: no command reads or changes it, whatever program looks for it."""
import json
import os
import subprocess

from test_sandbox import attack, level, need_full, run

MARK = "TOP" + "SECRET"  # never in a command, so that none echoes it


def write_settings(case, settings):
    path = os.path.join(case.home, "helve", "settings.json")
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w", encoding="utf-8") as file:
        json.dump(settings, file)


def put_secrets(case, git=True):
    """A workspace with files that rules deny, credentials, and a certificate of the tests that git tracks."""
    if git:
        subprocess.run(["git", "init", "-q", case.project], check=True)
    for name in (".env", "a/b/.env", "sec/deep/x", "server.key", ".netrc", "id_rsa", "conf/app ini"):
        case.write(name, MARK + "\n")
    case.write("locked.txt", "as it was\n")
    case.write("tests/server.pem", "tracked\n")
    case.write("node_modules/pkg/cert.pem", "public\n")
    if git:
        subprocess.run(["git", "-C", case.project, "add", "tests"], check=True)


DENIED = ["Read(.env)", "Read(sec/**)", "Read(./conf/app ini)", "Edit(locked.txt)"]
LOOKERS = ("grep -rn TOP .", "rg -uu TOP", "find . -type f -exec cat {} +", "git grep --no-index TOP", "tar cf - . | tar xfO -", "cat a/b/.e*",
           "find . -name '.e*' -exec cat {} +", "find . -type f | xargs -d '\\n' cat", "head $(find . -type f)", "cp -r . $TMPDIR/all; cat $TMPDIR/all/.env",
           "python3 -c \"import os; [print(open(os.path.join(d, f)).read()) for d, _, fs in os.walk('.') for f in fs if os.access(os.path.join(d, f), 4)]\"")


def test_what_is_denied_or_secret_is_in_no_tree(case):
    need_full(case)
    put_secrets(case)
    for mode in ("default", "acceptEdits", "bypassPermissions"):
        write_settings(case, {"permissions": {"deny": DENIED, "allow": ["Bash"], "defaultMode": mode}})
        for text, _ in attack(case, *LOOKERS):
            assert MARK not in text, text


def test_the_same_unasked_in_the_sandbox(case):
    need_full(case)
    put_secrets(case)
    for name in ("sec/deep/x", "conf/app ini"):
        case.write(name, "open\n")
    write_settings(case, {"permissions": {"deny": ["Read(.env)", "Edit(locked.txt)"]}, "sandbox": {"autoAllowBashIfSandboxed": True}})
    with open(os.path.join(case.root, "public"), "w", encoding="utf-8") as file:
        file.write("cat tests/server.pem node_modules/pkg/cert.pem")
    results = run(case, *LOOKERS, f"bash {case.root}/public", mode="default")
    for text, _ in results:
        assert MARK not in text, text
    assert "tracked" in results[-1][0] and "public" in results[-1][0], results[-1]


def test_nobody_is_asked_about_what_is_masked_or_tracked(case):
    need_full(case)
    put_secrets(case)
    case.write("extra/own.key", MARK + "\n")
    write_settings(case, {})
    masked, tracked, by_pattern = "cat server.key", "cat tests/server.pem", "head *.key tests/*.pem"
    asked = ("cat ~/.ssh/id_rsa", "cat .git/own.pem", {"command": masked, "sandbox": False}, "cat id_rsa; sudo ls")
    for mode in ("default", "acceptEdits"):
        results = run(case, masked, tracked, by_pattern, "echo new > made.pem && cat made.pem", "rm tests/server.pem", *asked, mode=mode)
        assert "ermission denied" in results[0][0] and "Permission to use" not in results[0][0], results[0]
        assert results[1] == ("tracked\n", False), results[1]
        assert "tracked" in results[2][0] and MARK not in results[2][0] and "Permission to use" not in results[2][0], results[2]
        for (text, error), command in zip(results[5:], asked):
            assert error and "Permission to use" in text, (command, text)
        if mode == "default":  # writing is no matter of secrets there
            assert "Permission to use" in results[3][0] and "touches" not in results[3][0], results[3]
            assert "Permission to use" in results[4][0] and "touches" not in results[4][0], results[4]
    write_settings(case, {"sandbox": {"filesystem": {"allowRead": ["server.key"]}}})
    (text, error), = run(case, masked, mode="default")
    assert error and "private key" in text, text
    write_settings(case, {"sandbox": {"enabled": False}})
    case.write("tests/server.pem", "tracked\n")
    for text, error in run(case, masked, tracked, mode="default"):
        assert error and "Permission to use" in text, text


def test_where_not_all_can_be_masked_a_person_is_asked(case):
    need_full(case)
    put_secrets(case)
    for few in (True, False):
        for number in range(1, 3 if few else 520):
            case.write(f"many/{number}/.env", MARK)
        write_settings(case, {"permissions": {"deny": ["Read(.env)"]}, "sandbox": {"autoAllowBashIfSandboxed": True}})
        for text, _ in run(case, "touch made", "cat server.key", mode="default"):
            assert ("Permission to use" in text) != few, (few, text)


def test_what_is_kept_from_being_edited_cannot_be_changed(case):
    need_full(case)
    put_secrets(case)
    write_settings(case, {"permissions": {"deny": DENIED}})
    results = attack(case, "echo x | tee -a locked.txt && echo went", "mv locked.txt other && echo went", "rm -f locked.txt && echo went",
                     "mv conf moved && echo went", "mv sec moved && echo went", "echo fine > new && cat new")
    for text, _ in results[:-1]:
        assert "went" not in text, text
    assert "fine" in results[-1][0] and case.read("locked.txt") == "as it was\n", results
    assert "the rule Edit(locked.txt)" in results[0][0], results[0]


def test_a_second_name_of_a_start_up_file_cannot_be_changed(case):
    need_full(case)
    write_settings(case, {"sandbox": {"autoAllowBashIfSandboxed": True}})
    for name in (".bashrc", ".profile"):
        with open(os.path.join(case.home, name), "w", encoding="utf-8") as file:
            file.write("as it was\n")
    os.makedirs(os.path.join(case.project, "deep/er"))
    os.link(os.path.join(case.home, ".bashrc"), os.path.join(case.project, "deep/er/rc"))
    case.write("deep/er/late", "1")
    change = "python3 -c \"open('deep/er/' + '%s', 'a').write('x')\" && echo went"
    with open(os.path.join(case.root, "outside"), "w", encoding="utf-8") as file:
        file.write(f"ln -f {case.home}/.profile {case.project}/deep/er/late")
    results = run(case, change % "rc", change % "late", {"command": f"bash {case.root}/outside", "sandbox": False}, change % "late")
    assert "went" not in results[0][0] and "The sandbox keeps commands from changing" in results[0][0], results
    assert "went" in results[1][0] and not results[2][1] and "went" not in results[3][0], results
    for name in (".bashrc", ".profile"):
        with open(os.path.join(case.home, name), encoding="utf-8") as file:
            assert file.read() == "as it was\n", (name, results)


def test_a_result_names_the_mask_and_the_setting_that_shows_it(case):
    need_full(case)
    put_secrets(case)
    denied = {"deny": ["Read(.env)"]}
    write_settings(case, {"permissions": denied})
    (env, _), (key, _) = attack(case, "cat .env", "cat server.key")
    assert "the rule Read(.env) denies reading it" in env and "sandbox.filesystem.allowRead" in env, env
    assert "holds secrets" in key and "sandbox.filesystem.allowRead" in key, key
    write_settings(case, {"permissions": denied, "sandbox": {"filesystem": {"allowRead": [os.path.join(case.project, "server.key"), "."]}}})
    (env, _), (key, _) = attack(case, "cat .env", "cat server.key")
    assert MARK not in env and MARK in key, (env, key)


def test_what_appears_later_is_hidden_from_the_next_command(case):
    need_full(case)
    put_secrets(case)
    write_settings(case, {"permissions": {"deny": ["Read(.env)"]}, "sandbox": {"autoAllowBashIfSandboxed": True}})
    with open(os.path.join(case.root, "look"), "w", encoding="utf-8") as file:
        file.write("cat late/.env late/x.key moved/.env 2>&1; cat b.key")
    outside = f"mkdir -p late && echo {MARK} > late/.env && echo {MARK} > late/x.key && mv a/b moved && cp server.key b.key"
    with open(os.path.join(case.root, "outside"), "w", encoding="utf-8") as file:
        file.write("#!/bin/sh\n" + outside)
    os.chmod(os.path.join(case.root, "outside"), 0o755)
    (made, error), (text, _) = run(case, {"command": f"{case.root}/outside", "sandbox": False}, f"bash {case.root}/look")
    assert not error and MARK not in text and text.count("ermission denied") >= 4, (made, text)


def test_a_command_does_not_show_a_key_by_adding_it_to_git(case):
    need_full(case)
    put_secrets(case)
    add = "h=$(echo x | git hash-object -w --stdin); git update-index --add --cacheinfo 100644,$h,id_rsa && git update-index --add --cacheinfo 100644,$h,d/id_rsa; "
    results = attack(case, add + "git ls-files", "cat id_rsa", "mkdir d; mv id_rsa d/ ; cat d/id_rsa id_rsa")
    assert "id_rsa" in results[0][0], results[0]
    for text, _ in results:
        assert MARK not in text, text


def test_patterns_of_the_sandbox_act_or_are_told(case):
    need_full(case)
    put_secrets(case)
    case.write("plain.dat", "as it was\n")
    case.write("sub/data.bin", MARK + "\n")
    extra = os.path.join(case.root, "extra")
    os.makedirs(extra)
    filesystem = {"denyWrite": ["*.dat"], "denyRead": ["**/*.bin", "$HOME/private"], "allowWrite": [extra + "/**"], "allowRead": ["*.key"]}
    os.makedirs(os.path.join(case.home, "private"))
    with open(os.path.join(case.home, "private", "x"), "w", encoding="utf-8") as file:
        file.write(MARK)
    write_settings(case, {"permissions": {"allow": ["Bash"]}, "sandbox": {"filesystem": filesystem}})
    data, home, key, fine = attack(case, "echo W >> plain.dat && echo went; cat sub/data.bin", "cat ~/private/x", "cat server.key", f"echo W > {extra}/f && cat {extra}/f")
    assert MARK not in data[0] and "went" not in data[0] and MARK not in home[0], (data, home)
    assert MARK in key[0] and "W" in fine[0] and case.read("plain.dat") == "as it was\n", (key, fine)
    write_settings(case, {"sandbox": {"filesystem": {"allowWrite": ["/srv/*/out", "$CACHE/x"]}}})
    ran = case.helve("doctor", "--offline")
    assert "takes folders" in ran.out + ran.err and "no variable but $HOME" in ran.out + ran.err, ran


def test_other_sessions_and_what_was_typed_are_out_of_reach(case):
    need_full(case)
    state = os.path.join(case.home, "helve", "sessions", "other")
    os.makedirs(state)
    for path in (os.path.join(state, "x.jsonl"), os.path.join(case.home, ".bash_history"), os.path.join(case.home, ".claude.json")):
        with open(path, "w", encoding="utf-8") as file:
            file.write(MARK)
    os.makedirs(os.path.join(case.home, ".mozilla", "p"))
    with open(os.path.join(case.home, ".mozilla", "p", "cookies"), "w", encoding="utf-8") as file:
        file.write(MARK)
    (text, _), = attack(case, "cat ~/.bash_history ~/.claude.json; grep -r . ~/helve ~/.mozilla")
    assert MARK not in text, text


OPENERS = ("grep -rn TOP .", "rg -uu TOP", "find . -type f -exec cat {} +", "git grep --no-index TOP", "tar cf - .", "cat a/b/.e*", "grep -r TOP a*",
           "find . -type f | xargs cat", "head $(find . -type f)", "cat $(ls -R)", "cp -r a /tmp/nowhere", "python3 walk.py")
TELLERS = ("find . -name '.e*'", "ls -R", "du -s .", "git status", "git grep TOP", "cat locked.txt", "cat lock*",
           "python3 --version")


def test_what_no_sandbox_hides_is_asked_about(case):
    put_secrets(case)
    os.unlink(os.path.join(case.project, "server.key"))
    off = {"enabled": False}
    for mode in ("default", "bypassPermissions", "dontAsk"):
        write_settings(case, {"permissions": {"deny": ["Read(.env)"], "allow": ["Bash"]}, "sandbox": off})
        results = run(case, *OPENERS, *TELLERS, mode=mode)
        for command, (text, error) in zip(OPENERS, results):
            assert error and ("the rule Read(.env)" in text or "a private key" in text), (mode, command, text)
        for command, (text, _) in zip(TELLERS, results[len(OPENERS):]):
            assert "ermission" not in text and ".env, which" not in text, (mode, command, text)
    told = case.helve("explain", "bash", "grep -rn TOP .").out
    assert "may open" in told and "Read(.env)" in told, told
    write_settings(case, {"permissions": {"allow": ["Bash"]}, "sandbox": off})
    text, error = run(case, "tar cf - .", mode="default")[0]
    assert error and "which holds secrets" in text, text
    (text, error), (script, _) = run(case, "rg TOP", "python3 walk.py", mode="default")
    assert "may open" not in script, script
    for name in ("id_rsa", ".netrc"):
        os.unlink(os.path.join(case.project, name))
    for command in OPENERS[:-1]:
        text, _ = run(case, command, mode="default")[0]
        assert "may open" not in text, (command, text)


def test_rg_is_asked_about_what_it_does_not_ignore(case):
    put_secrets(case)
    for name in ("server.key", "id_rsa", ".netrc"):
        os.unlink(os.path.join(case.project, name))
    case.write("config/secret.yml", MARK + "\n")
    write_settings(case, {"permissions": {"deny": ["Read(secret.yml)"], "allow": ["Bash"]}, "sandbox": {"enabled": False}})
    def asked(*commands):
        return ["may open" in text for text, _ in run(case, *commands, mode="default")]
    assert asked("rg TOP", "rg TOP config") == [True, True]
    case.write(".gitignore", "*.yml\n")
    assert asked("rg TOP", "rg TOP config", "rg -u TOP", "rg -uu TOP", "rg --no-ignore TOP", "rg -g '*.yml' TOP", "grep -r TOP ."
                 ) == [False, False, True, True, True, True, True]
    case.write("config/.rgignore", "!secret.yml\n")
    assert asked("rg TOP") == [True]
    os.unlink(os.path.join(case.project, "config/.rgignore"))
    case.write(".ignore", "!secret.yml\n")
    case.write(".helveignore", "secret.yml\n")
    assert asked("rg TOP") == [True]


def test_a_rule_of_the_session_reaches_the_next_command(case):
    rules = [{"type": "addRules", "behavior": "deny", "destination": "session", "rules": [{"toolName": "Read", "ruleContent": "late.txt"}]}]
    allow = {"hookSpecificOutput": {"hookEventName": "PermissionRequest", "decision": {"behavior": "allow", "updatedPermissions": rules}}}
    case.write("late.txt", MARK + "\n")
    for enabled in (False, True) if level(case).startswith("full") else (False,):
        done = os.path.join(case.root, "done-%d" % enabled)
        went = os.path.join(case.project, "went%d" % enabled)  # the rule comes when the first command has been through
        wait = "i=0; while [ ! -e %s ] && [ $i -lt 600 ]; do sleep 0.1; i=$((i+1)); done" % went
        hook = {"type": "command", "command": "test -e %s || { %s; touch %s; echo '%s'; }" % (done, wait, done, json.dumps(allow))}
        write_settings(case, {"permissions": {"allow": ["Bash(grep:*)", "Edit(./went%d)" % enabled]}, "sandbox": {"enabled": enabled},
                              "hooks": {"PermissionRequest": [{"hooks": [hook]}]}})
        before, made, after = run(case, "grep -r TOP .; echo >went%d" % enabled, "touch x%d; cd ." % enabled, "grep -r TOP .", mode="default")
        assert MARK in before[0] and not made[1] and MARK not in after[0], (enabled, before, made, after)
