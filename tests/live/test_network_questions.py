"""Connections that no rule names: they wait at the sandbox's proxy while somebody is asked, at a terminal and by an SDK."""
import json
import os
import subprocess
import time

from harness import HELVE, MODELS
from test_sandbox import FETCH, Listener, need_full, run, settings
from tmux import WAIT, Terminal
from wires import Answer, call, text

AROUND = "no_proxy= NO_PROXY= "  # what goes to this machine asks the proxy, too


def fetching(port, host="127.0.0.1", times=1):
    one = f"{AROUND}{FETCH} http://{host}:{port}/"
    return one if times == 1 else "".join(f"({one}{i}) & " for i in range(times)) + "wait"


def test_once_lets_the_command_that_waits_through_and_no_other(case):
    need_full(case)
    settings(case)
    with Listener() as listener:
        server = case.serve(Answer([call("Bash", {"command": fetching(listener.port, times=5)})]), Answer([call("Bash", {"command": fetching(listener.port)})]),
                            Answer([text("All done.")]))
        with Terminal(case, server, rows=60, columns=160) as terminal:
            terminal.prompt("go")
            shown = terminal.wait("Network: may this be done?", f"connect to 127.0.0.1, port {listener.port}", f"Network(127.0.0.1:{listener.port})", "y once")
            assert "for this command, which waits" in shown and not listener.seen, shown
            terminal.type("y")
            terminal.wait("Network → allowed once", "may this be done?")  # asked anew for the next command
            assert len(listener.seen) == 5, listener.seen
            terminal.type("w")
            terminal.wait("What should it do instead?")
            terminal.type("use the cache\r")
            shown = terminal.wait("All done.")
            assert shown.count("Network →") == 2, shown
        assert len(listener.seen) == 5
        first, second = server.requests[1].results()[0], server.requests[2].results()[-1]
    assert first.count("reached /") == 5 and "refused" not in first, first
    assert "403" in second and f"refused a connection to 127.0.0.1:{listener.port} (the person who was asked said no: use the cache)." in second, second


def test_for_the_session_and_always_nobody_is_asked_again(case):
    """Nor by another name of the same service, without the proxy."""
    need_full(case)
    settings(case)
    with Listener() as one, Listener() as other:
        direct = f"exec 3<>/dev/tcp/127.0.0.1/{one.port} && printf 'GET /direct HTTP/1.0\\r\\n\\r\\n' >&3 && cat <&3"
        server = case.serve(Answer([call("Bash", {"command": fetching(one.port)})]), Answer([call("Bash", {"command": fetching(one.port, 'localhost')})]),
                            Answer([call("Bash", {"command": direct})]), Answer([call("Bash", {"command": fetching(other.port)})]), Answer([text("All done.")]))
        with Terminal(case, server, rows=60, columns=160) as terminal:
            terminal.prompt("go")
            terminal.wait(f"Network(127.0.0.1:{one.port})", "y once")
            terminal.type("s")
            terminal.wait("Network → allowed for this session", f"Network(127.0.0.1:{other.port})", "y once")
            terminal.type("a")
            terminal.wait("All done.", "Network → allowed always")
        assert len(one.seen) == 3 and len(other.seen) == 1
        with open(case.project + "/.helve/settings.local.json", encoding="utf-8") as file:
            assert json.load(file) == {"sandbox": {"network": {"allowedDomains": [f"127.0.0.1:{other.port}"]}}}
        (result, _), = run(case, fetching(other.port))  # what was saved holds in the next session
        assert "reached" in result, result


def test_a_program_without_a_proxy_is_asked_about_the_port_of_the_machine(case):
    """About a port that its text names at once, about any other when it is run again; what serves there itself keeps the port."""
    need_full(case)
    settings(case)
    with Listener() as named, Listener() as hidden:
        direct = f"exec 3<>/dev/tcp/127.0.0.1/{named.port} && printf 'GET /direct HTTP/1.0\\r\\n\\r\\n' >&3 && cat <&3"
        case.write("client.py", f"import socket, sys\ntry:\n    server = socket.create_connection(('127.0.0.1', {hidden.port}))\nexcept OSError:\n"
                                f"    sys.exit('no server at port {hidden.port}: Connection refused')\n"
                                "server.sendall(b'GET /hidden HTTP/1.0\\r\\n\\r\\n')\nserver.recv(100)\n")
        own = f"python3 -c 'import socket; socket.create_server((\"127.0.0.1\", {named.port})); print(\"own\")' & wait"
        commands = (direct, "python3 client.py", own, "python3 client.py")
        server = case.serve(*[Answer([call("Bash", {"command": one})]) for one in commands], Answer([text("All done.")]))
        with Terminal(case, server, rows=60, columns=160) as terminal:
            terminal.prompt("go")
            shown = terminal.wait("Network: may this be done?", f"connect to localhost, port {named.port}", f"Network(localhost:{named.port})", "y once")
            assert "for this command, which waits" in shown and not named.seen, shown
            terminal.type("y")
            shown = terminal.wait(f"Network(localhost:{hidden.port})", "y once")
            terminal.type("w")
            terminal.wait("What should it do instead?")
            terminal.type("use the file\r")
            terminal.wait("All done.")
        assert len(named.seen) == 1 and not hidden.seen
        results = [server.requests[at].results()[-1] for at in (1, 2, 3, 4)]
    assert "reached /direct" in results[0] and "refused" not in results[0], results
    assert f"has a server at port {hidden.port}" in results[1] and f'["localhost:{hidden.port}"]' in results[1] and "run again" in results[1], results
    assert "own" in results[2] and "in use" not in results[2], results
    assert f"refused a connection to localhost:{hidden.port} (the person who was asked said no: use the file)" in results[3], results


def test_of_commands_side_by_side_each_that_may_have_connected_is_named(case):
    """Each listens at the port of the machine, and any may take the connection."""
    need_full(case)
    settings(case)
    with Listener() as listener:
        beside = f"echo 127.0.0.1 {listener.port}; sleep 100"
        direct = f"exec 3<>/dev/tcp/127.0.0.1/{listener.port} && cat <&3"
        server = case.serve(Answer([call("Bash", {"command": beside, "run_in_background": True})]), Answer([call("Bash", {"command": direct})]),
                            Answer([text("All done.")]))
        with Terminal(case, server, rows=60, columns=160) as terminal:
            terminal.prompt("go")
            shown = terminal.wait(f"Network(localhost:{listener.port})", "or for this one, which runs beside it", "y once")
            assert "sleep 100" in shown and "cat <&3" in shown, shown
            terminal.type("w")
            terminal.wait("What should it do instead?")
            terminal.type("use the file\r")
            terminal.wait("All done.")
        result = server.requests[2].results()[-1]
    assert f"localhost:{listener.port} (the person who was asked said no: use the file), by this command or by one that ran beside it." in result, result


def test_a_host_that_the_commands_own_question_showed_is_not_asked_about_again(case):
    """Nor one that the rule writes out which allows the command; what the question could not show is."""
    need_full(case)
    with Listener() as named, Listener() as ruled, Listener() as hidden:
        plain, allowed = (f"git ls-remote http://127.0.0.1:{one.port}/x" for one in (named, ruled))
        case.write("port", str(hidden.port))
        settings(case, allow=[f"Bash({allowed})"])
        commands = (allowed, plain, f'{AROUND}git ls-remote "http://127.0.0.1:$(cat port)/x"')
        server = case.serve(*[Answer([call("Bash", {"command": one})]) for one in commands], Answer([text("All done.")]))
        with Terminal(case, server, rows=60, columns=160) as terminal:
            terminal.prompt("go")
            terminal.wait("Bash: may this be done?", plain, "y once")
            assert ruled.seen and not named.seen
            terminal.type("y")
            terminal.wait(f"{plain} → allowed once", "$(cat port)", "y once")
            assert named.seen and not hidden.seen
            terminal.type("y")
            terminal.wait(f"Network(127.0.0.1:{hidden.port})", "y once")
            terminal.type("n")
            shown = terminal.wait("All done.")
            assert shown.count("Network →") == 1, shown
        assert not hidden.seen


def test_a_name_that_leads_inside_is_a_question_of_its_own(case):
    need_full(case)
    settings(case, network={"allowedDomains": ["*"]})
    with Listener() as listener:
        server = case.serve(Answer([call("Bash", {"command": fetching(listener.port, "0x7f.1")})]), Answer([text("All done.")]))
        with Terminal(case, server, rows=60, columns=160) as terminal:
            terminal.prompt("go")
            terminal.wait(f"connect to 0x7f.1, port {listener.port}", "it leads to 127.0.0.1", f"Network(127.0.0.1:{listener.port})", "y once")
            assert not listener.seen
            terminal.type("y")
            terminal.wait("All done.")
        assert len(listener.seen) == 1


def test_the_answer_holds_for_the_next_connection_when_the_client_gave_up(case):
    need_full(case)
    settings(case)
    with Listener() as listener:
        impatient = f"""{AROUND}python3 -c "import urllib.request as u; u.urlopen('http://127.0.0.1:{listener.port}/', timeout=1)" """
        server = case.serve(Answer([call("Bash", {"command": impatient})]), Answer([call("Bash", {"command": "touch given-up"})]),
                            Answer([call("Bash", {"command": fetching(listener.port)})]), Answer([text("All done.")]))
        with Terminal(case, server, rows=60, columns=160) as terminal:
            terminal.prompt("go")
            terminal.wait("y once")
            end = time.monotonic() + WAIT
            while not os.path.exists(case.project + "/given-up"):  # the turn goes on, and comes back to the same question
                assert time.monotonic() < end
                time.sleep(0.02)
            terminal.type("y")
            shown = terminal.wait("All done.")
            assert shown.count("Network →") == 1, shown
        assert len(listener.seen) == 1
    assert "has not answered yet; the answer holds for the next connection" in server.requests[1].results()[0], server.requests[1].results()


def test_escape_ends_the_wait_and_the_turn(case):
    need_full(case)
    settings(case)
    with Listener() as listener:
        server = case.serve(Answer([call("Bash", {"command": fetching(listener.port)})]), Answer([text("never asked for")]))
        with Terminal(case, server, rows=60, columns=160) as terminal:
            terminal.prompt("go")
            terminal.wait("y once")
            terminal.type("\x1b")
            terminal.wait("Interrupted.", gone=("may this be done?",))
        assert not listener.seen


def test_a_host_program_is_asked_and_what_it_cancels_is_withdrawn(case):
    need_full(case)
    settings(case)

    def talk(process, answer):
        """What was asked, and the ids of what was withdrawn."""
        asked, withdrawn, ended = [], [], False
        process.stdin.write(json.dumps({"type": "user", "message": {"role": "user", "content": "go"}}) + "\n")
        process.stdin.flush()
        for line in process.stdout:
            value = json.loads(line)
            if value["type"] == "control_request":
                asked.append(value["request"])
                process.stdin.write(json.dumps(answer(value)) + "\n")
                process.stdin.flush()
            elif value["type"] == "control_cancel_request":
                withdrawn.append(value["request_id"])
            ended = ended or value["type"] == "result"
            if ended and len(withdrawn) == (answer is interrupt):
                process.stdin.close()
                return asked, withdrawn
        raise AssertionError((asked, withdrawn, ended))

    def allow(value):
        return {"type": "control_response", "response": {"subtype": "success", "request_id": value["request_id"], "response": {
            "behavior": "allow", "updatedPermissions": [{**value["request"]["permission_suggestions"][0], "destination": "session"}]}}}

    def interrupt(_):
        return {"type": "control_request", "request_id": "i", "request": {"subtype": "interrupt"}}

    with Listener() as listener:
        for answer, reached in ((allow, 2), (interrupt, 2)):
            server = case.serve(Answer([call("Bash", {"command": fetching(listener.port)})]), Answer([call("Bash", {"command": fetching(listener.port)})]),
                                Answer([text("done")]))
            words = [HELVE, "-p", "--model", f"anthropic:{MODELS['anthropic']}", "--input-format", "stream-json", "--output-format", "stream-json", "--verbose",
                     "--permission-prompt-tool", "stdio"]
            with subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd=case.project, env=case.environment(server, None)) as process:
                asked, withdrawn = talk(process, answer)
            assert len(asked) == 1 and asked[0]["subtype"] == "can_use_tool" and asked[0]["tool_name"] == "Network", asked
            assert asked[0]["input"]["host"] == "127.0.0.1" and asked[0]["input"]["port"] == listener.port and "urllib" in asked[0]["input"]["command"], asked
            assert len(listener.seen) == reached, (withdrawn, listener.seen)


def test_nobody_is_asked_where_nobody_wants_to_be(case):
    need_full(case)
    settings(case)
    with Listener() as listener:
        for mode in ("default", "dontAsk", "bypassPermissions"):
            (result, _), = run(case, fetching(listener.port), mode=mode)
            assert f'allowedDomains: ["127.0.0.1:{listener.port}"] in the settings would allow it' in result, result
        assert not listener.seen


def test_hooks_answer_in_a_persons_place(case):
    """Also where nobody can be asked; what they let hold for longer holds, what they say of tools only is not asked about a host."""
    need_full(case)
    told, path = os.path.join(case.root, "told"), os.path.join(case.home, "helve", "settings.json")

    def hook(more=None, matcher="Network", allow=("Bash",), **decision):
        settings(case, allow=allow)
        given = json.dumps({"hookSpecificOutput": {"hookEventName": "PermissionRequest", "decision": decision}})
        with open(path, encoding="utf-8") as file:
            values = json.load(file)
        values["hooks"] = {"PermissionRequest": [{"matcher": matcher, "hooks": [
            {"type": "command", "command": f"cat >>{told}; printf '%s' '{given}'", **(more or {})}]}]}
        with open(path, "w", encoding="utf-8") as file:
            json.dump(values, file)

    def asked():
        if not os.path.exists(told):
            return []
        with open(told, encoding="utf-8") as file:
            lines = [json.loads(line) for line in file]
        os.remove(told)
        return lines

    with Listener() as listener:
        host = f"127.0.0.1:{listener.port}"
        twice = (fetching(listener.port), fetching(listener.port))
        hook(behavior="allow")
        (first, _), (second, _) = run(case, *twice, mode="default")
        assert "reached" in first and "reached" in second, (first, second)
        one, _ = asked()
        assert (one["tool_name"], one["hook_event_name"]) == ("Network", "PermissionRequest"), one
        assert (one["tool_input"]["host"], one["tool_input"]["port"]) == ("127.0.0.1", listener.port) and "urllib" in one["tool_input"]["command"], one
        (suggested,) = one["permission_suggestions"]
        assert suggested["rules"] == [{"toolName": "Network", "ruleContent": host}], suggested
        hook(matcher="Bash|Network", allow=(), behavior="allow")  # its answer about a command is no person's who has seen the host
        run(case, f"git ls-remote http://{host}/x", mode="default")
        assert [line["tool_name"] for line in asked()] == ["Bash", "Network"]
        hook(behavior="allow", updatedPermissions=[{**suggested, "destination": "session"}])
        (first, _), (second, _) = run(case, *twice, mode="default")
        assert "reached" in first and "reached" in second and len(asked()) == 1, (first, second)
        reached = len(listener.seen)
        denied = [{**suggested, "destination": "session", "behavior": "deny"}]
        for more, why in ((denied, "deniedDomains"), ([{"type": "setMode", "mode": "bypassPermissions"}], "cannot set the mode")):
            hook(behavior="allow", updatedPermissions=[{**suggested, "destination": "session"}, *more])
            (result, _), = run(case, fetching(listener.port), mode="default")
            assert "the answer of the hook cannot be taken: updatedPermissions[1]" in result and why in result and len(asked()) == 1, result
        hook(behavior="allow", updatedPermissions=[{"type": "setMode", "mode": "dontAsk", "destination": "session"}])
        (first, _), (second, _) = run(case, fetching(listener.port), fetching(listener.port), mode="default")
        assert "reached" in first and "would allow it" in second and len(asked()) == 1, (first, second)
        reached += 1
        hook(behavior="deny", message="use the cache")
        (result, _), = run(case, fetching(listener.port), mode="default")
        assert f"refused a connection to {host} (the hook that was asked said no: use the cache)." in result, result
        for more, mode, count in (({"if": "Bash(python3 *)"}, "default", 0), (None, "bypassPermissions", 0), (None, "dontAsk", 0)):
            asked()
            hook(more, behavior="allow")
            (result, _), = run(case, fetching(listener.port), mode=mode)
            assert f'allowedDomains: ["127.0.0.1:{listener.port}"] in the settings would allow it' in result and len(asked()) == count, (more, mode, result)
        hook()
        (result, _), = run(case, fetching(listener.port), mode="default")
        assert f'allowedDomains: ["127.0.0.1:{listener.port}"] in the settings would allow it' in result and len(asked()) == 1, result
        assert len(listener.seen) == reached
