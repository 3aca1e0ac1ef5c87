"""Behind a proxy, too, helve finds out where a name leads before anything is sent."""
import json
import os
import subprocess

from cli_support import mount_alone
from harness import HELVE, Skip, stop
from test_web import serve


def test_behind_a_proxy_each_request_is_looked_up_first(case):
    """The proxy finds names by itself: what helve finds at a private address, also among others or later on, it is not asked for."""
    if os.geteuid() not in (0, os.stat(HELVE).st_uid):
        raise Skip("where other names are told, helve belongs to nobody that it trusts; root shows it")
    command = mount_alone(case.project)
    hosts = os.path.join(case.root, "hosts")

    def point(address):
        with open(hosts, "w", encoding="ascii") as file:
            file.write(f"{address} turns.example\n93.184.216.34 fine.example both.example\n10.0.0.1 both.example\n127.0.0.1 inside.example\n"
                       "::ffff:169.254.169.254 meta.example\n")
    point("93.184.216.34")
    page = (200, {}, "<p>by proxy</p>")
    proxy = serve(case, {f"http://{host}.example/{path}": page for host in ("turns", "fine", "both", "inside", "meta", "unknown") for path in ("", "b")})
    proxy.pages["http://fine.example/to"] = (302, {"Location": "http://fine.example/b"}, "")
    with subprocess.Popen([*command, "sh", "-c", 'mount --bind "$1" /etc/hosts && shift && exec "$@"', "sh", hosts, HELVE, "exec", "--allowed-tools", "WebFetch"],
                          cwd=case.project, env={**case.environment(), "http_proxy": proxy.url}, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                          stderr=subprocess.DEVNULL, start_new_session=True) as process:
        def get(url):
            process.stdin.write(json.dumps({"type": "tool_use", "id": url, "name": "WebFetch", "input": {"url": url}}).encode() + b"\n")
            process.stdin.flush()
            return process.stdout.readline().decode()
        try:
            for url in ("http://fine.example/", "http://fine.example/to", "http://turns.example/"):
                assert "by proxy" in get(url), (url, proxy.asked)
            proxy.asked.clear()
            point("192.168.1.1")
            for url in ("http://turns.example/b", "http://both.example/", "http://inside.example/", "http://meta.example/"):
                assert "may not be reached" in get(url), url
            assert not proxy.asked, proxy.asked
        finally:
            stop(process)
