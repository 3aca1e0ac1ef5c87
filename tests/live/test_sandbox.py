"""The sandbox through `helve exec`: what commands may not do, what the result says of it, and what is left afterwards.

Each test says what holds without bubblewrap, too: then it shows that nothing is claimed that does not hold.
"""
import http.server
import json
import os
import re
import resource
import shutil
import signal
import socket
import subprocess
import tempfile
import threading
import time

from harness import Skip, stop
from wires import Answer, call, text


def settings(case, allow=("Bash",), **sandbox):
    path = os.path.join(case.home, "helve", "settings.json")
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w", encoding="utf-8") as file:
        json.dump({"permissions": {"allow": list(allow)}, "sandbox": sandbox}, file)


def calls_of(commands):
    inputs = [command if isinstance(command, dict) else {"command": command} for command in commands]
    return "".join(json.dumps({"type": "tool_use", "id": str(i), "name": "Bash", "input": given}) + "\n" for i, given in enumerate(inputs))


def run(case, *commands, env=None, flags=(), mode="bypassPermissions"):
    """The results of commands that nobody is asked about: (text, is_error) each. What is tested is the sandbox alone."""
    ran = case.helve("exec", "--permission-mode", mode, *flags, stdin=calls_of(commands), env={"IS_SANDBOX": "1", **(env or {})})
    results = []
    for line in ran.out.splitlines():
        result = json.loads(line)
        content = result["content"]
        text = content if isinstance(content, str) else "".join(block.get("text", "") for block in content)
        results.append((text, bool(result.get("is_error"))))
    assert len(results) == len(commands), ran
    return results


def attack(case, *scripts):
    """The same for scripts in files, of which permission knows nothing."""
    commands = []
    for number, script in enumerate(scripts):
        path = os.path.join(case.root, f"script-{number}")
        with open(path, "w", encoding="utf-8") as file:
            file.write(script + "\n")
        commands.append("bash " + path)
    return run(case, *commands)


def level(case, env=None):
    """What `helve doctor` says of the sandbox."""
    ran = case.helve("doctor", "--offline", "--json", env=env)
    found = [json.loads(line) for line in ran.out.splitlines() if '"sandbox"' in line]
    assert len(found) == 1, ran
    return found[0]["message"]


def need_full(case):
    if not level(case).startswith("full"):
        raise Skip("bubblewrap cannot run here: " + level(case))


class Listener:
    """A server on the loopback interface of the host."""

    def __enter__(self):
        class Handler(http.server.BaseHTTPRequestHandler):
            def do_GET(self):  # pylint: disable=invalid-name
                self.server.seen.append((self.path, dict(self.headers)))
                body = b"reached " + self.path.encode()
                self.send_response(200)
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.seen = []
        self.port = self.server.server_address[1]
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        return self

    def __exit__(self, *_):
        self.server.shutdown()
        self.server.server_close()

    @property
    def seen(self):
        return self.server.seen


FETCH = "python3 -c 'import urllib.request,sys\ntry:\n print(urllib.request.urlopen(sys.argv[1],timeout=20).read().decode())\nexcept Exception as e:\n print(\"failed\", e)' "


# ---- files -----------------------------------------------------------------------------------------------------


def test_nothing_outside_the_workspace_is_written(case):
    need_full(case)
    outside = os.path.join(case.root, "outside")
    (text, error), _, (inside, _) = run(case, f"echo evil > {outside}", "echo fine > inside", "cat inside")
    assert error and "sandbox.filesystem.allowWrite" in text and outside in text, text
    assert not os.path.exists(outside)
    assert inside.startswith("fine"), inside


def test_a_setting_makes_a_folder_writable(case):
    need_full(case)
    other = os.path.join(case.root, "other")
    os.makedirs(other)
    settings(case, filesystem={"allowWrite": [other]})
    (text, error), = run(case, f"echo fine > {other}/x && cat {other}/x")
    assert not error and text.startswith("fine"), text
    assert os.path.exists(os.path.join(other, "x"))


def test_secrets_cannot_be_read(case):
    need_full(case)
    os.makedirs(os.path.join(case.home, ".ssh"))
    for name in (".ssh/id_ed25519", ".netrc", "token"):
        with open(os.path.join(case.home, name), "w", encoding="utf-8") as file:
            file.write("SECRET")
    settings(case, filesystem={"denyRead": ["~/token"]})
    (text, _), = attack(case, "cat ~/.ssh/id_ed25519 ~/.netrc ~/token /etc/shadow; ls -la ~/.ssh; cat /proc/1/environ /proc/1/root/etc/shadow")
    assert "SECRET" not in text and "root:" not in text, text
    assert "holds secrets" in text, text


def offered(text):
    """The settings that a result names for what was refused, as they stand in a file."""
    found = {}
    for group, name, value in re.findall(r'sandbox\.(\w+)\.(\w+): (\["[^"]*"\])', text):
        found.setdefault(group, {}).setdefault(name, []).extend(json.loads(value))
    return found


def test_what_is_refused_is_offered_as_a_setting_that_allows_it(case):
    need_full(case)
    other, state = os.path.join(case.root, "other"), os.path.join(case.home, ".netrc")
    os.makedirs(other)
    os.makedirs(os.path.join(case.home, ".aws"))
    for path in (state, os.path.join(case.home, ".aws/credentials"), os.path.join(other, "old")):
        with open(path, "w", encoding="utf-8") as file:
            file.write("SECRET\n")
    with Listener() as listener:
        url = f"http://localhost:{listener.port}/there"
        for command, setting in (
                (f"echo x > {other}/a", "allowWrite"), (f"cp /etc/hostname {other}/b", "allowWrite"), (f"touch {other}/c", "allowWrite"),
                (f"mkdir -p {other}/d", "allowWrite"), (f"rm {other}/old", "allowWrite"), (f"echo x | tee {other}/e", "allowWrite"),
                (f"cd {other} && touch ./f", "allowWrite"), (f"sed -i s/a/b/ {other}/a", "allowWrite"),
                (f"python3 -c 'open(\"{other}/g\", \"w\")'", "allowWrite"),
                ("cat ~/.netrc", "allowRead"), ("cat < ~/.netrc", "allowRead"), ("cp ~/.aws/credentials here", "allowRead"),
                ("cat ~/.aws/credentials", "allowRead"), ("ls ~/.aws", "allowRead"), ("grep -r SECRET ~/.aws", "allowRead"),
                ("cd ~/.aws && cat credentials", "allowRead"), ("python3 -c 'import os; open(os.path.expanduser(\"~/.netrc\"))'", "allowRead"),
                (f"no_proxy= NO_PROXY= {FETCH} {url} | grep reached", "allowedDomains"),
                (f"no_proxy= NO_PROXY= curl -sSf {url}", "allowedDomains"),
                (f"printf 'GET {url} HTTP/1.0\\r\\n\\r\\n' | (exec 3<>/dev/tcp/127.0.0.1/${{HTTP_PROXY##*:}}; cat >&3; cat <&3) | grep reached", "allowedDomains")):
            if "curl" in command and not shutil.which("curl"):
                continue
            settings(case)
            # Permission would ask about a secret that stands in the command; of a script it knows nothing.
            do = attack if setting == "allowRead" else run
            (text, failed), = do(case, command)
            found = offered(text)
            assert (failed or "grep reached" in command) and [list(names) for names in found.values()] == [[setting]], (command, text)
            settings(case, **found)
            (text, failed), = do(case, command)
            assert not failed and not offered(text), (command, found, text)
            assert setting != "allowedDomains" or "reached" in text, (command, text)
    settings(case)
    (there, _), (missing, _) = run(case, f"echo x > {other}/y", f"echo x > {case.root}/missing/y")
    assert "in the settings would allow it." in there and "would allow it once somebody has made that folder." in missing, (there, missing)


def test_settings_that_do_not_exist_yet_cannot_be_made(case):
    need_full(case)
    attacks = ["mkdir -p .helve; echo '{}' > .helve/settings.json", "mkdir -p .claude; echo '{}' > .claude/settings.local.json",
               "echo '{}' > .mcp.json", "rm -rf .helve && mkdir .helve && echo '{}' > .helve/settings.json",
               "mkdir x && echo '{}' > x/settings.json && mv -T x .helve", "ln -s /tmp .claude", "chmod 777 .helve; echo '{}' > .helve/settings.json"]
    results = attack(case, *attacks)
    assert "moved-aside" in results[0][0] and "Write or Edit" in results[0][0], results
    for name in (".helve", ".claude", ".mcp.json", ".vscode", ".idea"):
        assert not os.path.lexists(os.path.join(case.project, name)), name


def test_start_up_files_that_the_home_links_to_cannot_be_changed(case):
    need_full(case)
    os.makedirs(os.path.join(case.home, ".config"), exist_ok=True)
    for name, link in (("gitconfig", ".gitconfig"), ("nvim", ".config/nvim")):
        os.symlink(os.path.join(case.project, name), os.path.join(case.home, link))
    case.write("gitconfig", "[a]\n")
    case.write("nvim/init.lua", "")
    results = attack(case, "echo evil >> gitconfig && echo went", "rm gitconfig; echo evil > gitconfig && echo went", "echo evil > nvim/more.lua && echo went",
                     "mv nvim old && mkdir nvim && echo went", "echo fine > other && cat other")
    assert [text for text, _ in results[:-1] if "went" in text] == [] and "fine" in results[-1][0], results
    assert case.read("gitconfig") == "[a]\n" and os.listdir(os.path.join(case.project, "nvim")) == ["init.lua"]
    # Links on the way come back.
    case.write("real/bashrc", "old\n")
    case.write("v1/zshrc", "old\n")
    ways = {"bashrc": "real/bashrc", "cur": "v1"}
    for way, (name, target) in zip(ways, ((".bashrc", "bashrc"), (".zshrc", "cur/zshrc"))):
        os.symlink(ways[way], os.path.join(case.project, way))
        os.symlink(os.path.join(case.project, target), os.path.join(case.home, name))
    results = attack(case, "echo evil > evil; ln -sfn evil bashrc", "mkdir v2; echo evil > v2/zshrc; ln -sfn v2 cur", "rm cur; mv v2 cur")
    for (text, _), way in zip(results, ("bashrc", "cur", "cur")):
        assert "put " + os.path.join(case.project, way) + " back, a link to " + ways[way] in text, text
    for name in (".bashrc", ".zshrc"):
        with open(os.path.join(case.home, name)) as file:
            assert file.read() == "old\n", name
    # Where nothing is yet nothing can be kept: commands are asked about.
    flags = ("--settings", json.dumps({"sandbox": {"autoAllowBashIfSandboxed": True}}))
    for target in ("gitconfig", "later"):
        os.unlink(os.path.join(case.home, ".gitconfig"))
        os.symlink(os.path.join(case.project, target), os.path.join(case.home, ".gitconfig"))
        (said, refused), = run(case, "touch made", flags=flags, mode="default")
        assert refused == (target == "later"), (target, said)


def test_no_command_sees_anything_that_is_not_there(case):
    need_full(case)
    source = os.path.join(case.root, "source")
    subprocess.run(["git", "init", "-q", source], check=True, env=case.environment())
    (listed, _), (cloned, error), (clean, _) = run(case, "ls -A; tar cf - . | tar tf -; cat .mcp.json", f"git clone -q {source} . && ls -A", "git clean -fdx && ls -A")
    assert listed.splitlines()[1:] == ["./", "cat: .mcp.json: No such file or directory"], listed
    assert not error and cloned.split()[-1] == ".git", cloned
    assert clean.split() == [".git"], clean


def test_hooks_and_configuration_of_git_cannot_be_changed(case):
    need_full(case)
    subprocess.run(["git", "init", "-q", case.project], check=True, env=case.environment())
    config = case.read(".git/config")
    attack(case, "echo evil > .git/hooks/post-checkout", "git config core.fsmonitor evil", "mv .git/config .git/old; echo evil > .git/config",
           "mv .git .old; mkdir -p .git/hooks; echo evil > .git/hooks/pre-commit", "rm -rf .git/hooks; ln -s /tmp .git/hooks")
    assert case.read(".git/config") == config
    assert os.path.isdir(os.path.join(case.project, ".git/hooks")) and not os.path.islink(os.path.join(case.project, ".git/hooks"))
    assert not [name for name in os.listdir(os.path.join(case.project, ".git/hooks")) if not name.endswith(".sample")]
    (text, error), = run(case, "echo x > file && git add -A && git -c user.name=a -c user.email=a@b commit -qm one && git status --short && git log --format=%s")
    assert not error and text.strip() == "one", text
    assert sorted(os.listdir(case.project)) == [".git", "file"], os.listdir(case.project)


def test_a_protected_path_that_is_exchanged_again_and_again_is_not_written(case):
    need_full(case)
    race = """
for i in $(seq 200); do
  mkdir -p t/.helve 2>/dev/null; mv t/.helve . 2>/dev/null; ln -sfn t .helve 2>/dev/null; rm -rf .helve 2>/dev/null
  echo evil > .helve/settings.json
done 2>/dev/null; true"""
    attack(case, race, race)
    assert not os.path.lexists(os.path.join(case.project, ".helve"))


# ---- the network -------------------------------------------------------------------------------------------------


def need_keeper(case):
    need_full(case)
    if tuple(map(int, re.findall(r"\d+", os.uname().release)[:2])) < (5, 12):
        raise Skip("the kernel lets only bubblewrap mount")


TRIES = '''until [ -e go ]; do sleep 0.02; done
for i in $(seq 400); do
    %s || { echo "held: $1"; break; }
    sleep 0.05
done 2>/dev/null
'''


def exchange_while_a_command_runs(case, exchange):
    """What a command that was there before finds after the exchange, once it was told: it tries until it is refused."""
    subprocess.run(["git", "init", "-q", case.project], check=True)
    config, secret = os.path.join(case.project, ".git", "config"), os.path.join(case.home, ".netrc")
    for path in (config, secret):
        with open(path, "a", encoding="utf-8") as file:
            file.write("[a]\n")
    script = case.write("tries.sh", TRIES.replace("$1", "config") % "echo '[b]' >> .git/config" +
                        TRIES.replace("$1", "secret") % ("cat " + secret + " > /dev/null") + "echo end\n")
    settings(case)
    process = case.start("exec", "--permission-mode", "bypassPermissions", stdin=subprocess.PIPE, env={"IS_SANDBOX": "1"})
    told = [{"command": "bash " + script, "run_in_background": True}, {"task_id": "bash_1", "block": True, "timeout": 600000}]
    for number, (tool, given) in enumerate(zip(("Bash", "TaskOutput"), told)):
        process.stdin.write(json.dumps({"type": "tool_use", "id": str(number), "name": tool, "input": given}).encode() + b"\n")
        process.stdin.flush()
        if number == 0:
            assert b"bash_1" in process.stdout.readline()
            for path in (config, secret):
                exchange(path)
            case.write("go", "")
    process.stdin.close()
    said = process.stdout.read().decode()
    process.wait()
    assert "held: config" in said and "held: secret" in said and "end" in said, said


def replace_by_rename(path):
    with open(path + ".new", "w", encoding="utf-8") as file:
        file.write("[c]\n")
    os.rename(path + ".new", path)


def move_away_and_make_anew(path):
    os.rename(path, path + ".old")
    with open(path, "w", encoding="utf-8") as file:
        file.write("[c]\n")


def test_what_is_exchanged_outside_while_a_command_runs_is_protected_again(case):
    need_keeper(case)
    exchange_while_a_command_runs(case, replace_by_rename)


def test_what_is_moved_away_and_made_anew_is_protected_again(case):
    need_keeper(case)
    exchange_while_a_command_runs(case, move_away_and_make_anew)


def test_without_what_keeps_the_mounts_in_place_no_command_goes_on(case):
    need_keeper(case)
    find = "for f in /proc/[0-9]*; do read -r n < $f/comm; [ \"$n\" = hv-keeper ] && echo found && kill -%s ${f#/proc/}; done; "
    for text, is_error in attack(case, *(find % name + "sleep 2; echo went on" for name in ("KILL", "STOP"))):
        assert is_error and "found" in text and "went on" not in text, text


def test_the_network_of_the_host_is_out_of_reach(case):
    need_full(case)
    with Listener() as listener:
        (direct, _), (proxied, _), (raw, _) = run(
            case, f"{FETCH} http://127.0.0.1:{listener.port}/direct", f"no_proxy= NO_PROXY= {FETCH} http://127.0.0.1:{listener.port}/proxied",
            f"echo > /dev/tcp/127.0.0.1/{listener.port} && echo connected")
        assert not listener.seen, listener.seen
    assert "failed" in direct and "failed" in proxied and "connected" not in raw
    assert f"refused a connection to 127.0.0.1:{listener.port}" in proxied and f'allowedDomains: ["127.0.0.1:{listener.port}"]' in proxied, proxied
    assert f'server at port {listener.port}' in raw and f'allowedDomains: ["localhost:{listener.port}"]' in raw and "run again" not in raw, raw


def test_an_allowed_host_is_reached_through_the_proxy(case):
    need_full(case)
    with Listener() as listener:
        settings(case, network={"allowedDomains": [f"localhost:{listener.port}"], "deniedDomains": ["*.test"]})
        (text, error), (other, _), (tunnel, _) = run(
            case, f"{FETCH} 'http://localhost:{listener.port}/a?b'", f"no_proxy= {FETCH} http://localhost:1/", "exec 3<>/dev/tcp/127.0.0.1/${HTTP_PROXY##*:}; "
            f"printf 'CONNECT localhost:{listener.port} HTTP/1.1\\r\\n\\r\\nGET /tunnel HTTP/1.0\\r\\n\\r\\n' >&3; cat <&3")
        assert not error and "reached /a?b" in text, text
        assert "localhost:1 (" in other, other
        assert "200 Connected" in tunnel and "reached /tunnel" in tunnel, tunnel
        assert [path for path, _ in listener.seen] == ["/a?b", "/tunnel"]
        assert not any(name.lower().startswith("proxy") for name in listener.seen[0][1])
        # Without the proxy, too, by one command after the other; where nothing is on the machine a command has its own.
        direct = f"exec 3<>/dev/tcp/127.0.0.1/{listener.port} && printf 'GET /direct HTTP/1.0\\r\\n\\r\\n' >&3 && cat <&3"
        results = run(case, direct, direct, {"command": f"sleep 0.1; {direct}", "run_in_background": True}, direct, f"exec 3<>/dev/tcp/127.0.0.1/1 || {direct}")
        assert all("reached /direct" in results[at][0] for at in (0, 1, 3, 4)), results
        for denied in ("localhost", "127.0.0.1"):
            settings(case, network={"allowedDomains": [f"localhost:{listener.port}"], "deniedDomains": [denied]})
            (text, _), = run(case, direct)
            assert "reached /direct" not in text and "refused" in text, (denied, text)
    settings(case, network={"allowedDomains": [f"localhost:{listener.port}"]})
    (text, error), = run(case, f"python3 -c 'import socket; socket.create_server((\"127.0.0.1\", {listener.port})); print(\"own\")'")
    assert not error and "own" in text, text


def test_what_the_configuration_of_git_names_cannot_be_changed(case):
    need_full(case)
    git = ["git", "-C", case.project]
    subprocess.run([*git, "init", "-q"], check=True)
    subprocess.run([*git, "config", "core.hooksPath", "tools/hooks"], check=True)
    subprocess.run([*git, "config", "include.path", "../shared.gitconfig"], check=True)
    case.write("shared.gitconfig", "[include]\n\tpath = more/deep.gitconfig\n[core]\n\thooksPath = .\n")
    case.write("more/deep.gitconfig", "[a]\n")
    case.write("tools/other", "")
    inner = os.path.join(case.project, "inner")
    subprocess.run(["git", "init", "-q", inner], check=True)
    subprocess.run(["git", "-C", inner, "config", "core.hooksPath", "hooks-of-it"], check=True)
    results = attack(case, "echo x >> shared.gitconfig && echo went", "echo x >> more/deep.gitconfig && echo went",
                     "mkdir -p tools/hooks; echo x > tools/hooks/pre-commit", "mv tools away; mkdir -p tools/hooks; mv away/other tools",
                     "mkdir -p inner/hooks-of-it; echo x > inner/hooks-of-it/pre-push",
                     "rm -f shared.gitconfig && echo went", "echo x >> tools/other && echo x > more/new && echo x > here && echo fine")
    for text, _ in results[:-1]:
        assert "went" not in text, text
    assert "fine" in results[-1][0], results[-1]
    for folder in ("tools/hooks", "inner/hooks-of-it"):
        assert not os.path.exists(os.path.join(case.project, folder)), folder


def test_in_a_linked_worktree_git_commits_and_the_rest_is_protected(case):
    need_full(case)
    main, git = os.path.join(case.root, "main"), ["git", "-c", "user.name=a", "-c", "user.email=a@b"]
    subprocess.run([*git, "init", "-q", main], check=True)
    subprocess.run([*git, "-C", main, "commit", "-q", "--allow-empty", "-m", "one"], check=True)
    for folder in (case.project, os.path.join(case.root, "other")):
        subprocess.run([*git, "-C", main, "worktree", "add", "-q", folder, "-b", os.path.basename(folder)], check=True, capture_output=True)
    (text, error), = run(case, "echo 2 >g; git add g && git -c user.name=a -c user.email=a@b commit -qm two && git branch x1 && git tag t1 && "
                         "git log --format=%s -1 x1 && git gc -q")
    assert not error and text.strip() == "two", text
    common = os.path.join(main, ".git")
    attack(case, f"echo evil > {common}/hooks/pre-commit", f"echo evil >> {common}/config", f"echo evil > {common}/worktrees/other/commondir",
           f"rm -rf {common}/worktrees/other; echo evil > {common}/worktrees/project/config.worktree; echo evil > {common}/commondir", f"echo evil > {main}/file")
    found = subprocess.run(["grep", "-rl", "evil", "--exclude=*.moved-aside", main, os.path.join(case.root, "other")], check=False, capture_output=True, text=True).stdout
    assert not found, found
    # A folder that says it is a worktree of another, which does not know of it, gains nothing.
    case.write(".git", f"gitdir: {common}/worktrees/other\n")
    (text, _), = attack(case, f"echo evil > {common}/x")
    assert "Read-only" in text and not os.path.exists(common + "/x"), text


def test_a_folder_of_git_that_is_a_link_comes_back(case):
    """To a folder inside or outside, over further links, of a repository below: nothing that a command puts there stays."""
    need_full(case)
    inner = os.path.join(case.project, "vendor", "x")
    for top, kept in ((case.project, os.path.join(case.root, "outside")), (inner, os.path.join(case.project, "store"))):
        subprocess.run(["git", "init", "-q", "--separate-git-dir", kept, top], check=True)
        os.unlink(os.path.join(top, ".git"))
    links = {".git": os.path.join(case.root, "outside"), "vendor/x/.git": "../../way/store", "way": "."}
    for name, target in links.items():
        os.symlink(target, os.path.join(case.project, name))
    evil = "git init -q && git config core.fsmonitor ./evil && echo ./evil > .git/hooks/pre-commit && cd"
    results = attack(case, f"rm .git && {evil} .", f"cd vendor/x && mv .git .old && {evil} .", "rm way && mkdir way && cp -r store way && echo '[a]' >> way/store/config",
                     "rm .git; ln -s /tmp .git", "unlink .git; kill -9 $$", "echo x > file && git add file && git status --short")
    for (text, _), name in zip(results, (".git", "vendor/x/.git", "way", ".git", ".git", None)):
        assert ("put " + os.path.join(case.project, name or "") + " back, a link to " in text) if name else "put " not in text, (name, text)
    assert ".git.moved-aside" in results[0][0] and "which was gone" in results[4][0], results
    for name, target in links.items():
        assert os.readlink(os.path.join(case.project, name)) == target, name
    for top in (case.project, inner):
        said = subprocess.run(["git", "-C", top, "config", "core.fsmonitor"], check=False, capture_output=True, text=True).stdout
        assert said == "", (top, said)
    # Its folder goes and a link comes, or nothing.
    os.makedirs(os.path.join(case.project, "lib", "y"))
    os.symlink(os.path.join(case.root, "outside"), os.path.join(case.project, "lib", "y", ".git"))
    for command, moved in (("mkdir -p evil/y; mv lib old; ln -s evil lib", "lib"), ("mkdir lib; mv old/y lib/y", None),
                           ("mv lib/y z; ln -s ../evil/y lib/y", "lib/y"), ("mv z lib/y", None), ("mv lib away", None)):
        (text, _), = attack(case, command)
        assert (f"moved {case.project}/{moved}, a link where a folder with" in text) if moved else "The sandbox" not in text, (command, text)
        assert not moved or not os.path.lexists(os.path.join(case.project, moved)), command


def test_a_workspace_that_is_a_repository_itself_is_protected(case):
    need_full(case)
    subprocess.run(["git", "init", "-q", "--bare", case.project], check=True)
    subprocess.run(["git", "init", "-q", os.path.join(case.project, "inner")], check=True)
    before = case.read("config"), case.read("inner/.git/config")
    attack(case, "git config core.fsmonitor x", "echo x >> inner/.git/config")
    assert (case.read("config"), case.read("inner/.git/config")) == before
    results = attack(case, "echo x > hooks/update && echo went", "mv hooks away && echo went", "rm -rf config && echo went", "echo x >> description && echo fine")
    for text, _ in results[:-1]:
        assert "went" not in text, text
    assert "fine" in results[-1][0], results[-1]


def test_nobody_makes_git_look_elsewhere_for_hooks_and_configuration(case):
    need_full(case)
    subprocess.run(["git", "init", "-q", case.project], check=True)
    redirection = os.path.join(case.project, ".git", "commondir")
    (text, _), = attack(case, "echo ../elsewhere > .git/commondir; kill -9 $$")
    assert f"removed {redirection}: git would have" in text and not os.path.lexists(redirection), text
    (text, _), = attack(case, "ln -s /tmp .git/commondir && echo made; timeout 60 sh -c 'while [ -L .git/commondir ]; do sleep 0.1; done' && echo gone")
    assert "made" in text and not os.path.lexists(redirection), text
    if tuple(map(int, re.findall(r"\d+", os.uname().release)[:2])) >= (5, 12):
        assert "gone" in text, text


MANY = '''
import os, socket, sys, time
kept, port = [], int(os.environ["HTTP_PROXY"].rsplit(":", 1)[1])
for i in range(int(sys.argv[1])):
    try:
        kept.append(socket.create_connection(("127.0.0.1", port), timeout=1))
    except OSError:
        break
open("connected", "w").close()
time.sleep(60)
'''
ALL_AT_ONCE = '''
import concurrent.futures, sys, urllib.request
def fetch(_):
    try:
        return urllib.request.urlopen(sys.argv[1], timeout=60).read().decode().startswith("reached")
    except OSError as error:
        return error
with concurrent.futures.ThreadPoolExecutor(160) as pool:
    got = list(pool.map(fetch, range(160)))
print("all reached" if got == [True] * 160 else [fault for fault in got if fault is not True][:3])
'''


def test_a_command_with_many_connections_keeps_no_other_from_the_network(case):
    need_full(case)
    many, at_once = case.write("many.py", MANY), case.write("at_once.py", ALL_AT_ONCE)
    with Listener() as listener:
        url = f"http://localhost:{listener.port}/there"
        settings(case, network={"allowedDomains": ["localhost"]})
        wait = "until [ -e connected ]; do sleep 0.05; done; "
        hold, fetch, all_fetch = run(case, {"command": f"python3 {many} 400", "run_in_background": True}, f"{wait}{FETCH}{url}",
                                     f"{wait}python3 {at_once} {url}")
        assert not hold[1] and "reached /there" in fetch[0], fetch
        assert "all reached" in all_fetch[0], all_fetch


def test_what_runs_because_it_only_reads_cannot_do_more(case):
    """A program in front of the real one stands for a wrong row of the tables."""
    need_full(case)
    programs = os.path.join(case.root, "programs")
    os.makedirs(programs)
    with Listener() as listener:
        with open(os.path.join(programs, "ls"), "w", encoding="utf-8") as file:
            file.write(f"#!/bin/bash\necho evil >made; mkdir -p .git; echo evil >.git/made; echo fine >$TMPDIR/a; cat $TMPDIR/a; echo x >/tmp/b && cat /tmp/b\n"
                       f"chmod 600 there; echo >/dev/null; {FETCH} http://127.0.0.1:{listener.port}/ ; exec /bin/ls\n")
        os.chmod(os.path.join(programs, "ls"), 0o755)
        there = case.write("there", "x")
        os.chmod(there, 0o644)
        env = {"PATH": programs + ":" + os.environ["PATH"]}
        for command in ("ls", "pwd; ls -l | cat"):  # the first one of a session, and one in a sandbox that waits
            first, (text, _) = run(case, "pwd", command, env=env, mode="default")
            assert not first[1] and "made: Read-only file system" in text and "fine\nx\n" in text, text
            assert "Network is unreachable" in text and "only because it reads" in text and "there" in text, text
        (text, _), = run(case, {"command": "ls", "run_in_background": True}, env=env, mode="default")
        assert not os.path.exists(os.path.join(case.project, "made")) and os.stat(there).st_mode & 0o777 == 0o644 and not listener.seen, text
        (text, _), = run(case, "ls", env=env, mode="bypassPermissions")
        assert os.path.exists(os.path.join(case.project, "made")) and "only because it reads" not in text, text


def test_what_is_refused_to_a_task_is_told_when_it_ends(case):
    from test_processes import Session  # pylint: disable=import-outside-toplevel
    need_full(case)
    outside = os.path.join(case.root, "outside")
    settings(case)
    session = Session(case, env={"IS_SANDBOX": "1"})
    session.call("Bash", command=f"sleep 0.2; touch {outside}", run_in_background=True).has("bash_1")
    session.call("TaskOutput", task_id="bash_1", block=True).has("exit code 1", "sandbox.filesystem.allowWrite", outside)
    session.call("Bash", command=f"echo on; sleep 0.5; touch {outside}", timeout=200, background_on_timeout=True).has("bash_2")
    session.call("TaskOutput", task_id="bash_2", block=True).has("exit code 1", "sandbox.filesystem.allowWrite", outside)
    session.call("Monitor", command=f"touch {outside}; exit 1", pattern="never").has("monitor_3")
    session.call("TaskOutput", task_id="monitor_3", block=True).has("sandbox.filesystem.allowWrite", outside)
    session.call("Bash", command="true", run_in_background=True).has("bash_4")
    assert "sandbox." not in session.call("TaskOutput", task_id="bash_4", block=True)
    session.end()
    assert not os.path.exists(outside)


def test_a_name_that_leads_inside_is_refused_though_the_name_is_allowed(case):
    need_full(case)
    with Listener() as listener:
        settings(case, network={"allowedDomains": ["*"]})
        (text, _), = run(case, f"no_proxy= NO_PROXY= {FETCH} http://127.0.0.1:{listener.port}/ ; no_proxy= NO_PROXY= {FETCH} http://0x7f.1:{listener.port}/")
        assert not listener.seen
        settings(case, network={"allowedDomains": ["*", f"127.0.0.1:{listener.port}"]})
        (again, _), = run(case, f"no_proxy= NO_PROXY= {FETCH} http://0x7f.1:{listener.port}/")
        assert listener.seen, again
    assert 'leads to 127.0.0.1' in text and f'allowedDomains: ["127.0.0.1:{listener.port}"] in the settings would allow' in text, text


def test_a_server_inside_is_reached_inside(case):
    need_full(case)
    (text, _), = run(case, "python3 -m http.server 8123 --bind 127.0.0.1 >/dev/null 2>&1 & "
                     f"for i in $(seq 50); do sleep 0.1; {FETCH} http://127.0.0.1:8123/ | grep -q Directory && echo served && break; done; kill %1")
    assert text.startswith("served"), text


def test_what_one_command_serves_the_next_one_reaches(case):
    need_full(case)
    case.write("index.txt", "served by an earlier command")
    fetch = f"for i in $(seq 600); do {FETCH} http://127.0.0.1:8124/index.txt | grep . && break; sleep 0.1; done 2>&1 | grep -v refused"
    with Listener() as listener:
        started, (left, _), (task, _), (outside, _) = run(
            case, "python3 -m http.server 8124 --bind 127.0.0.1 >/dev/null 2>&1 & echo started", fetch, {"command": fetch, "timeout": 100000},
            f"{FETCH} http://127.0.0.1:{listener.port}/direct")
        assert "started" in started[0] and "served by an earlier command" in left and "served by an earlier command" in task, (started, left, task)
        assert not listener.seen and "refused" in outside, outside


def test_sockets_of_services_are_out_of_reach(case):
    need_full(case)
    path = os.path.join(case.root, "service.sock")
    script = f"python3 -c 'import socket; s = socket.socket(socket.AF_UNIX); s.connect(\"{path}\"); print(\"connected\")'"
    with socket.socket(socket.AF_UNIX) as service:
        service.bind(path)
        service.listen(5)
        (text, _), = run(case, script)
        assert "allowUnixSockets" in text and "refused" in text and "connected" not in text.splitlines(), text  # a traceback shows the line
        settings(case, network={"allowUnixSockets": [path]})
        (text, _), = run(case, script)
        assert "connected" in text.splitlines(), text


LATER = '''import os, socket, sys, time
open("waits", "w").close()
while not os.path.exists("go"):
    time.sleep(0.02)
for i in range(1200):
    try:
        socket.socket(socket.AF_UNIX).connect(sys.argv[1])
        time.sleep(0.05)
    except ConnectionRefusedError:
        sys.exit("held")
'''


def test_a_socket_that_comes_later_is_out_of_reach_soon(case):
    need_keeper(case)
    case.write("later.py", LATER)
    path = os.path.join(case.root, "later.sock")
    process = case.start("exec", "--permission-mode", "bypassPermissions", stdin=subprocess.PIPE, env={"IS_SANDBOX": "1"})
    process.stdin.write(calls_of(["python3 later.py " + path]).encode())
    process.stdin.close()
    while not os.path.exists(os.path.join(case.project, "waits")):
        assert process.poll() is None
        time.sleep(0.02)
    with socket.socket(socket.AF_UNIX) as service:
        service.bind(path)
        service.listen(5000)
        case.write("go", "")
        said = process.stdout.read().decode()
    process.wait()
    assert "held" in said, said


def test_sockets_of_a_commands_own_work(case):
    need_keeper(case)
    serve = "import os, socket, sys; s = socket.socket(socket.AF_UNIX); s.bind(sys.argv[1]); s.listen(1); c = socket.socket(socket.AF_UNIX); " \
            "c.connect(sys.argv[1]); print('reached')"
    case.write("manager.py", "import multiprocessing\nif __name__ == '__main__':\n    print(multiprocessing.Manager().list([1, 2]))\n")
    results = run(case, f'python3 -c "{serve}" $TMPDIR/x.sock', f'python3 -c "{serve}" here.sock', "python3 manager.py", "ls -A /run")
    assert [text.strip() for text, _ in results[:3]] == ["reached", "reached", "[1, 2]"], results
    assert "dbus" not in results[3][0] and "docker" not in results[3][0], results[3]


# ---- the system ----------------------------------------------------------------------------------------------------


def test_a_refusal_is_told_though_the_program_keeps_it_to_itself(case):
    need_full(case)
    hidden, outside = os.path.join(case.root, "hidden"), os.path.join(case.root, "outside", "x")
    for path in (hidden, outside):
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8") as file:
            file.write("secret\n")
    settings(case, filesystem={"denyRead": [hidden]})
    case.write("read.py", "import sys\ntry:\n    print(open(sys.argv[1]).read())\nexcept OSError:\n    print('nothing there')\n")
    read, wrote, socketless = run(case, f"python3 read.py {hidden}", f"(echo evil > {outside}) 2>/dev/null; true", "curl -s --unix-socket /run/helve-none.sock http://x/")
    assert read[0].startswith("nothing there") and not read[1] and f"hides {hidden}" in read[0] and "allowRead" in read[0], read
    assert not wrote[1] and f"not to {outside}" in wrote[0] and "allowWrite" in wrote[0], wrote
    assert socketless[1] and "allowUnixSockets" in socketless[0], socketless


def test_tricks_of_the_system_do_not_lead_out(case):
    need_full(case)
    results = attack(case, "strace -o /dev/null true", "mount -t tmpfs x /mnt", "unshare -Ur true", "nsenter -t 1 -m true",
                  "python3 -c 'import ctypes; print(ctypes.CDLL(None, use_errno=True).syscall(250, 0, 0)); raise SystemExit(1)'",
                  "cat /proc/sys/kernel/hostname > /proc/sys/kernel/hostname", "echo x > /proc/self/root/etc/evil", "head -c1 /proc/kcore", "mknod dev b 8 0 && cat dev",
                  "chroot / true")
    for command, (text, error) in enumerate(results):
        assert error, (command, text)
    assert any("refuses tracing, mounting" in text for text, _ in results), results


def test_the_limit_of_processes_hits_the_command_only(case):
    need_full(case)
    settings(case, limits={"processes": 30})
    case.write("forks.py", "import os, time\nn = 0\nfor i in range(60):\n    try:\n        if os.fork() == 0:\n            time.sleep(5)\n"
               "            os._exit(0)\n        n += 1\n    except OSError:\n        break\nprint(n)\n")
    (text, _), (after, error), (score, _) = run(case, "timeout 2 python3 forks.py; true", "echo still here", "cat /proc/self/oom_score_adj")
    if text.strip().isdigit():
        assert int(text) <= 30, text
    assert not error and after.startswith("still here")
    with open("/proc/self/oom_score_adj", encoding="utf-8") as own:
        assert int(score) > int(own.read()), score  # the kernel takes the command first


# ---- leaving, degrading ----------------------------------------------------------------------------------------------


def test_a_command_may_ask_to_leave_unless_the_settings_forbid_it(case):
    need_full(case)
    outside = os.path.join(case.root, "outside")
    (_, error), = run(case, {"command": f"echo x > {outside}", "sandbox": False})
    assert not error and os.path.exists(outside)
    settings(case, allowUnsandboxedCommands=False)
    (text, error), = run(case, {"command": "true", "sandbox": False})
    assert error and "allowUnsandboxedCommands" in text, text


def without_bubblewrap(case):
    """A PATH on which everything is but bwrap."""
    folder = os.path.join(case.root, "bin")
    os.makedirs(folder)
    for directory in reversed(os.environ["PATH"].split(":")):
        for name in os.listdir(directory) if os.path.isdir(directory) else ():
            if name != "bwrap":
                link = os.path.join(folder, name)
                if os.path.lexists(link):
                    os.unlink(link)
                os.symlink(os.path.join(directory, name), link)
    return {"PATH": folder}


def test_without_bubblewrap_it_says_so_and_allows_nothing_unasked(case):
    env = without_bubblewrap(case)
    settings(case, autoAllowBashIfSandboxed=True)
    said = level(case, env)
    assert "bwrap" in said and not said.startswith("full"), said
    with open(os.path.join(case.home, "helve", "settings.json"), "w", encoding="utf-8") as file:
        json.dump({"sandbox": {"autoAllowBashIfSandboxed": True}}, file)
    (text, error), = run(case, "touch made", env=env, mode="default")
    assert error and "Permission" in text and not os.path.exists(os.path.join(case.project, "made")), text
    with open(os.path.join(case.home, "helve", "settings.json"), "w", encoding="utf-8") as file:
        json.dump({"sandbox": {"failIfUnavailable": True}}, file)
    (text, error), = run(case, "true", env=env)
    assert error and "failIfUnavailable" in text, text


def test_a_fault_that_passes_does_not_cost_the_sandbox(case):
    """Too few descriptors at the first commands: they are refused, not run without; with more the sandbox is there."""
    need_full(case)
    settings(case)
    process = case.start("exec", "--permission-mode", "bypassPermissions", stdin=subprocess.PIPE, env={"IS_SANDBOX": "1"})

    def call(command):
        process.stdin.write(calls_of([command]).encode())
        process.stdin.flush()
        return json.dumps(json.loads(process.stdout.readline())["content"])

    call({"command": 1})  # the session is there
    limits, refused = resource.prlimit(process.pid, resource.RLIMIT_NOFILE), 0
    for most in range(12, 60, 3):  # how many are open by then is not for others to see
        resource.prlimit(process.pid, resource.RLIMIT_NOFILE, (most, limits[1]))
        said = call("touch made-%d; echo $HELVE_SANDBOX" % most)
        assert "full" in said or "oo many open files" in said, (most, said)
        assert os.path.exists(os.path.join(case.project, "made-%d" % most)) == ("full" in said), said
        refused += "full" not in said
        if "full" in said:
            break
    assert refused
    resource.prlimit(process.pid, resource.RLIMIT_NOFILE, limits)
    assert "full" in call("echo $HELVE_SANDBOX")
    process.stdin.close()
    process.wait()


def test_landlock_confines_where_bubblewrap_is_missing(case):
    env = without_bubblewrap(case)
    if not level(case, env).startswith("Landlock"):
        raise Skip("this kernel has no Landlock")
    outside = os.path.join(case.root, "outside")
    with Listener() as listener:
        _, (text, _), (network, _) = run(case, f"echo evil > {outside}", "echo fine > inside; cat inside",
                                         f"echo > /dev/tcp/127.0.0.1/{listener.port} && echo connected", env=env)
    assert not os.path.exists(outside) and text.startswith("fine") and "connected" not in network, network


def test_with_a_sandbox_the_settings_may_spare_the_question(case):
    need_full(case)
    flags = ("--settings", json.dumps({"sandbox": {"autoAllowBashIfSandboxed": True}}))
    (_, error), = run(case, "touch made && python3 -c 'print(1)'", flags=flags, mode="default")
    assert not error and os.path.exists(os.path.join(case.project, "made"))
    (text, error), = run(case, {"command": "touch other", "sandbox": False}, flags=flags, mode="default")
    assert error and "Permission" in text, text


def tools(case, *calls, mode="default", flags=(), env=None):
    """The texts of the results of calls (name, input)."""
    lines = "".join(json.dumps({"type": "tool_use", "id": str(i), "name": name, "input": given}) + "\n" for i, (name, given) in enumerate(calls))
    ran = case.helve("exec", "--permission-mode", mode, *flags, stdin=lines, env={"IS_SANDBOX": "1", **(env or {})})
    return [json.dumps(json.loads(line)["content"]) for line in ran.out.splitlines()]


PLANTS = """import os, sys
print("seen", open(sys.argv[1]).read())
open(sys.argv[1] + ".log", "w").write("from the command")
os.symlink(os.path.join(sys.argv[2], ".s" + "sh", "id_r" + "sa"), sys.argv[1] + ".out")
os.symlink(sys.argv[1] + ".log", sys.argv[1] + ".link")
"""


def test_tmp_is_one_place_for_a_session(case):
    need_full(case)
    secret = os.path.join(case.home, ".ssh", "id_rsa")
    os.makedirs(os.path.dirname(secret))
    with open(secret, "w", encoding="utf-8") as file:
        file.write("KEEP OUT")
    case.write("plant.py", PLANTS)
    settings(case, autoAllowBashIfSandboxed=True)
    with tempfile.NamedTemporaryFile("w", dir="/tmp", prefix="helve-live-", suffix=".txt", encoding="utf-8") as machine:
        machine.write("of the machine")
        machine.flush()
        name = machine.name[:-4] + "-own"
        # Whatever the mode, one tool finds what another left, also through links.
        for mode in ("default", "acceptEdits", "bypassPermissions"):
            said = tools(
                case, ("Write", {"file_path": name, "content": "first\n"}),
                ("Bash", {"command": f"python3 plant.py {name} {case.home}"}),
                ("Read", {"file_path": name + ".log"}), ("Read", {"file_path": name + ".link"}), ("Read", {"file_path": name + ".out"}),
                ("Write", {"file_path": name + ".out", "content": "changed"}),
                ("Edit", {"file_path": name, "old_string": "first", "new_string": "second"}), ("Bash", {"command": f"cat {name}"}),
                ("Glob", {"path": "/tmp", "pattern": "helve-live-*"}), ("Grep", {"path": name, "pattern": "second", "output_mode": "content"}),
                ("Bash", {"command": f"cat {name}", "sandbox": False}),
                ("Bash", {"command": "echo kept >$TMPDIR/kept; echo in $TMPDIR; ls -A /tmp"}), ("Read", {"file_path": "/tmp/kept"}),
                mode=mode)
            assert "Created " + name in said[0] and "seen first" in said[1], said
            assert "from the command" in said[2] + said[3] and "not exist" not in said[2] + said[3], said
            assert "KEEP OUT" not in str(said) and "Permission" in said[4] and "Permission" in said[5], said
            assert "Changed " + name in said[6] and "second" in said[7] and name + ".log" in said[8] and "second" in said[9], said
            assert not os.path.exists(name), said  # the machine's /tmp has nothing of it …
            assert f"has as {name} is " in said[10] or mode == "default" and "Permission" in said[10], said  # … and who runs there is told
            assert "in /tmp\\n" in said[11] and "helve-sandbox" not in said[11] and "kept" in said[12], said
        # What only the machine has is found, with the question of any file outside; in the sandbox nobody writes it.
        asked, = tools(case, ("Read", {"file_path": machine.name}))
        read, seen = tools(case, ("Read", {"file_path": machine.name}), ("Bash", {"command": f"cat {machine.name}"}), flags=("--allowed-tools", f"Read(/{machine.name})"))
        assert "outside the workspace" in asked and "of the machine" in read and "of the machine" in seen, (asked, read, seen)
        with open(secret, encoding="utf-8") as file:
            assert file.read() == "KEEP OUT"
        # Without that folder, and where the sandbox may write the machine's, all see the machine's.
        settings(case, filesystem={"allowWrite": ["/tmp"]})
        for env in (None, without_bubblewrap(case)):
            said = tools(case, ("Write", {"file_path": name, "content": "x"}), ("Bash", {"command": f"cat {name}"}), mode="bypassPermissions", env=env)
            assert "Created" in said[0] and '"x' in said[1] and os.path.exists(name), said
            os.unlink(name)


def test_more_folders_than_are_searched_for_repositories_are_told(case):
    need_full(case)
    for unasked, folders in ((True, 10), (True, 4001), (False, 4001)):
        for number in range(folders):
            os.makedirs(os.path.join(case.project, "many", str(number)), exist_ok=True)
        settings = json.dumps({"sandbox": {"autoAllowBashIfSandboxed": unasked}})
        ran = case.helve("exec", "--settings", settings, stdin=calls_of(["touch made", "ls | head -1"]))
        assert ("more folders than are searched" in ran.err) == (unasked and folders > 4000), (unasked, folders, ran)
        assert os.path.exists(os.path.join(case.project, "made")) == (unasked and folders < 4000), (unasked, folders, ran)
        case.write("made", "")
        os.unlink(os.path.join(case.project, "made"))


def test_the_sandbox_is_set_up_while_the_model_still_writes_the_call(case):
    need_full(case)
    command, temporary = "touch made; : " + "x" * 4000, os.path.join(case.root, "tmp")
    os.makedirs(temporary)
    env = {"IS_SANDBOX": "1", "TMPDIR": temporary}
    server = case.serve(Answer([call("Bash", {"command": command})], hang=(4000, 60)))
    process = case.start("-p", "go", "--model", "anthropic:claude-sonnet-4-5", "--permission-mode", "bypassPermissions", server=server, env=env)
    end = time.monotonic() + 40
    # Its folder for temporary files: the sandbox is made, and the call is not there for long.
    while not os.listdir(temporary):
        assert time.monotonic() < end and process.poll() is None
        time.sleep(0.005)
    stop(process)
    process.communicate()
    end = time.monotonic() + 30
    while os.listdir(temporary):
        assert time.monotonic() < end
        time.sleep(0.02)
    # A model that writes of other things has none made.
    server = case.serve(Answer([text("x" * 2000), call("Read", {"file_path": "x" * 400})], pace=0.01), Answer([text("done")]))
    process = case.start("-p", "go", "--model", "anthropic:claude-sonnet-4-5", server=server, env=env)
    while process.poll() is None:
        assert not [name for name in os.listdir(temporary) if "sandbox" in name]
        time.sleep(0.005)
    process.communicate()


# ---- what is left ------------------------------------------------------------------------------------------------------


def processes_with(mark):
    found = []
    for process in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{process}/cmdline", "rb") as file:
                if mark.encode() in file.read():
                    found.append(int(process))
        except OSError:
            pass
    return found


def kill_9(case, sweeper_too):
    """A session that is killed while its command runs; where it had its temporary files."""
    mark = "asleep-in-" + os.path.basename(case.root)
    temporary = os.path.join(case.root, "tmp")
    os.makedirs(temporary)
    process = case.start("exec", "--permission-mode", "bypassPermissions", stdin=subprocess.PIPE, env={"TMPDIR": temporary, "IS_SANDBOX": "1"})
    command = f"(setsid bash -c 'trap \"\" TERM; sleep 300; : {mark}' &) ; echo x > started; sleep 300; : {mark}"
    process.stdin.write(calls_of([command]).encode())
    process.stdin.flush()
    end = time.monotonic() + 60
    while not (os.path.exists(os.path.join(case.project, "started")) and processes_with(mark)):
        assert time.monotonic() < end and process.poll() is None
        time.sleep(0.02)
    assert os.listdir(temporary)
    if sweeper_too:
        for pid in processes_with("hv-guard\0sweep"):
            with open(f"/proc/{pid}/stat", encoding="utf-8") as file:
                if int(file.read().rsplit(")", 1)[1].split()[1]) == process.pid:
                    os.kill(pid, signal.SIGKILL)
    process.kill()
    process.communicate()
    end = time.monotonic() + 30
    while processes_with(mark):
        assert time.monotonic() < end, processes_with(mark)
        time.sleep(0.02)
    stop(process)
    return temporary


def test_kill_9_leaves_no_process_and_nothing_on_the_disk(case):
    need_full(case)
    temporary = kill_9(case, False)
    end = time.monotonic() + 30
    while os.listdir(temporary) or os.listdir(case.project) != ["started"]:
        assert time.monotonic() < end, (os.listdir(temporary), os.listdir(case.project))
        time.sleep(0.05)


def test_what_nobody_could_take_away_the_next_session_does(case):
    need_full(case)
    temporary = kill_9(case, True)
    time.sleep(2)
    assert os.listdir(temporary)
    run(case, "true", env={"TMPDIR": temporary})
    assert os.listdir(temporary) == [], os.listdir(temporary)
    assert os.listdir(case.project) == ["started"], os.listdir(case.project)


def test_a_program_that_is_excluded_says_why_it_ran_inside(case):
    need_full(case)
    settings(case, excludedCommands=["id"])
    alone, piped, other = run(case, "id -u", "id -u | cat", "whoami | cat")
    assert "excludedCommands" not in alone[0] and "excludedCommands" not in other[0], (alone, other)
    assert "id ran in the sandbox" in piped[0] and "excludedCommands" in piped[0], piped


def test_additional_directories_of_the_settings_are_roots(case):
    extra = os.path.join(case.root, "extra")
    os.mkdir(extra)
    path = os.path.join(case.home, "helve", "settings.json")
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w", encoding="utf-8") as file:
        json.dump({"permissions": {"allow": ["Bash"], "additionalDirectories": [extra]}}, file)
    results = run(case, f"cd {extra} && echo inside >f", "pwd; cat f")
    assert results[1] == (f"{extra}\ninside\n", False), results
    read = case.helve("tool", "call", "Read", json.dumps({"file_path": extra + "/f"}))
    assert read.code == 0 and "inside" in read.out, read
