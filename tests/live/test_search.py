"""Grep, Glob and LS over trees that do not hold still, and over what is mounted in them."""
import json
import os
import resource
import shutil
import socket
import subprocess
import threading
import time

import harness
from cli_support import HELVE, Case, expose, main, mount_alone, text_of, use

FILES = 120
STEADY = "the steady needle\n"


class Moving(Case):
    """Files shrink, grow, vanish and come back while they are searched: what holds still is found, nothing ends badly."""

    def stir(self, over):
        """Change every file again and again, each in its own way; steady ones are left alone."""
        root = os.path.join(self.project, "moving")
        round_ = 0
        while not over.is_set():
            round_ += 1
            for number in range(FILES):
                path = os.path.join(root, f"d{number % 7}", f"f{number}")
                way = (number + round_) % 5
                if way == 0:
                    with open(path, "ab") as file:
                        file.truncate(round_ % 1000)
                elif way == 1:
                    with open(path, "ab") as file:
                        file.write(b"another line\n" * 20000)
                elif way == 2 and os.path.exists(path):
                    os.unlink(path)
                elif way == 3:
                    with open(path + ".new", "wb") as file:
                        file.write(b"needle again\n" + b"x" * (number * 4000) + b"\n")
                    os.replace(path + ".new", path)
                elif way == 4 and number % 7 == 6:
                    shutil.rmtree(os.path.dirname(path))
                    os.makedirs(os.path.dirname(path))
        self.assertGreater(round_, 0)

    def test_a_tree_that_changes_while_it_is_searched(self):
        for number in range(FILES):
            self.write(f"moving/d{number % 7}/f{number}", "needle\n" * number)
            self.write(f"steady/s{number}", STEADY)
        over = threading.Event()
        thread = threading.Thread(target=self.stir, args=(over,))
        thread.start()
        try:
            calls = []
            for number in range(0, 120, 4):
                calls += [use("Grep", id=str(number), pattern="the steady needle", output_mode="count", head_limit=0),
                          use("Grep", id=str(number + 1), pattern="needle|another", output_mode="content", head_limit=50),
                          use("Grep", id=str(number + 2), pattern="line\\nanother", multiline=True),
                          use("Glob", id=str(number + 3), pattern="steady/*")]
            results = self.execute(*calls)
        finally:
            over.set()
            thread.join()
        self.assertEqual(len(results), 120)
        for number in range(0, 120, 4):
            counted = text_of(results[str(number)])
            self.assertEqual(sum(line.startswith("steady/") for line in counted.splitlines()), FILES, counted)
            for i in range(4):
                self.assertFalse(results[str(number + i)].get("is_error", False), results[str(number + i)])
            self.assertIn("steady/s", text_of(results[str(number + 3)]))


class Scarce(Case):
    """With few files that may be open, searches take longer, and find the same."""

    def fill(self, path, levels):
        for number in range(3):
            self.write(f"{path}/f{number}", "needle\n")
        for name in ("a", "b") if levels else ():
            self.fill(f"{path}/{name}", levels - 1)

    def test_a_search_with_few_descriptors(self):
        self.fill("bushy", 7)
        few = lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (20, 20))
        for _ in range(3):
            ran = subprocess.run([harness.HELVE, "tool", "call", "Grep", '{"pattern":"needle","output_mode":"count","head_limit":0}'],
                                 cwd=self.project, env=self.env, stdin=subprocess.DEVNULL, capture_output=True, text=True,
                                 preexec_fn=few, timeout=60)
            self.assertTrue(ran.stdout.endswith("\n[765 matches in 765 files]\n"), ran.stdout[-400:] + ran.stderr)


class Mounted(Case):
    """File systems mounted in a tree: those with files are part of it, the kernel's own are not."""

    MOUNTS = """mount -t tmpfs none disk && echo 'needle on the disk' >disk/file && mkdir disk/kernel &&
        mount -t proc none kernel && mount --rbind /proc disk/kernel && mount --bind . loop && exec "$@" """

    def in_mounts(self, *command):
        """Run in a mount namespace of its own, whose end takes the mounts with it."""
        return subprocess.run(["unshare", "-Urmpf", "sh", "-c", self.MOUNTS, "sh", *command], cwd=self.project, env=self.env,
                              stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=600, check=False)

    def test_disks_are_searched_and_kernel_systems_are_not(self):
        self.write("own", "needle of the project\n")
        for folder in ("disk", "kernel", "loop"):
            os.makedirs(os.path.join(self.project, folder))
        if self.in_mounts("true").returncode:
            self.skipTest("this machine lets nobody make a mount namespace")
        ran = self.in_mounts(harness.HELVE, "tool", "call", "Grep", '{"pattern":"needle|Linux","output_mode":"content","-C":0,"no_ignore":true}')
        self.assertIn("disk/file:1:needle on the disk", ran.stdout, ran)
        self.assertIn("own:1:needle of the project", ran.stdout)
        self.assertNotIn("kernel/", ran.stdout)
        ran = self.in_mounts(harness.HELVE, "tool", "call", "Glob", '{"pattern":"**/version"}')
        self.assertNotIn("kernel/version", ran.stdout, ran)
        ran = self.in_mounts(harness.HELVE, "tool", "call", "LS", '{"path":"."}')
        self.assertNotIn("version", ran.stdout, ran)
        ran = self.in_mounts(harness.HELVE, "tool", "call", "Grep", '{"pattern":"Linux version","path":"kernel/version","output_mode":"content"}')
        self.assertIn("Linux version", ran.stdout, ran)  # named outright, it is read


class Special(Case):
    """What is never opened is shown for what it is."""

    def test_LS_shows_pipes_and_sockets(self):
        os.makedirs(os.path.join(self.project, "run"))
        os.mkfifo(os.path.join(self.project, "run", "pipe"))
        listener = socket.socket(socket.AF_UNIX)
        self.addCleanup(listener.close)
        listener.bind(os.path.join(self.project, "run", "socket"))
        listed = text_of(self.execute(use("LS", id="1", path="run"))["1"])
        self.assertIn("  pipe  (pipe)\n", listed)
        self.assertIn("  socket  (socket)\n", listed)


class Sketches(Case):
    """What a process finds out about files while nobody searches spares it opening them, and hides no change."""

    MANY, LENGTH = 300, 70_000  # longer than texts that are kept
    KEEPING = ("ext2/ext3", "xfs", "btrfs", "f2fs")

    def begin(self):
        """helve exec, which sees a kernel that writes changed pages soon: files need not be left alone for a minute then."""
        soon = os.path.join(self.top, "soon")
        with open(soon, "w", encoding="ascii") as file:
            file.write("10\n")
        script = 'for i in expire writeback; do mount --bind "$1" /proc/sys/vm/dirty_${i}_centisecs || exit; done; exec "$2" exec'
        command = [*mount_alone(self.home), "sh", "-c", script, "sh", soon, HELVE]
        return subprocess.Popen(command, cwd=self.project, env=self.env, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE)

    def grep(self, process, pattern):
        """The files that hold it, by one process, and how many times it read something."""
        reads = self.reads(process)
        process.stdin.write((json.dumps(use("Grep", id="1", pattern=pattern, path="many", output_mode="count", head_limit=0)) + "\n").encode())
        process.stdin.flush()
        result = json.loads(process.stdout.readline())
        self.assertNotIn("is_error", result)
        lines = (line.split(":")[0] for line in text_of(result).splitlines())
        return {line for line in lines if line.startswith("many/")}, self.reads(process) - reads

    def reads(self, process):
        """As the kernel counts them, which for helve only root may see: nothing is counted for others."""
        if os.geteuid():
            return 0
        with open(f"/proc/{process.pid}/io", encoding="ascii") as file:
            return next(int(line.split()[1]) for line in file if line.startswith("syscr"))

    def settle(self, process):
        """Until files that hold nothing of a pattern are opened no more, where that can be seen and comes to pass at all."""
        kind = subprocess.run(["stat", "-f", "-c", "%T", self.project], capture_output=True, text=True, check=True).stdout.strip()
        if os.geteuid() or kind not in self.KEEPING:
            time.sleep(1)
            return
        numbers = iter(range(1000))

        def spares():
            found, reads = self.grep(process, f"word_{next(numbers)}_that_is_nowhere")
            self.assertEqual(found, set())
            time.sleep(0.2)
            return reads < self.MANY / 2
        self.wait_until(spares)

    def change(self, name, old, new):
        """The same length, and the time it had before."""
        path = self.path(name)
        status = os.stat(path)
        with open(path, "r+b") as file:
            at = file.read().index(old)
            file.seek(at)
            file.write(new)
        os.utime(path, ns=(status.st_atime_ns, status.st_mtime_ns))

    def test_two_searches_and_changes_in_between(self):
        line = "some words of file %d that come again and again, FirstWord\n"
        for number in range(self.MANY):
            self.write(f"many/d{number % 7}/f{number}", (line % number) * (self.LENGTH // len(line)))
        time.sleep(3.1)  # directories that have just changed are not remembered
        process = self.begin()
        try:
            found, first = self.grep(process, "a_word_that_is_nowhere")
            self.assertEqual(found, set())
            self.assertTrue(first >= self.MANY or os.geteuid())
            self.settle(process)
            self.change("many/d1/f1", b"FirstWord", b"needle_in")
            self.write("many/d2/new", "a needle_in a new one\n")
            self.write("many/d3/other", "needle_in\n")
            os.replace(self.path("many/d3/other"), self.path("many/d3/f3"))
            os.unlink(self.path("many/d4/f4"))
            found, _ = self.grep(process, "needle_in")
            self.assertEqual(found, {"many/d1/f1", "many/d2/new", "many/d3/f3"})
            self.settle(process)
            self.change("many/d5/f5", b"FirstWord", b"needle_in")
            found, _ = self.grep(process, "needle_.n")
            self.assertEqual(found, {"many/d1/f1", "many/d2/new", "many/d3/f3", "many/d5/f5"})
            found, _ = self.grep(process, "file 4 that come")
            self.assertEqual(found, set())
        finally:
            process.communicate(timeout=600)


expose(globals())
if __name__ == "__main__":
    main()
