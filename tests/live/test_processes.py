"""Processes of the running program: background tasks, terminals, who owns what, and that nothing survives."""
import json
import os
import random
import resource
import subprocess
import time

from harness import HELVE, KEY, Ran, Skip, stop
from wires import Answer, call, text

OPEN = ("--permission-mode", "bypassPermissions")
BARE = ("--settings", '{"sandbox":{"enabled":false}}')


def marker():
    """A number of seconds that only processes of this test sleep for."""
    return f"{random.randrange(1000, 9000)}.{random.randrange(10**6, 10**7)}"


def alive(mark):
    """The processes that bear the mark in their arguments, other than this one."""
    found = []
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{pid}/cmdline", "rb") as file:
                if int(pid) != os.getpid() and mark.encode() in file.read():
                    found.append(int(pid))
        except OSError:
            pass
    return found


def come(mark, count):
    """Whether as many processes come to bear the mark: a busy machine takes its time to start them."""
    end = time.monotonic() + 60
    while len(alive(mark)) < count:
        if time.monotonic() > end:
            return False
        time.sleep(0.02)
    return True


def gone(mark, within=10):
    end = time.monotonic() + within
    while alive(mark) and time.monotonic() < end:
        time.sleep(0.02)
    return not alive(mark)


class Session:
    """`helve exec` that is spoken with, one call after another."""

    def __init__(self, case, *arguments, env=None, **options):
        self.process = case.start("exec", *OPEN, *arguments, env=env, stdin=subprocess.PIPE, **options)
        self.count = 0

    def call(self, tool, **given):
        self.count += 1
        line = json.dumps({"type": "tool_use", "id": f"call_{self.count}", "name": tool, "input": given})
        self.process.stdin.write(line.encode() + b"\n")
        self.process.stdin.flush()
        answer = self.process.stdout.readline()
        assert answer, f"no answer to {line}: {self.process.stderr.read().decode()}"
        block = json.loads(answer)
        content = block["content"]
        said = content if isinstance(content, str) else "".join(part.get("text", "") for part in content)
        return Said(said, block.get("is_error", False))

    def end(self):
        self.process.stdin.close()
        out, err = self.process.stdout.read().decode(), self.process.stderr.read().decode()
        ran = Ran(self.process.wait(60), out, err)
        assert "Sanitizer" not in err, ran
        return ran


class Said(str):
    def __new__(cls, words, is_error):
        made = super().__new__(cls, words)
        made.is_error = is_error
        return made

    def has(self, *parts):
        for part in parts:
            assert part in self, f"no {part!r} in {str(self)!r}"
        return self


# ---- background ----------------------------------------------------------------------------------------------------

def test_where_nobody_but_the_results_speaks_to_the_model_they_tell_what_ended(case):
    session = Session(case, *BARE)
    session.call("Bash", command="sleep 0.2; exit 3", run_in_background=True)
    session.call("Sleep", duration_ms=20000).has("Woken after", "<task_notification>", "bash_1", "exit code 3")
    assert session.call("Sleep", duration_ms=30).startswith("Slept")
    said = session.call("Bash", command="true", run_in_background=True)
    for _ in range(40):  # a busy machine lets the task end before the call's own answer, or later than the command
        if "<task_notification>" in said:
            break
        said = session.call("Bash", command="sleep 0.3; echo in the foreground").has("in the foreground")
    said.has("<task_notification>", "bash_2")
    session.process.stdin.write(b'{"tool_calls":[{"id":"chat","type":"function","function":{"name":"Bash","arguments":'
                                b'"{\\"command\\":\\"sleep 0.2\\",\\"run_in_background\\":true}"}},'
                                b'{"id":"late","type":"function","function":{"name":"Sleep","arguments":"{\\"duration_ms\\":20000}"}}]}\n')
    session.process.stdin.flush()
    assert json.loads(session.process.stdout.readline())["tool_call_id"] == "chat"
    said = json.loads(session.process.stdout.readline())
    assert said["role"] == "tool" and "Woken" in said["content"] and "Task bash_3" in said["content"], said
    session.end()


def test_a_background_command_gives_an_id_at_once_and_its_output_later(case):
    session = Session(case)
    started = time.monotonic()
    said = session.call("Bash", command="echo one; sleep 1; echo two >&2; exit 3", run_in_background=True)
    said.has("bash_1", "tool-results/bash_1.txt")
    end = session.call("TaskOutput", task_id="bash_1", block=True)
    assert time.monotonic() - started > 0.9
    end.has("failed", "exit code 3", "one\ntwo\n")
    assert not end.is_error
    session.call("TaskOutput", task_id="bash_1").has("no new output")
    file = said[said.index("/"):].strip()
    session.call("Read", file_path=file).has("one", "two")
    session.end()


def test_output_is_shown_once_and_waited_for(case):
    session = Session(case)
    session.call("Bash", command="echo first; until [ -e go ]; do sleep 0.05; done; sleep 1; echo second; sleep 60", run_in_background=True)
    session.call("BashOutput", bash_id="bash_1").has("first", "running")
    case.write("go", "")
    later = session.call("TaskOutput", task_id="bash_1", timeout=20000)
    assert "first\n" not in later.has("second\n")
    session.call("TaskOutput", task_id="bash_1", block=False).has("no new output")
    session.call("KillShell", shell_id="bash_1").has("stopped")
    session.end()


def test_stopping_reaches_whatever_left_the_group_and_ignores_term(case):
    mark = marker()
    session = Session(case, *BARE)
    session.call("Bash", run_in_background=True,
                 command=f"trap '' TERM; (setsid bash -c 'trap \"\" TERM; sleep {mark}' &) ; (sleep {mark} &); sleep {mark}")
    assert come(mark, 3), alive(mark)
    session.call("Sleep", duration_ms=500)
    session.call("TaskStop", task_id="bash_1").has("stopped")
    assert not alive(mark)
    session.call("TaskStop", task_id="bash_1").has("nothing to stop")
    session.end()


def test_what_became_a_daemon_is_asked_to_end_before_it_is_killed(case):
    closed, up = os.path.join(case.project, "closed"), os.path.join(case.project, "up")
    for settings in ((), BARE):
        session = Session(case, *settings)
        session.call("Bash", command="setsid bash -c '(trap \"echo asked >closed; exit\" TERM; touch up; "
                                     "while :; do sleep 0.05; done) & trap : TERM; wait; sleep 60' >/dev/null 2>&1 & "
                                     "until [ -e up ]; do sleep 0.05; done").has("bash_1")
        session.call("TaskStop", task_id="bash_1").has("stopped")
        session.end()
        assert os.path.exists(closed), settings
        os.unlink(closed)
        os.unlink(up)


def test_false_and_sandbox_are_taken(case):
    session = Session(case)
    session.call("Bash", command="echo fine", run_in_background=False, sandbox=True).has("fine")
    session.end()


def test_a_command_may_go_on_when_its_time_is_over(case):
    session = Session(case)
    session.call("Bash", command="echo early; until [ -e go ]; do sleep 0.05; done; echo late", timeout=3000,
                 background_on_timeout=True).has("early", "goes on in the background as bash_1")
    case.write("go", "")
    session.call("TaskOutput", task_id="bash_1", block=True).has("completed", "late")
    session.end()
    session = Session(case, env={"HELVE_BACKGROUND_ON_TIMEOUT": "1", "BASH_DEFAULT_TIMEOUT_MS": "300"})
    session.call("Bash", command="sleep 60").has("still runs after 300 ms")
    session.end()


def test_what_a_command_leaves_running_becomes_a_task(case):
    for settings in ((), BARE):
        mark = marker()
        session = Session(case, *settings)
        started = time.monotonic()
        session.call("Bash", command=f"(sleep 0.7; echo from behind; sleep {mark}) & echo done").has("done", "bash_1")
        assert time.monotonic() - started < 20
        session.call("TaskOutput", task_id="bash_1").has("from behind")
        assert alive(mark)
        session.call("TaskStop", task_id="bash_1")
        assert gone(mark)
        session.end()


def test_unknown_tasks_are_named_with_those_there_are(case):
    session = Session(case)
    assert session.call("TaskOutput", task_id="bash_9").has("no task", "None was started").is_error
    session.call("Bash", command="true", run_in_background=True)
    assert session.call("TaskStop", task_id="bash_9").has("bash_1").is_error
    session.end()


# ---- terminals and input ---------------------------------------------------------------------------------------------

def test_an_interpreter_in_a_terminal_is_talked_to(case):
    session = Session(case)
    session.call("Bash", command="python3 -q", tty=True).has(">>>", "waits for input", "bash_1")
    session.call("TaskInput", task_id="bash_1", text="print('a' * 3 + 'b')\n").has("aaab", "waits for input")
    session.call("TaskInput", task_id="bash_1", text="import time; time.sleep(50)", keys=["enter"], wait_ms=300)
    session.call("TaskInput", task_id="bash_1", keys=["ctrl-c"]).has("KeyboardInterrupt")
    session.call("TaskInput", task_id="bash_1", keys="ctrl-d").has("after")
    session.end()


def test_a_prompt_is_recognised_and_answered(case):
    session = Session(case)
    session.call("Bash", command="read -p 'Sure? [y/n] ' a; echo \"you said $a\"", tty=True).has("Sure?", "waits for input")
    session.call("TaskOutput", task_id="bash_1", block=False).has("waits for input")
    session.call("TaskInput", task_id="bash_1", text="y\n").has("you said y", "completed")
    session.end()


def test_a_terminal_command_that_ends_is_an_ordinary_result(case):
    session = Session(case)
    said = session.call("Bash", command="test -t 1 && printf '\\033[31mred\\033[0m\\n'; exit 4", tty=True)
    assert said.has("exit code 4", "red").is_error
    assert "\x1b" not in said
    session.end()


def test_stdin_is_empty_unless_it_is_kept_open(case):
    session = Session(case)
    session.call("Bash", command="cat; echo end").has("end")
    session.call("Bash", command="cat; echo end", run_in_background=True)
    session.call("TaskOutput", task_id="bash_1", block=True).has("completed", "end")
    session.call("Bash", command="cat; echo end", run_in_background=True, stdin="open")
    session.call("TaskInput", task_id="bash_2", text="typed\n").has("typed", "waits for input")
    session.call("TaskInput", task_id="bash_2", keys=["ctrl-d"]).has("end")
    assert session.call("TaskInput", task_id="bash_1", text="x").has("has ended").is_error
    assert session.call("TaskInput", task_id="bash_2", keys=["hyper-q"]).has("no key").is_error
    session.end()


# ---- Monitor and Sleep -------------------------------------------------------------------------------------------------

def test_nobody_waits_for_an_editor_that_cannot_be_seen(case):
    for words in (["init", "-q"], ["config", "user.name", "A"], ["config", "user.email", "a@b.c"], ["config", "core.editor", "sleep 60 #"],
                  ["commit", "-q", "--allow-empty", "-m", "first"], ["commit", "-q", "--allow-empty", "-m", "second"]):
        subprocess.run(["git", *words], cwd=case.project, check=True)
    session = Session(case)
    session.call("Bash", command="git commit --allow-empty").has("no editor can be shown here", "-m, -F or --no-edit")
    session.call("Bash", command="git rebase -i HEAD~1").has("no editor can be shown here", "GIT_SEQUENCE_EDITOR")
    session.call("Bash", command="sh -c '$EDITOR x' || sh -c \"$VISUAL x\"").has("no editor can be shown here")
    # A text that git has prepared is kept, and an editor that the command chooses is the one.
    subprocess.run(["git", "config", "--unset", "core.editor"], cwd=case.project, check=True)
    session.call("Bash", command="git commit --amend --allow-empty -q && git log -1 --format=%s").has("second")
    session.call("Bash", command="EDITOR='sed -i s/second/third/' git commit --amend --allow-empty -q && git log -1 --format=%s").has("third")
    session.call("Bash", command="git -c core.editor='sed -i s/third/fourth/' commit --amend --allow-empty -q && git log -1 --format=%s").has("fourth")
    session.end()


def test_a_command_does_not_find_itself_among_the_processes(case):
    session = Session(case)
    session.call("Bash", command="pkill -f no_such_program; echo alive").has("alive")
    said = session.call("Bash", command="cd . && pgrep -af no_such_program; echo \"none: $? $0 $#\"").has("none: 1 bash 0")
    assert "no_such_program" not in said, said
    session.call("Bash", command="cd .; env | grep -c no_such_program; true").has("0")
    session.end()


def test_a_monitor_tells_of_lines_and_wakes_a_sleeper(case):
    # In one piece: bash's own printf writes line by line, and a sleeper whom the first line woke may have ended the session
    # before the next one comes.
    case.write("lines", "line 1\nline 2\nline 3\n")
    session = Session(case, "--events")
    session.process.stdin.write((json.dumps({"type": "tool_use", "id": "m", "name": "Monitor", "input": {
        "command": "sleep 0.5; cat lines; sleep 60", "pattern": "line [23]"}}) + "\n" + json.dumps(
            {"type": "tool_use", "id": "s", "name": "Sleep", "input": {"duration_ms": 50000}}) + "\n").encode())
    ran = session.end()
    events = [json.loads(line) for line in ran.out.splitlines()]
    notes = [event for event in events if event.get("type") == "task" and event["name"] == "note"]
    told = "".join(note["text"] for note in notes)
    assert 1 <= len(notes) <= 2 and "line 2\n" in told and "line 3\n" in told, notes
    assert "line 1" not in told
    assert any("Woken" in json.dumps(event) for event in events), ran


def test_a_monitor_watches_a_file(case):
    path = case.write("log.txt", "old error\n")
    session = Session(case)
    session.call("Monitor", file=path, pattern="error").has("monitor_1")
    with open(path, "a", encoding="utf-8") as file:
        file.write("new ERROR\nnew error\n")
    session.call("Sleep", duration_ms=30000).has("Woken")
    said = session.call("TaskOutput", task_id="monitor_1")
    assert "old" not in said.has("new error") and "ERROR" not in said
    os.unlink(path)
    session.call("TaskOutput", task_id="monitor_1", block=True).has("the file was removed")
    assert session.call("Monitor", command="true", file=path).has("either").is_error
    session.end()


def test_what_has_no_lines_is_not_watched(case):
    session = Session(case, *BARE)
    assert session.call("Monitor", file=case.project, pattern="x").has("not a file").is_error
    session.end()


def test_a_flood_of_lines_makes_few_notes(case):
    session = Session(case, "--events")
    session.process.stdin.write(b"".join(json.dumps(each).encode() + b"\n" for each in (
        {"type": "tool_use", "id": "m", "name": "Monitor", "input": {"command": "timeout 2 yes; echo over"}},
        {"type": "tool_use", "id": "t", "name": "TaskOutput", "input": {"task_id": "monitor_1", "block": True, "timeout": 40000}})))
    ran = session.end()
    notes = [line for line in ran.out.splitlines() if '"type":"task"' in line and '"name":"note"' in line]
    assert 1 <= len(notes) <= 10, len(notes)


# ---- bounds ----------------------------------------------------------------------------------------------------------

def test_output_is_bounded_on_disk_and_in_the_result(case):
    session = Session(case, env={"HELVE_MAX_OUTPUT_BYTES": "3000000"})
    said = session.call("Bash", command="head -c 10000000000 /dev/zero | tr '\\0' x")
    assert said.has("wrote too much").is_error and len(said) < 100000
    session.call("Bash", command="head -c 10000000000 /dev/zero | tr '\\0' y", run_in_background=True)
    session.call("TaskOutput", task_id="bash_1", block=True, timeout=60000).has("failed", "it wrote too much")
    folder = os.path.join(case.home, "helve")
    sizes = [os.path.getsize(os.path.join(top, name)) for top, _, names in os.walk(folder) for name in names
             if not name.endswith(".new")]  # of what `helve ps` reads: it is replaced at any time
    assert max(sizes) == 3000000, sorted(sizes)
    with open(f"/proc/{session.process.pid}/status", encoding="ascii") as file:
        peak = next(int(line.split()[1]) for line in file if line.startswith("VmHWM"))
    assert peak < 700 << 10, peak  # kB, with room for a sanitizer's own memory
    session.end()


def test_no_file_is_named_that_a_full_disk_took_away(case):
    small = {"preexec_fn": lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (200000, 200000))}
    session = Session(case, *BARE, **small)
    flood = "head -c 3000000 /dev/zero | tr '\\0' x; echo; echo last"
    session.call("Bash", command=flood, run_in_background=True).has("bash_1.txt")
    said = session.call("TaskOutput", task_id="bash_1", block=True)
    said.has("last\n", " bytes before this are lost", "could not be stored (File too large): only its beginning and end were kept")
    assert "bash_1.txt" not in said, said
    session.call("Bash", command=flood + "; sleep 0.3", run_in_background=True)
    said = session.call("Sleep", duration_ms=60000)
    assert "bash_2.txt" not in said.has("completed", "could not be stored (File too large)"), said
    session.call("Bash", command="echo little", run_in_background=True)
    said = session.call("TaskOutput", task_id="bash_3", block=True)
    assert "could not" not in said.has("little\n"), said
    session.end()


def test_what_stands_beside_long_output_is_not_said_to_be_cut(case):
    session = Session(case)
    said = session.call("Bash", command="seq 100000; exit 3")
    assert said.is_error and said.startswith("Command failed (exit code 3)\n1\n2\n"), said[:300]
    assert said.count("<truncated ") == 1 and "\n100000\n" in said, said[-600:]
    stored = said.split('file="')[1].split('"')[0]
    with open(stored, encoding="ascii") as file:
        assert file.read() == "".join(f"{number}\n" for number in range(1, 100001))
    session.end()


# ---- owning ----------------------------------------------------------------------------------------------------------

LEAVERS = ("sleep {0}", "setsid sleep {0} & sleep {0}", "(setsid bash -c 'sleep {0}; :' &) ; exit 0",
           "python3 -c \"import os,time\nif os.fork(): os._exit(0)\nos.setsid()\nif os.fork(): os._exit(0)\ntime.sleep({0})\"")


def leave_all(session, mark):
    for command in LEAVERS:
        session.call("Bash", command=command.format(mark), run_in_background=True)
    session.call("Bash", command=f"read -p 'wait {mark} ' x", tty=True)
    session.call("Bash", command=f"bash -c 'trap \"\" HUP TERM INT; sleep {mark}; read x'", tty=True, run_in_background=True)
    session.call("Bash", command=f"(setsid sleep {mark} &)")
    assert come(mark, 5), alive(mark)


def test_nothing_survives_the_end_of_the_session(case):
    for settings in ((), BARE):
        mark = marker()
        session = Session(case, *settings)
        leave_all(session, mark)
        session.end()
        assert not alive(mark), alive(mark)


def test_nothing_survives_kill_9_of_helve(case):
    for settings in ((), BARE):
        mark = marker()
        session = Session(case, *settings)
        leave_all(session, mark)
        session.process.kill()
        session.process.wait()
        assert gone(mark), alive(mark)


def descendants(root):
    parents = {}
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{pid}/stat", encoding="utf-8", errors="replace") as file:
                parents[int(pid)] = int(file.read().rsplit(")", 1)[1].split()[1])
        except OSError:
            pass
    found = {root}
    while more := {pid for pid, parent in parents.items() if parent in found} - found:
        found |= more
    return found - {root}


def test_a_sandbox_that_waits_for_its_command_dies_with_helve(case):
    session = Session(case)
    session.call("Bash", command="true")
    end = time.monotonic() + 60
    while len(descendants(session.process.pid)) < 4 and time.monotonic() < end:
        time.sleep(0.02)
    waiting = descendants(session.process.pid)
    if not waiting:
        session.end()
        raise Skip("there is no full sandbox here")
    session.process.kill()
    session.process.wait()
    end = time.monotonic() + 30
    while any(os.path.exists(f"/proc/{pid}") for pid in waiting) and time.monotonic() < end:
        time.sleep(0.02)
    assert not [pid for pid in waiting if os.path.exists(f"/proc/{pid}")]


def has_groups():
    """Whether helve can make control groups (version 2) for its commands here."""
    with open("/proc/self/cgroup", encoding="utf-8") as file:
        own = [line[3:].strip() for line in file if line.startswith("0::/")]
    for mount in ("/sys/fs/cgroup", "/sys/fs/cgroup/unified"):
        for group in own if os.path.exists(mount + "/cgroup.procs") else ():
            if os.access(mount + group, os.W_OK):
                return True
    return False


def test_what_left_its_group_dies_though_its_guard_and_helve_are_killed_at_once(case):
    if not has_groups():
        raise Skip("no control groups can be made here")
    mark = marker()
    session = Session(case)
    if "Sandboxed" not in session.call("Bash", command="echo ${HELVE_SANDBOX:+Sandboxed}"):
        session.end()
        raise Skip("without a sandbox a session has no sweeper")
    command = f"setsid sleep {mark} & sleep 0.5; kill -9 {session.process.pid} $PPID; sleep {mark}"
    case.write("both.sh", command)
    session.process.stdin.write((json.dumps({"type": "tool_use", "id": "x", "name": "Bash", "input": {
        "command": ". ./both.sh", "sandbox": False}}) + "\n").encode())
    session.process.stdin.flush()
    assert session.process.wait(60) == -9
    assert gone(mark, 20), alive(mark)


def test_what_a_command_left_dies_though_it_kills_its_guard(case):
    mark = marker()
    session = Session(case, *BARE)
    session.call("Bash", command=f"setsid sleep {mark} & sleep 0.3; kill -9 $PPID; sleep {mark}").has("SIGKILL")
    assert gone(mark), alive(mark)
    session.end()


def test_a_cancelled_turn_ends_its_command_at_once(case):
    mark = marker()
    server = case.serve(Answer([call("Bash", {"command": f"(setsid sleep {mark} &); sleep {mark}"})]), key=KEY)
    process = case.start("-p", "go", *OPEN, "--model", "anthropic:claude-sonnet-4-5", server=server)
    assert come(mark, 2), alive(mark)
    process.terminate()
    assert process.wait(30) == 143
    assert not alive(mark), alive(mark)


# ---- between the messages ------------------------------------------------------------------------------------------------

def lines(ran, subtype):
    return [event for event in ran.events if event["type"] == "system" and event.get("subtype") == subtype]


def test_the_model_is_told_with_the_next_results(case):
    server = case.serve(Answer([call("Bash", {"command": "sleep 0.7; exit 7", "run_in_background": True})]),
                        Answer([call("Bash", {"command": "sleep 3"})]), Answer([text("done")]), key=KEY)
    ran = case.ask(server, "go", *OPEN, "--output-format", "stream-json", "--verbose")
    assert ran.code == 0, ran
    told = server.requests[2].text()
    assert "<task_notification>" in told and "exit code 7" in told, told
    started, ended = lines(ran, "task_started"), lines(ran, "task_notification")
    assert started[0]["task_id"] == "bash_1" and started[0]["tool_use_id"], started
    assert ended[0]["status"] == "failed" and ended[0]["output_file"].endswith("bash_1.txt"), ended
    assert [len(event["tasks"]) for event in lines(ran, "background_tasks_changed")] == [1, 0]


def test_a_turn_does_not_end_before_news_are_told(case):
    server = case.serve(Answer([call("Bash", {"command": "sleep 0.3; exit 7", "run_in_background": True})]),
                        Answer([text("It is slow.")], wait=2), Answer([text("It failed.")]), key=KEY)
    ran = case.ask(server, "go", *OPEN)
    assert ran.out == "It failed.\n", ran
    assert "exit code 7" in server.requests[2].text()


def test_background_commands_end_soon_after_the_result(case):
    mark = marker()
    server = case.serve(Answer([call("Bash", {"command": f"sleep {mark}", "run_in_background": True})]),
                        Answer([text("started")]), key=KEY)
    started = time.monotonic()
    ran = case.ask(server, "go", *OPEN, "--output-format", "json")
    assert ran.result["result"] == "started", ran
    assert not alive(mark) and time.monotonic() - started < 60


def test_between_two_messages_the_model_is_woken_and_tasks_can_be_stopped(case):
    server = case.serve(Answer([call("Bash", {"command": "sleep 1.5; exit 5", "run_in_background": True}),
                                call("Bash", {"command": "sleep 600", "run_in_background": True})]),
                        Answer([text("both run")]), Answer([text("one failed")]), Answer([text("one stopped")]), key=KEY)
    process = case.start("-p", "--input-format", "stream-json", "--output-format", "stream-json", "--verbose", *OPEN, "--model",
                         "anthropic:claude-sonnet-4-5", server=server, stdin=subprocess.PIPE)

    def until(kind):
        for raw in process.stdout:
            event = json.loads(raw)
            seen.append(event)
            if event["type"] == kind or event.get("subtype") == kind:
                return event
        raise AssertionError(f"no {kind}: {seen} {process.stderr.read()}")

    def tell(value):
        process.stdin.write(json.dumps(value).encode() + b"\n")
        process.stdin.flush()

    seen = []
    try:
        tell({"type": "user", "message": {"role": "user", "content": "go"}})
        assert until("result")["result"] == "both run"
        assert until("task_notification")["task_id"] == "bash_1"
        assert until("user")["isSynthetic"] is True
        assert until("result")["result"] == "one failed"
        tell({"type": "control_request", "request_id": "r", "request": {"subtype": "stop_task", "task_id": "bash_2"}})
        assert until("control_response")["response"]["subtype"] == "success"
        assert until("result")["result"] == "one stopped"
        tell({"type": "control_request", "request_id": "q", "request": {"subtype": "stop_task", "task_id": "bash_7"}})
        assert until("control_response")["response"]["subtype"] == "error"
        process.stdin.close()
        assert process.wait(60) == 0
    finally:
        stop(process)


# ---- hooks -----------------------------------------------------------------------------------------------------------

def test_hooks_are_told_of_tasks_and_of_their_waiting(case):
    log = os.path.join(case.root, "hooks")
    events = ("TaskCreated", "TaskCompleted", "Notification")
    hooks = {event: [{"hooks": [{"type": "command", "command": f"tr -d '\\n' >> {log}; echo >> {log}"}]}] for event in events}
    session = Session(case, "--settings", json.dumps({"hooks": hooks}))

    def told(event):
        lines_of_hooks = open(log, encoding="utf-8").read().splitlines() if os.path.exists(log) else []
        return [each for each in map(json.loads, filter(None, lines_of_hooks)) if each["hook_event_name"] == event]

    def wait_for(event):
        end = time.monotonic() + 60
        while not told(event) and time.monotonic() < end:
            time.sleep(0.05)
        return told(event)[0]

    session.call("Bash", command="read -p 'Name? ' x; exit 3", tty=True, run_in_background=True)
    created = wait_for("TaskCreated")
    assert created["task_id"] == "bash_1" and created["task_type"] == "bash" and "read -p" in created["task_subject"], created
    waiting = wait_for("Notification")
    assert waiting["notification_type"] == "task_waiting" and "waits for input" in waiting["message"], waiting
    session.call("TaskInput", task_id="bash_1", text="me\n")
    done = wait_for("TaskCompleted")
    assert done["status"] == "failed" and done["exit_code"] == 3 and done["output_file"].endswith("bash_1.txt"), done
    session.end()


# ---- helve ps ------------------------------------------------------------------------------------------------------------

def test_ps_shows_what_is_alive_and_forgets_what_is_not(case):
    mark = marker()
    assert "No session" in case.helve("ps").out
    session = Session(case)
    session.call("Bash", command=f"sleep {mark}", run_in_background=True)
    session.call("Bash", command="read x", tty=True)
    # The guard of a task tells of its first process when the machine lets it run: ps is told then.
    for _ in range(200):
        shown = json.loads(case.helve("ps", "--json").out)["sessions"]
        if {"bash_1", "bash_2"} <= {each.get("task_id") for one in shown for each in one["processes"]}:
            break
        time.sleep(0.05)
    assert {"bash_1", "bash_2"} <= {each.get("task_id") for each in shown[0]["processes"]}, shown
    assert len(shown) == 1 and shown[0]["pid"] == session.process.pid and shown[0]["door"] == "exec", shown
    assert [task["task_id"] for task in shown[0]["tasks"]] == ["bash_1", "bash_2"]
    assert any(mark in each["command"] and each.get("task_id") == "bash_1" for each in shown[0]["processes"]), shown
    people = case.helve("ps").out
    assert f"bash_1: sleep {mark}" in people and case.project in people, people
    session.process.kill()
    session.process.wait()
    # The guards are told of the death by the kernel, and end what they guard: until they have, ps rightly shows it.
    for _ in range(200):
        if not json.loads(case.helve("ps", "--json").out)["left_over"]:
            break
        time.sleep(0.05)
    assert "No session" in case.helve("ps").out.split("\n", 1)[0]
    assert os.listdir(os.path.join(case.home, "helve", "run")) == []


def test_ps_shows_as_left_over_what_a_guard_without_helve_has_to_end(case):
    for name, shown in (("hv-guard", False), ("hv-guard-alone", True)):
        mark = marker()
        guard = subprocess.Popen(["bash", "-c", f"printf {name} > /proc/self/comm; sleep {mark}; :"], start_new_session=True)
        try:
            while not any(pid != guard.pid for pid in alive(mark)):
                time.sleep(0.02)
            said, listed = case.helve("ps").out, json.loads(case.helve("ps", "--json").out)["left_over"]
            assert (mark in said) == shown and any(mark in each["command"] for each in listed) == shown, (name, said)
        finally:
            stop(guard)
            guard.wait()


# ---- secrets ---------------------------------------------------------------------------------------------------------------

def as_another(case):
    """Root may read everything: then the test runs as somebody else."""
    if os.geteuid() != 0:
        return {}
    for top, directories, _ in os.walk(case.root):
        for name in [".", *directories]:
            os.chown(os.path.join(top, name), 65534, 65534)
    os.chmod(case.root, 0o755)
    return {"user": 65534, "group": 65534, "extra_groups": []}


def test_commands_cannot_read_keys_of_helve(case):
    secret = "sk-very-secret-0123456789"
    case.write("probe.sh", "tr '\\0' '\\n' < /proc/$1/environ\nfor p in /proc/[0-9]*; do\n  tr '\\0' '\\n' 2>&1 < $p/environ\n"
               "done | grep ANTHROPIC_API_KEY\nenv | grep ANTHROPIC\n")
    process = subprocess.Popen([HELVE, "exec", *OPEN, *BARE], cwd=case.project, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                               env=case.environment(extra={"ANTHROPIC_API_KEY": secret}), start_new_session=True, **as_another(case))
    line = json.dumps({"type": "tool_use", "id": "1", "name": "Bash", "input": {"command": f"sh probe.sh {process.pid} 2>&1"}})
    out, _ = process.communicate(line.encode() + b"\n", 60)
    assert secret.encode() not in out and b"Permission denied" in out, out
