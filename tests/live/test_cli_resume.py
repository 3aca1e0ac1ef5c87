"""A session that was killed or interrupted goes on: whatever was lost, the next request is one that the API takes."""
import functools
import os
import signal
import time

from harness import MODELS, stop
from wires import Answer, call, text, thinking

WIRES = ("anthropic", "openai-chat", "openai-responses")


def on(*wires):
    """Make one test a wire of a function of (case, wire)."""
    def spread(function):
        for wire in wires:
            name = f"{function.__name__}_{wire.replace('-', '_')}"
            globals()["test_" + name] = functools.partial(function, wire=wire)
        return function
    return spread


def clean(server):
    assert not server.faults, "\n".join(server.faults)


def wait_until(holds, seconds=60):
    end = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < end, "nothing happened"
        time.sleep(0.01)


def begin(case, server, wire, *arguments):
    return case.start("-p", "go", "--model", f"{wire}:{MODELS[wire]}", "--allowed-tools", "Bash", *arguments, server=server)


def go_on(case, server, wire, words="what now?"):
    ran = case.ask(server, words, "--continue", wire=wire)
    assert ran.code == 0, ran
    clean(server)
    return server.requests[-1].text()


def calls_of(case):
    """Three calls: one that ends, one that does not, one that has not begun to matter."""
    return [text("I run these."), call("Bash", {"command": f"echo once >> {case.project}/count"}),
            call("Bash", {"command": f"touch {case.project}/started; sleep 100"}), call("LS", {"path": case.project})]


def under_way(case):
    """The first call is done and the second runs: they run side by side."""
    count = case.project + "/count"
    return os.path.exists(case.project + "/started") and os.path.exists(count) and os.path.getsize(count) > 0


@on(*WIRES)
def killed_in_the_middle_of_calls(case, wire):
    server = case.serve(Answer(calls_of(case)), Answer([text("I see.")]))
    process = begin(case, server, wire)
    wait_until(lambda: under_way(case))
    stop(process)
    process.communicate()
    body = go_on(case, server, wire)
    assert "interrupted" in body
    assert case.read("count") == "once\n"


@on(*WIRES)
def killed_while_the_stream_still_comes(case, wire):
    server = case.serve(Answer([*calls_of(case), text("x" * 400)], pace=0.03), Answer([text("I see.")]))
    process = begin(case, server, wire)
    wait_until(lambda: under_way(case))
    stop(process)
    process.communicate()
    go_on(case, server, wire)
    assert case.read("count") == "once\n"


@on(*WIRES)
def killed_at_any_moment(case, wire):
    words = thinking("hm") if wire == "anthropic" else text("hm")
    server = case.serve()
    for moment in range(8):
        before = len(server.requests)
        server.answers[:] = [Answer([words, call("Bash", {"command": f"echo {turn} >> {case.project}/log"})], pace=0.002)
                             for turn in range(40)]
        process = begin(case, server, wire, "--session-id", f"moment-{moment}")
        wait_until(lambda: len(server.requests) > before + moment)
        time.sleep(moment * 0.007)
        stop(process)
        process.communicate()
        time.sleep(0.1)  # what was under way at the server ends
        server.faults[:] = [fault for fault in server.faults if "not a JSON object" not in fault]  # a request cut by the kill
        server.answers[:] = [Answer([text("I see.")])]
        ran = case.ask(server, "what now?", "--resume", f"moment-{moment}", wire=wire)
        assert ran.code == 0, ran
        clean(server)
    lines = case.read("log").split() if os.path.exists(case.project + "/log") else []
    assert all(line.isdigit() for line in lines)


@on(*WIRES)
def interrupted_in_the_middle_of_calls(case, wire):
    server = case.serve(Answer(calls_of(case)), Answer([text("I see.")]))
    process = begin(case, server, wire)
    wait_until(lambda: under_way(case))
    process.send_signal(signal.SIGINT)
    process.communicate(timeout=600)
    assert process.returncode == 130, process.returncode
    body = go_on(case, server, wire)
    assert "nterrupted" in body
    assert case.read("count") == "once\n"


@on(*WIRES)
def interrupted_while_the_model_speaks(case, wire):
    server = case.serve(Answer([text("x" * 4000)], pace=0.02), Answer([text("I see.")]))
    process = begin(case, server, wire)
    wait_until(lambda: len(server.requests) == 1)
    time.sleep(0.5)
    process.send_signal(signal.SIGINT)
    process.communicate(timeout=600)
    assert process.returncode == 130, process.returncode
    go_on(case, server, wire)


@on(*WIRES)
def a_fork_takes_the_history_along(case, wire):
    case.write("a.txt", "one\n")
    server = case.serve(Answer([call("Read", {"file_path": case.project + "/a.txt"})]), Answer([text("first answer")]),
                        Answer([text("second")]), Answer([text("third")]))
    assert case.ask(server, "first question", wire=wire).code == 0
    assert case.ask(server, "second question", "--continue", "--fork-session", wire=wire).code == 0
    body = go_on(case, server, wire, "third question")
    for part in ("first question", "first answer", "second question", "third question"):
        assert part in body, part
    assert len(server.requests) == 4


@on(*WIRES)
def a_session_may_go_on_with_another_model(case, wire):
    case.write("a.txt", "one\n")
    other = WIRES[(WIRES.index(wire) + 1) % len(WIRES)]
    first = [thinking("let me see")] if wire == "anthropic" else []
    server = case.serve(Answer([*first, text("I look."), call("Read", {"file_path": case.project + "/a.txt"})]), Answer([text("one")]),
                        Answer([text("two")]))
    assert case.ask(server, "go", wire=wire).code == 0
    clean(server)
    go_on(case, server, other)


def test_a_session_with_a_paused_turn_goes_on(case):
    paused = [text("searching"), {"type": "server_tool_use", "id": "srvtoolu_1", "name": "web_search", "input": {"query": "x"}}]
    server = case.serve(Answer(paused, stop="pause_turn"), Answer([{"type": "web_search_tool_result", "tool_use_id": "srvtoolu_1", "content": []},
                                                                   text("found it")]), Answer([text("more")]))
    assert case.ask(server, "go").code == 0
    clean(server)
    go_on(case, server, "anthropic")
