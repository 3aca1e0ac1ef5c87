"""What sandboxed commands may change of a configuration of git: what is harmless is kept when they end, the rest is put back and told."""
import os
import subprocess
import time

from harness import stop
from test_sandbox import attack, calls_of, need_full, need_keeper, run
from tmux import WAIT

ME = "-c user.name=a -c user.email=a@b"


def git(where, *words):
    return subprocess.run(["git", "-c", "user.name=a", "-c", "user.email=a@b", "-c", "protocol.file.allow=always", "-C", where, *words], check=True, capture_output=True, text=True).stdout


def repository(path):
    os.makedirs(path, exist_ok=True)
    git(path, "init", "-q", "-b", "main")
    git(path, "commit", "-q", "--allow-empty", "-m", "one")
    return path


def setting(where, name):
    return subprocess.run(["git", "-C", where, "config", "--local", name], check=False, capture_output=True, text=True).stdout.strip()


def test_everyday_settings_are_kept(case):
    need_keeper(case)
    other, project = repository(os.path.join(case.root, "other")), repository(case.project)
    results = run(case, "git config user.name Me && git config --get user.name", f"git remote add origin {other} && git fetch -q origin && git remote -v",
                  "git branch -q --set-upstream-to=origin/main main && git status -sb", "git config user.name Other && git config --unset user.name; git init",
                  "git init -q new && git -C new config core.editor vi && git -C new config core.editor; cat .git/config; ls -A $TMPDIR /tmp")
    assert not any(error for _, error in results) and "put" not in str(results), results
    assert results[0][0].strip() == "Me" and results[1][0].split()[:2] == ["origin", other] and "main...origin/main" in results[2][0] and "vi" in results[4][0], results
    assert setting(project, "remote.origin.url") == other and setting(project, "branch.main.merge") == "refs/heads/main" and not setting(project, "user.name")
    assert not os.path.islink(project + "/.git/config") and ".helve" not in results[4][0], results[4]  # nothing of helve's is listed
    (text, _), = run(case, f"git {ME} commit -q --allow-empty -m two && git log --format=%s -1")
    assert text.strip() == "two", text


DANGEROUS = {
    "core.hooksPath": "tools", "core.fsmonitor": "./evil", "core.sshCommand": "./evil", "core.pager": "./evil", "core.editor": "./evil", "core.askpass": "./evil",
    "core.worktree": "/", "core.gitProxy": "./evil", "core.attributesFile": "x", "alias.st": "!./evil", "alias.log2": "-c core.pager=./evil log", "filter.x.clean": "./evil",
    "filter.x.smudge": "./evil", "filter.x.process": "./evil", "diff.external": "./evil", "diff.x.textconv": "./evil", "diff.x.command": "./evil", "merge.x.driver": "./evil",
    "include.path": "../evil", "includeIf.gitdir:/.path": "../evil", "credential.helper": "!./evil", "credential.https://x.helper": "./evil", "gpg.program": "./evil",
    "remote.new.uploadpack": "./evil", "remote.new.receivepack": "./evil", "remote.new.vcs": "evil", "remote.new.url": "ext::./evil", "remote.origin.pushurl": "https://evil.example",
    "submodule.x.update": "!./evil", "branch.main.remote": "ext::./evil", "url.ext::evil.insteadOf": "https://", "protocol.ext.allow": "always", "sequence.editor": "./evil",
    "extensions.worktreeConfig": "true", "uploadpack.packObjectsHook": "./evil", "browser.x.cmd": "./evil", "interactive.diffFilter": "./evil", "sendemail.smtpServer": "./evil",
    "trailer.x.command": "./evil", "receive.procReceiveRefs": "x", "http.proxy": "http://evil.example", "safe.directory": "*", "pager.log": "./evil", "mergetool.x.cmd": "./evil",
}


def test_what_makes_git_run_or_read_something_is_put_back_and_told(case):
    need_keeper(case)
    project = repository(case.project)
    git(project, "remote", "add", "origin", "https://origin.example/x")
    git(project, "config", "filter.lfs.required", "true")
    before = case.read(".git/config")
    commands = [f"git config {name} '{value}'" for name, value in DANGEROUS.items()]
    commands += ["git remote set-url origin https://evil.example", "git config --unset filter.lfs.required", "rm -f $(readlink -f .git/config)",
                 "printf '[core]\\n\\tfsmonitor = ./evil\\n' >> .git/config", "printf '[core] fsmonitor = ./evil' > .git/config", "printf 'x\\0[core]\\nfsmonitor = ./evil\\n' >> .git/config",
                 "c=$(readlink -f .git/config); rm $c; ln -s /etc/passwd $c", "c=$(readlink -f .git/config); rm $c; mkfifo $c", "c=$(readlink -f .git/config); rm $c; mkdir $c",
                 "d=$(dirname $(readlink -f .git/config)); mv $d $d.away; ln -s / $d"]
    results = run(case, *commands)
    for command, (text, _) in zip(commands, results):
        assert case.read(".git/config") == before, (command, text)
    for (name, _), (text, _) in zip(DANGEROUS.items(), results):
        section, last = name.split(".")[0], name.split(".")[-1]
        assert f"put {project}/.git/config back" in text and section.lower() in text.lower() and last.lower() in text.lower() and "sandbox: false" in text, (name, text)
    assert "remote.origin.url" in results[len(DANGEROUS)][0], results[len(DANGEROUS)]
    (text, _), = run(case, "git config user.name Kept; git config core.fsmonitor ./evil; git remote set-url origin https://evil.example; git remote add more https://more.example")
    assert "in part" in text and "core.fsmonitor" in text and "remote.origin.url" in text, text
    assert [setting(project, name) for name in ("user.name", "core.fsmonitor", "remote.origin.url", "remote.more.url")] == ["Kept", "", "https://origin.example/x", "https://more.example"], text


def test_nothing_of_it_is_seen_outside_while_the_command_runs(case):
    need_keeper(case)
    project = repository(case.project)
    before = case.read(".git/config")
    process = case.start("exec", "--permission-mode", "bypassPermissions", stdin=subprocess.PIPE, env={"IS_SANDBOX": "1"})
    try:
        process.stdin.write(calls_of(["git config core.fsmonitor ./evil; git config user.name Me; git config core.fsmonitor > set; while [ ! -e go ]; do sleep 0.1; done"]).encode())
        process.stdin.close()
        end = time.monotonic() + WAIT
        while not os.path.exists(project + "/set") or not case.read("set"):
            assert time.monotonic() < end and process.poll() is None
            time.sleep(0.02)
        assert case.read("set").strip() == "./evil" and case.read(".git/config") == before
        case.write("go", "")
        said = process.stdout.read().decode()
    finally:
        stop(process)
    kept = case.read(".git/config")
    assert "core.fsmonitor" in said and "evil" not in kept and "name = Me" in kept, (said, kept)


def test_what_changed_outside_meanwhile_is_not_overwritten(case):
    need_keeper(case)
    project = repository(case.project)
    process = case.start("exec", "--permission-mode", "bypassPermissions", stdin=subprocess.PIPE, env={"IS_SANDBOX": "1"})
    try:
        process.stdin.write(calls_of(["git config user.name Me; touch set; while [ ! -e go ]; do sleep 0.1; done"]).encode())
        process.stdin.close()
        end = time.monotonic() + WAIT
        while not os.path.exists(project + "/set"):
            assert time.monotonic() < end and process.poll() is None
            time.sleep(0.02)
        git(project, "config", "user.email", "me@outside")
        case.write("go", "")
        said = process.stdout.read().decode()
    finally:
        stop(process)
    assert "changed outside, too" in said and setting(project, "user.email") == "me@outside" and not setting(project, "user.name"), said


def test_worktrees_bare_layouts_and_submodules_have_theirs(case):
    need_keeper(case)
    main, other = repository(os.path.join(case.root, "main")), repository(os.path.join(case.root, "other"))
    git(main, "worktree", "add", "-q", case.project, "-b", "feature")
    (text, error), = run(case, f"git remote add up {other} && git fetch -q up && git branch -q -u up/main && git rev-parse --abbrev-ref @{{u}}")
    assert not error and text.strip() == "up/main" and setting(main, "remote.up.url") == other, text
    (text, error), = run(case, f"git -c protocol.file.allow=always submodule --quiet add {other} sub && git {ME} commit -qm sub && git submodule status")
    assert not error and " sub " in text and setting(main, "submodule.sub.url") == other, text
    (text, _), = attack(case, "git config core.hooksPath x; git -C sub config core.fsmonitor ./evil")
    assert not setting(main, "core.hooksPath") and "core.hooksPath" in text, text


def test_a_bare_repository_takes_remotes(case):
    need_keeper(case)
    other = repository(os.path.join(case.root, "other"))
    git(case.project, "init", "-q", "--bare", ".bare")
    case.write(".git", "gitdir: ./.bare\n")
    (text, error), = run(case, f"git remote add origin {other} && git fetch -q origin && git worktree add -q tree origin/main 2>&1 && git -C tree log --format=%s")
    assert not error and "one" in text and setting(case.project + "/.bare", "remote.origin.url") == other, text


def test_without_the_mounts_it_stays_read_only(case):
    need_full(case)
    repository(case.project)
    (text, error), = run(case, "git config core.fsmonitor ./evil; true")
    assert not setting(case.project, "core.fsmonitor") and not error and "git/config" in text, text
