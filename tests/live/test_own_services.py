"""Services that a sandboxed command starts for itself work; those of the machine are out of its reach."""
import glob
import os
import pwd
import shutil
import socket
import subprocess
import time

from harness import Skip
from test_sandbox import attack, need_full, need_keeper, run
from tmux import WAIT


def need(*programs):
    missing = [name for name in programs if not shutil.which(name)]
    if missing:
        raise Skip("not installed: " + ", ".join(missing))


def has_account():
    """Whether the system knows a name of who this is: many services do not start otherwise."""
    try:
        return bool(pwd.getpwuid(os.geteuid()))
    except KeyError:
        return False


def need_account():
    if not has_account():
        raise Skip("services do not start for a user without a name; root shows it")


def wait_for(path):
    end = time.monotonic() + WAIT
    while not os.path.exists(path):
        assert time.monotonic() < end, path
        time.sleep(0.02)


def test_an_agent_of_ssh_of_its_own_holds_keys(case):
    need_keeper(case)
    need("ssh-agent", "ssh-add", "ssh-keygen")
    need_account()
    (text, _), = attack(case, "eval $(ssh-agent -s); ssh-keygen -q -t ed25519 -N '' -f $TMPDIR/key && ssh-add -q $TMPDIR/key && ssh-add -l; ssh-agent -k >/dev/null")
    assert "(ED25519)" in text, text


def test_gpg_starts_its_agent_and_makes_a_key(case):
    need_keeper(case)
    need("gpg", "gpg-agent", "gpgconf")
    (text, _), = attack(case, "export GNUPGHOME=$TMPDIR/gnupg; mkdir -m 700 $GNUPGHOME; gpg --batch -q --passphrase '' --quick-gen-key me@example.org ed25519 sign never; "
                              "gpg -q -K --with-colons; gpgconf --kill all")
    assert "me@example.org" in text and "sec:u:" in text, text


def test_postgresql_runs_in_the_temporary_folder(case):
    need_keeper(case)
    found = sorted(glob.glob("/usr/lib/postgresql/*/bin/initdb"))
    if not found:
        raise Skip("PostgreSQL is not installed")
    if os.geteuid() == 0:
        raise Skip("PostgreSQL does not run as root")
    need_account()
    (text, _), = attack(case, f"""bin={os.path.dirname(found[-1])} data=$TMPDIR/data
$bin/initdb -D $data -A trust -N >/dev/null &&
$bin/pg_ctl -D $data -o "-F -k $TMPDIR -c listen_addresses=''" -w -l $TMPDIR/log start >/dev/null &&
$bin/psql -h $TMPDIR -d postgres -Atc "select 'the answer is ' || 41 + 1"; $bin/pg_ctl -D $data -m immediate stop >/dev/null""")
    assert "the answer is 42" in text, text


def test_a_bus_of_its_own_answers(case):
    need_keeper(case)
    need("dbus-run-session", "dbus-send")
    need_account()
    (text, _), = attack(case, "dbus-run-session -- dbus-send --session --print-reply --dest=org.freedesktop.DBus / org.freedesktop.DBus.ListNames")
    assert 'string "org.freedesktop.DBus"' in text, text


# tsx and its like: a server on a socket in the temporary folder, to which a child that runs the program connects.
TSX = """
const net = require('net'), path = require('path'), { fork } = require('child_process');
const at = path.join(process.env.TMPDIR, 'pipe.sock');
if (process.argv[2]) net.connect(at).end('from the child');
else {
  const server = net.createServer(peer => peer.on('data', bytes => { console.log('got ' + bytes); server.close(); }));
  server.listen(at, () => fork(__filename, ['child']));
}
"""


def test_processes_talk_over_sockets_as_tsx_and_multiprocessing_do(case):
    need_keeper(case)
    case.write("manager.py", "import multiprocessing\nif __name__ == '__main__':\n    print(multiprocessing.Manager().dict(a=1))\n")
    case.write("tsx.js", TSX)
    (text, _), = run(case, "python3 manager.py")
    assert text.strip() == "{'a': 1}", text
    need("node")
    (text, _), = run(case, "node tsx.js")
    assert text.strip() == "got from the child", text


def outside_docker(case, started):
    path = os.path.join(case.root, "docker.sock")
    service = socket.socket(socket.AF_UNIX)
    service.bind(path)
    service.listen(5)
    started.append(service.close)
    return path


def outside(case, started, name, program, *words):
    """The socket of a real service that runs outside; absent where it is not installed, or would not start."""
    path = os.path.join(case.root, name)
    if not shutil.which(program) or not has_account():
        return None
    process = subprocess.Popen([program, *(word.format(path) for word in words)], env={**case.environment(), "GNUPGHOME": case.root},
                               stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    started.append(process.kill)
    started.append(process.wait)
    wait_for(path)
    return path


def test_docker_ssh_gpg_and_the_bus_of_the_machine_are_out_of_reach(case):
    need_full(case)
    started = []
    try:
        services = [outside_docker(case, started), outside(case, started, "agent", "ssh-agent", "-D", "-a", "{}"),
                    outside(case, started, "bus", "dbus-daemon", "--session", "--nofork", "--address=unix:path={}"),
                    outside(case, started, "S.gpg-agent", "gpg-agent", "--homedir", case.root, "--daemon", "--no-detach")]
        for path in filter(None, services):
            connect = f"import socket; socket.socket(socket.AF_UNIX).connect({path!r}); print('connec' + 'ted')"
            ran = subprocess.run(["python3", "-c", connect], check=False, capture_output=True, text=True)
            assert "connected" in ran.stdout, ran  # outside it is there
            (text, _), = attack(case, f'python3 -c "{connect}" ; true')
            assert "connected" not in text and "allowUnixSockets" in text, (path, text)
    finally:
        for end in started:
            end()
