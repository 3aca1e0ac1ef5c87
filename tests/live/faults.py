#!/usr/bin/env python3
"""Stops a program at one of its system calls that change files, whichever of its threads makes it: to kill it there, or to
make that call fail, or to send it signals from there on.

  faults.py NUMBER REASON FILE PROGRAM [ARGUMENT …]

NUMBER counts those calls from 1; REASON is an errno, 0 to kill, or below 0 a signal that comes at that call and at each of the
thirty after it, as from somebody impatient. What became of it goes into FILE, as JSON: "code" (as of
subprocess) and "reached", whether there was such a call; or "refused", why it cannot be done here. For Linux on x86-64. A
process of its own, since a tracer is one thread and waits for all of its children.
"""
import ctypes
import json
import os
import signal
import struct
import sys

# Numbers of x86-64. A call that only reads changes nothing: openat counts when it may write, write when it is to a file.
CALLS = {"pwrite64": 18, "pwritev": 296, "flock": 73, "fsync": 74, "fdatasync": 75, "truncate": 76, "ftruncate": 77, "rename": 82,
         "mkdir": 83, "rmdir": 84, "creat": 85, "link": 86, "unlink": 87, "symlink": 88, "chmod": 90, "fchmod": 91, "fchown": 93,
         "fsetxattr": 190, "mkdirat": 258, "fchownat": 260, "unlinkat": 263, "renameat": 264, "linkat": 265, "symlinkat": 266,
         "fchmodat": 268, "utimensat": 280, "fallocate": 285, "renameat2": 316, "copy_file_range": 326}
OPENAT, OPEN, WRITE, WRITEV = 257, 2, 1, 20
MAY_WRITE = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC

TRACEME, CONT, GETREGS, SETREGS, SETOPTIONS = 0, 7, 12, 13, 0x4200
OPTIONS = 0x2 | 0x4 | 0x8 | 0x80 | 0x100000  # fork, vfork, clone, seccomp; and whatever happens here ends them
SECCOMP_STOP = signal.SIGTRAP | 7 << 8
SET_SECCOMP, SET_NO_NEW_PRIVS = 22, 38
TRACE, ALLOW = 0x7ff00000, 0x7fff0000
STORM = 30
REGISTERS, RAX, RDI, ORIG_RAX = 27 * 8, 10, 14, 15

library = ctypes.CDLL(None, use_errno=True)
library.ptrace.argtypes = [ctypes.c_long, ctypes.c_long, ctypes.c_void_p, ctypes.c_void_p]
library.ptrace.restype = ctypes.c_long


def program():
    """The filter: a stop (TRACE) for each of the calls above."""
    def word(offset):
        return (0x20, 0, 0, offset)

    def same(value, yes, no):
        return (0x15, yes, no, value)

    rows = [word(0)]
    for number in CALLS.values():
        rows += [same(number, 0, 1), (6, 0, 0, TRACE)]
    for number, place in ((OPENAT, 2), (OPEN, 1)):
        rows += [same(number, 0, 4), word(16 + 8 * place), (0x45, 0, 1, MAY_WRITE), (6, 0, 0, TRACE), (6, 0, 0, ALLOW)]
    for number in (WRITE, WRITEV):
        rows += [same(number, 0, 4), word(16), (0x35, 0, 1, 3), (6, 0, 0, TRACE), (6, 0, 0, ALLOW)]
    rows.append((6, 0, 0, ALLOW))
    return b"".join(struct.pack("<HBBI", *row) for row in rows)


FILTER = ctypes.create_string_buffer(program())
HEADER = ctypes.create_string_buffer(struct.pack("<HxxxxxxQ", (len(FILTER) - 1) // 8, ctypes.addressof(FILTER)))


def prepare():
    """In the child, before the program starts: it stops when it begins (the parent then says for what else)."""
    if library.ptrace(TRACEME, 0, None, None) or library.prctl(SET_NO_NEW_PRIVS, 1, 0, 0, 0):
        os._exit(99)
    os.kill(os.getpid(), signal.SIGSTOP)
    if library.prctl(SET_SECCOMP, 2, HEADER, 0, 0):
        os._exit(99)


def registers_of(thread):
    registers = ctypes.create_string_buffer(REGISTERS)
    library.ptrace(GETREGS, thread, None, registers)
    return list(struct.unpack("<27q", registers.raw))


def is_of_file(thread):
    """Whether a write goes to a file, not to a pipe, or to what wakes up another thread."""
    registers = registers_of(thread)
    if registers[ORIG_RAX] not in (WRITE, WRITEV):
        return True
    try:
        return os.readlink("/proc/%d/fd/%d" % (thread, registers[RDI])).startswith("/")
    except OSError:
        return False


def make_fail(thread, reason):
    """The call at whose door the thread stands is not made, and fails with reason."""
    registers = registers_of(thread)
    registers[ORIG_RAX], registers[RAX] = -1, -reason
    library.ptrace(SETREGS, thread, None, ctypes.create_string_buffer(struct.pack("<27q", *registers), REGISTERS))


def trace(process, number, reason):
    """Lead the program to its end; its wait status, and whether it came as far as that call."""
    seen, reached = 0, False
    while True:
        thread, status = os.waitpid(-1, 0x40000000)  # all threads
        if not os.WIFSTOPPED(status):
            if thread == process:
                return status, reached
            continue
        if status >> 8 == SECCOMP_STOP and is_of_file(thread):
            seen += 1
            reached |= seen == number
            if reason < 0 and number <= seen <= number + STORM:
                os.kill(process, -reason)
            elif seen == number:
                if not reason:
                    os.kill(process, signal.SIGKILL)
                    continue
                make_fail(thread, reason)
        heard = os.WSTOPSIG(status)
        library.ptrace(CONT, thread, None, None if heard in (signal.SIGTRAP, signal.SIGSTOP) else heard)


def main():
    number, reason, file, *arguments = sys.argv[1:]
    answer = {"refused": "only Linux on x86-64 is known here"}
    if os.uname()[4] == "x86_64":
        process = os.fork()
        if not process:
            prepare()
            os.execv(arguments[0], arguments)
        os.waitpid(process, 0)
        if library.ptrace(SETOPTIONS, process, None, OPTIONS):
            os.kill(process, signal.SIGKILL)
            answer = {"refused": os.strerror(ctypes.get_errno())}
        else:
            library.ptrace(CONT, process, None, None)
            status, reached = trace(process, int(number), int(reason))
            answer = {"code": os.waitstatus_to_exitcode(status), "reached": reached}
    with open(file, "w") as out:
        json.dump(answer, out)


if __name__ == "__main__":
    main()
