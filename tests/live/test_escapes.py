"""Ways out of a sandbox, one by one: each script says ESCAPED when it got what it wanted, else what stopped it.

In the sandbox none may say so. Without it, those that do no harm must: a script that never works proves nothing.
"""
import os
import socket

from harness import Skip
from test_sandbox import attack, need_full, run, settings

# Each in Python, with: a file outside of the workspace that it may try to write, a secret, a port and an abstract socket
# that somebody outside listens on. `sure`: it works without a sandbox on this kernel, as root or not.
HEAD = """import ctypes, errno, fcntl, glob, os, signal, socket, struct, subprocess, sys, termios, time
outside, secret, port, name = ARGUMENTS
libc = ctypes.CDLL(None, use_errno=True)
def escaped(what=""): print("ESCAPED", what)
def stopped(why): print("stopped:", why)
def call(number, *arguments):
    got = libc.syscall(number, *arguments)
    if got < 0: raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
    return got
try:
"""
TAIL = """
except (OSError, ValueError) as error: stopped(error)
"""

ESCAPES = {
    "write outside": (True, "open(outside, 'w').write('evil'); escaped()"),
    "write through a link": (True, "os.symlink(outside, 'link'); open('link', 'w').write('evil'); escaped()"),
    "write through a link in /tmp": (True, "link = '/tmp/helve-%d' % os.getpid(); os.symlink(outside, link); open(link, 'w').write('evil'); os.unlink(link); escaped()"),
    "write through the root of another process": (True, """done = False
    for root in glob.glob('/proc/[0-9]*/root') + glob.glob('/proc/[0-9]*/cwd') + ['/proc/self/root', '/proc/1/root', '/proc/thread-self/root']:
        try: open(root + '/' + outside, 'w').write('evil'); done = True
        except OSError as error: stopped(error)
    if done: escaped()"""),
    "write through a descriptor that somebody left open": (False, """for fd in glob.glob('/proc/[0-9]*/fd/*'):
        try:
            if os.path.isdir(fd): open(fd + '/../' + os.path.basename(outside), 'w').write('evil'); open(fd + outside, 'w').write('evil')
        except OSError as error: stopped(error)
    if os.path.exists(outside): escaped()
    stopped('nothing was left open')"""),
    "rename over the edge": (True, "open('mine', 'w').write('evil'); os.rename('mine', outside); escaped()"),
    "hard link over the edge": (True, "os.link(secret, 'mine'); print(open('mine').read()); escaped()"),
    "read a secret": (True, "print(open(secret).read()); escaped()"),
    "read a secret through the root of another process": (True, """for root in ['/proc/self/root', '/proc/1/root']:
        print(open(root + secret).read()); escaped()"""),
    "unmask a secret": (False, "os.rename(os.path.dirname(secret), os.path.dirname(secret) + 'x'); escaped()"),
    "change the mode of a secret": (True, "os.chmod(secret, 0o777); print(open(secret).read()); escaped()"),
    "connect to the host": (True, "socket.create_connection(('127.0.0.1', port), 5); escaped()"),
    "send to the host": (False, "s = socket.socket(socket.AF_INET, socket.SOCK_RAW, 1); escaped()"),
    "look at packets": (False, "s = socket.socket(socket.AF_PACKET, socket.SOCK_RAW); escaped()"),
    "connect to an abstract socket": (True, "s = socket.socket(socket.AF_UNIX); s.connect('\\0' + name); escaped()"),
    "make a pair of sockets and connect one": (True, """import array
    a, b = socket.socketpair(); s = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM); s.connect('\\0' + name); escaped()"""),
    "talk to the kernel by netlink": (False, "s = socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, 16); escaped()"),
    "trace another process": (True, """child = subprocess.Popen(['sleep', '5'])
    try: call(101, 16, child.pid, 0, 0); escaped()
    finally: child.kill(); child.wait()"""),
    "read the memory of another process": (True, """child = subprocess.Popen(['sleep', '5'])
    buffer = ctypes.create_string_buffer(8); vector = struct.pack('PN', ctypes.addressof(buffer), 8)
    line = [l for l in open('/proc/%d/maps' % child.pid)][0]; there = struct.pack('PN', int(line.split('-')[0], 16), 8)
    try: call(310, child.pid, vector, ctypes.c_ulong(1), there, ctypes.c_ulong(1), ctypes.c_ulong(0)); escaped()
    finally: child.kill(); child.wait()"""),
    "signal what is outside": (True, "os.kill(int(open('parent').read()), 0); escaped()"),
    "mount": (False, "call(165, b'none', b'/mnt', b'tmpfs', 0, 0); call(166, b'/mnt', 0); escaped()"),
    "mount by the new calls": (False, "call(430, b'tmpfs', 0); escaped()"),
    "open a tree": (False, "call(428, -100, b'/', 1); escaped()"),
    "change the root": (False, "os.chroot('.'); escaped()"),
    "make a user namespace": (False, "call(272, 0x10000000); escaped()"),
    "make a mount namespace": (False, "call(272, 0x00020000); escaped()"),
    "clone into a user namespace": (False, """pid = call(56, 0x10000000 | 17, 0, 0, 0, 0)
    if pid == 0: os._exit(0)
    os.waitpid(pid, 0); escaped()"""),
    "clone3 into a user namespace": (False, """arguments = struct.pack('QQQQQQQQ', 0x10000000, 0, 0, 0, 17, 0, 0, 0)
    pid = call(435, arguments, 64)
    if pid == 0: os._exit(0)
    os.waitpid(pid, 0); escaped()"""),
    "enter the namespace of process 1": (False, "call(308, os.open('/proc/1/ns/mnt', os.O_RDONLY), 0); escaped()"),
    "ask for keys of the kernel": (True, "call(250, 0, -3, 0); escaped()"),
    "add a key": (False, "call(248, b'user', b'helve-test', b'x', 1, -2); escaped()"),
    "set up io_uring": (False, "call(425, 1, ctypes.create_string_buffer(200)); escaped()"),
    "load a program into the kernel": (False, "call(321, 5, ctypes.create_string_buffer(128), 128); escaped()"),
    "watch the processor": (False, "call(298, ctypes.create_string_buffer(128), 0, -1, -1, 0); escaped()"),
    "name a file by its handle": (False, """handle = struct.pack('Ii', 128, 0) + bytes(128); buffer = ctypes.create_string_buffer(handle); mount = ctypes.c_int()
    call(303, -100, b'/', buffer, ctypes.byref(mount), 0); call(304, -100, buffer, 0); escaped()"""),
    "say what happens at a crash": (False, "os.close(os.open('/proc/sys/kernel/core_pattern', os.O_WRONLY)); escaped()"),
    "name the program for modules": (False, "os.close(os.open('/proc/sys/kernel/modprobe', os.O_WRONLY)); escaped()"),
    "press the key of the system": (False, "os.close(os.open('/proc/sysrq-trigger', os.O_WRONLY)); escaped()"),
    "read the memory of the kernel": (False, "os.read(os.open('/proc/kcore', os.O_RDONLY), 1); escaped()"),
    "write to a disk": (False, "os.mknod('disk', 0o060600, os.makedev(254, 0)); os.close(os.open('disk', os.O_WRONLY)); escaped()"),
    "write to a disk in /dev": (False, """for disk in glob.glob('/dev/*d[a-z]') + glob.glob('/dev/nvme*') + glob.glob('/dev/mem'):
        os.close(os.open(disk, os.O_WRONLY)); escaped()
    stopped('there is none')"""),
    "change a control group": (False, "os.mkdir('/sys/fs/cgroup/helve-escape'); os.rmdir('/sys/fs/cgroup/helve-escape'); escaped()"),
    "say who is told of empty groups": (False, """for agent in glob.glob('/sys/fs/cgroup/*/release_agent') + glob.glob('/sys/fs/cgroup/release_agent'):
        os.close(os.open(agent, os.O_WRONLY)); escaped()
    stopped('there is none')"""),
    "overwrite the program of process 1": (False, """for exe in ['/proc/1/exe', '/proc/2/exe', '/proc/self/exe']:
        try: os.close(os.open(exe, os.O_WRONLY)); escaped(exe)
        except OSError as error: stopped(error)"""),
    "overwrite a program by its descriptor": (False, """fd = os.open('/proc/1/exe', os.O_PATH)
    os.close(os.open('/proc/self/fd/%d' % fd, os.O_RDWR)); escaped()"""),
    "type into the terminal": (False, """import pty
    master, slave = pty.openpty(); os.setsid() if os.getpid() != os.getsid(0) else None; fcntl.ioctl(slave, termios.TIOCSCTTY, 0)
    fcntl.ioctl(slave, termios.TIOCSTI, b'x'); escaped()"""),
    "type into the terminal by a number that is too wide": (False, """import pty
    master, slave = pty.openpty(); call(16, ctypes.c_long(slave), ctypes.c_long(0xffffffff00005412), b'x'); escaped()"""),
    "change the clock": (False, "time.clock_settime(time.CLOCK_REALTIME, time.time()); escaped()"),
    "run code of another architecture": (False, """code = b'\\xb8\\x14\\x00\\x00\\x00\\xcd\\x80\\xc3'  # getpid by int 0x80
    import mmap
    page = mmap.mmap(-1, 4096, prot=7); page.write(code)
    pid = os.fork()
    if pid == 0:
        ctypes.CFUNCTYPE(ctypes.c_int)(ctypes.addressof(ctypes.c_char.from_buffer(page)))(); os._exit(7)
    status = os.waitpid(pid, 0)[1]
    if os.WIFEXITED(status) and os.WEXITSTATUS(status) == 7: escaped()
    else: stopped('signal %d' % os.WTERMSIG(status))"""),
    "pretend to have ended well": (False, """for fd in glob.glob('/proc/2/fd/*') + glob.glob('/proc/1/fd/*'):
        if 'pipe' in os.readlink(fd) and os.readlink(fd) not in [os.readlink('/proc/self/fd/%d' % n) for n in (1, 2)]:
            os.close(os.open(fd, os.O_WRONLY)); escaped(fd)
    stopped('there is none')"""),
    "become more by a program of root": (False, """status = open('/proc/self/status').read()
    if 'NoNewPrivs:\\t1' in status: raise ValueError('no new privileges')
    escaped()"""),
    "have a capability": (False, """line = [l for l in open('/proc/self/status') if l.startswith(('CapEff', 'CapPrm', 'CapAmb'))]
    if all(int(l.split()[1], 16) == 0 for l in line): raise ValueError('none')
    escaped()"""),
}


def need_x86(case):
    """Numbers of system calls are those of one architecture."""
    if os.uname().machine != "x86_64":
        raise Skip("the system calls are numbered for x86_64")
    need_full(case)


class Outside:
    """What lies outside of a workspace and is wanted: a file, a secret, a port, an abstract socket, a process."""

    def __init__(self, case):
        self.file = os.path.join(case.root, "outside", "file")
        self.secret = os.path.join(case.home, ".ssh", "id_ed25519")
        self.name = "helve-test-" + os.path.basename(case.root)
        self.case = case
        for path in (self.file, self.secret):
            os.makedirs(os.path.dirname(path))
        with open(self.secret, "w", encoding="utf-8") as file:
            file.write("THE SECRET")
        case.write("parent", str(os.getpid()))
        self.sockets = [socket.socket(), socket.socket(socket.AF_UNIX)]
        self.sockets[0].bind(("127.0.0.1", 0))
        self.sockets[1].bind("\0" + self.name)
        for each in self.sockets:
            each.listen(50)
        self.port = self.sockets[0].getsockname()[1]

    def __enter__(self):
        return self

    def __exit__(self, *_):
        for each in self.sockets:
            each.close()

    def command(self, number, script):
        path = os.path.join(self.case.root, f"escape-{number}.py")
        with open(path, "w", encoding="utf-8") as file:
            arguments = repr((self.file, self.secret, self.port, self.name)) # in the file, of which permission knows nothing
            file.write(HEAD.replace("ARGUMENTS", arguments) + "    " + script + TAIL)
        return f"timeout 20 python3 {path}; rm -f link mine disk"


def results(case, names, sandbox):
    with Outside(case) as outside:
        commands = [{"command": outside.command(number, ESCAPES[name][1]), "sandbox": sandbox} for number, name in enumerate(names)]
        found = dict(zip(names, run(case, *commands)))
        return found, os.path.exists(outside.file)


def test_no_known_way_leads_out_of_the_sandbox(case):
    need_x86(case)
    found, written = results(case, list(ESCAPES), True)
    out = {name: text for name, (text, _) in found.items() if "ESCAPED" in text or "THE SECRET" in text or "stopped" not in text}
    assert not out, out
    assert not written


def test_these_ways_work_where_there_is_no_sandbox(case):
    need_x86(case)
    names = [name for name, (sure, _) in ESCAPES.items() if sure]
    found, written = results(case, names, False)
    tame = {name: text for name, (text, _) in found.items() if "ESCAPED" not in text}
    assert not tame and written, tame


def test_ways_to_services_are_not_in_the_environment(case):
    need_full(case)
    env = {"SSH_AUTH_SOCK": "/tmp/agent", "DBUS_SESSION_BUS_ADDRESS": "unix:path=/run/user/0/bus", "GPG_AGENT_INFO": "x"}
    (text, _), = run(case, "env", env=env)
    assert not any(name + "=" in text for name in env), text


def test_sockets_of_docker_x11_and_the_session_bus_are_out_of_reach(case):
    need_full(case)
    folder = os.path.join(case.root, "run")
    os.makedirs(folder)
    script = "import socket, sys\nfor path in sys.argv[1:]:\n    try:\n        s = socket.socket(socket.AF_UNIX); s.connect(path); print('ESCAPED', path)\n" \
             "    except OSError as error: print('stopped:', error)\n"
    case.write("connect.py", script)
    paths = [os.path.join(folder, name) for name in ("docker.sock", "X0", "bus")]
    services = []
    for path in paths:
        service = socket.socket(socket.AF_UNIX)
        service.bind(path)
        service.listen(5)
        services.append(service)
    command = "python3 connect.py " + " ".join(paths)
    (inside, _), (bare, _) = run(case, command, {"command": command, "sandbox": False})
    assert "ESCAPED" not in inside and bare.count("ESCAPED") == 3, (inside, bare)
    settings(case, network={"allowUnixSockets": [paths[0]]})
    (one, _), = run(case, command)
    assert "ESCAPED " + paths[0] in one, one
    for service in services:
        service.close()


def test_links_that_change_all_the_time_lead_nowhere(case):
    """Who exchanges a folder and a link while another writes through it gains nothing: what counts is what is mounted."""
    need_full(case)
    outside = os.path.join(case.root, "outside")
    os.makedirs(outside)
    script = f"""
mkdir -p real; ln -sfn {outside} link
(for i in $(seq 300); do mv -T real x 2>/dev/null; mv -T link real 2>/dev/null; mv -T real link 2>/dev/null; mv -T x real 2>/dev/null; done) &
for i in $(seq 300); do echo evil > real/file; echo evil > link/file; done 2>/dev/null
wait; true"""
    attack(case, script)
    assert os.listdir(outside) == []


def test_a_flood_of_output_takes_no_memory(case):
    need_full(case)
    (text, error), = run(case, "yes 0123456789 | head -c 300000000; echo; echo end of it", env={"HELVE_MAX_OUTPUT_BYTES": "2000000000"})
    assert not error and "end of it" in text and len(text) < 200000, (len(text), text[-300:])
