"""What holds where a machine does not let a full sandbox be made: the level is said, and nothing runs silently open.

A container's system-call filter is put over helve itself, so that each level can be had on any machine.
"""
import ctypes
import json
import os
import shutil
import struct
import subprocess

from harness import HELVE, Ran
from test_escapes import need_x86
from test_sandbox import calls_of, need_full, settings

ALLOW, EPERM, ENOSYS = 0x7FFF0000, 0x00050001, 0x00050026
NAMESPACES = 0x7E020000 | 0x02000000
CLONE, UNSHARE, CLONE3, LANDLOCK, MOUNT, NO_NEW_PRIVS, SET_SECCOMP = 56, 272, 435, 444, 165, 38, 22


def refuse(numbers, namespaces):
    """A filter as containers have it: these calls, and new namespaces (`namespaces`), are refused."""
    program = [(0x20, 0, 0, 0)]  # the number of the call
    for number, action in numbers.items():
        program += [(0x15, 0, 1, number), (0x06, 0, 0, action)]
    if namespaces:
        program += [(0x15, 0, 3, CLONE), (0x20, 0, 0, 16), (0x45, 0, 1, NAMESPACES), (0x06, 0, 0, EPERM)]
    program.append((0x06, 0, 0, ALLOW))
    code = b"".join(struct.pack("HBBI", *each) for each in program)
    libc = ctypes.CDLL(None, use_errno=True)

    def apply():
        buffer = ctypes.create_string_buffer(code)
        what = ctypes.create_string_buffer(struct.pack("HxxxxxxP", len(program), ctypes.addressof(buffer)))
        if libc.prctl(NO_NEW_PRIVS, 1, 0, 0, 0) or libc.prctl(SET_SECCOMP, 2, what, 0, 0):
            raise OSError(ctypes.get_errno(), "no filter")

    return apply


NO_NAMESPACES = refuse({UNSHARE: EPERM, CLONE3: ENOSYS}, True)
NO_MOUNTS = refuse({MOUNT: EPERM}, False)
NOTHING = refuse({UNSHARE: EPERM, CLONE3: ENOSYS, LANDLOCK: ENOSYS}, True)


def helve(case, filtered, *arguments, stdin=""):
    ran = subprocess.run([HELVE, *arguments], input=stdin.encode(), capture_output=True, cwd=case.project, timeout=600, check=False,
                         env=case.environment(extra={"IS_SANDBOX": "1"}), preexec_fn=filtered)  # pylint: disable=subprocess-popen-preexec-fn
    return Ran(ran.returncode, ran.stdout.decode(), ran.stderr.decode())


def doctor(case, filtered):
    ran = helve(case, filtered, "doctor", "--offline", "--json")
    found = [json.loads(line) for line in ran.out.splitlines() if '"sandbox"' in line]
    assert len(found) == 1, ran
    return found[0]["message"]


def run(case, filtered, *commands, mode="default"):
    """Texts of the results, and what people were told."""
    ran = helve(case, filtered, "exec", "--events", "--permission-mode", mode, stdin=calls_of(commands))
    events = [json.loads(line) for line in ran.out.splitlines()]
    results = [event for event in events if "tool_use_id" in json.dumps(event) and event.get("type") in ("tool_result", "result")]
    told = [event["text"] for event in events if event.get("type") == "notice" and event["text"].startswith("sandbox:")]
    assert len(results) == len(commands), ran
    return [json.dumps(result) for result in results], told


def plain(case, **sandbox):
    """Settings without any rule."""
    settings(case, **sandbox)
    path = os.path.join(case.home, "helve", "settings.json")
    with open(path, "w", encoding="utf-8") as file:
        json.dump({"sandbox": sandbox}, file)


def landlock(case, said):
    """Whether the level below is Landlock's: what it says must be one of the two."""
    assert said.startswith(("Landlock only", "none")), said
    return said.startswith("Landlock only")


def test_without_namespaces_it_says_so_and_asks(case):
    need_x86(case)
    for filtered in (NO_NAMESPACES, NO_MOUNTS):
        said = doctor(case, filtered)
        confined = landlock(case, said)
        assert "bwrap" in said or "namespace" in said, said
        plain(case, autoAllowBashIfSandboxed=True)
        results, told = run(case, filtered, "touch made", "touch made again")
        assert all("Permission" in text for text in results), results
        assert not os.path.exists(os.path.join(case.project, "made"))
        assert len(told) == 1 and ("Landlock" in told[0]) == confined, told
        outside = os.path.join(case.root, "outside")
        results, _ = run(case, filtered, f"echo evil > {outside}", mode="bypassPermissions")
        assert os.path.exists(outside) != confined, results
        if os.path.exists(outside):
            os.unlink(outside)


def test_where_nothing_works_it_says_so_and_asks(case):
    need_x86(case)
    said = doctor(case, NOTHING)
    assert said.startswith("none: commands run unconfined") and "asked about" in said, said
    plain(case, autoAllowBashIfSandboxed=True)
    results, told = run(case, NOTHING, "touch made", "ls")
    assert "Permission" in results[0] and "Permission" not in results[1], results
    assert not os.path.exists(os.path.join(case.project, "made")) and len(told) == 1, told


def test_who_demands_a_sandbox_gets_no_command_without(case):
    need_x86(case)
    plain(case, failIfUnavailable=True)
    for filtered in (NO_NAMESPACES, NOTHING):
        results, _ = run(case, filtered, "echo ran > made", mode="bypassPermissions")
        assert "failIfUnavailable" in results[0] and not os.path.exists(os.path.join(case.project, "made")), results


def test_with_everything_there_nothing_is_told(case):
    need_full(case)
    plain(case)
    results, told = run(case, None, "ls; cat nothing")
    assert not told and "No such file" in results[0], (results, told)


def test_at_the_root_folder_it_says_where_bubblewrap_lies(case):
    if not shutil.which("bwrap"):
        return
    told = subprocess.run([HELVE, "doctor"], capture_output=True, text=True, cwd="/", timeout=600, check=False, env=case.environment())
    assert "bubblewrap (bwrap) lies inside the workspace" in told.stdout, told.stdout
