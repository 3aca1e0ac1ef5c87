"""Models behind TLS and behind a proxy: trust, and what is said when there is none."""
import os
import shutil
import socket
import ssl
import subprocess
import threading

from harness import KEY, Skip
from wires import Answer, text


def certificate(case, name):
    """Files of a key and of a certificate that signs itself, for localhost."""
    if not shutil.which("openssl"):
        raise Skip("openssl is not installed")
    key, cert = os.path.join(case.root, name + ".key"), os.path.join(case.root, name + ".pem")
    subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2",
                    "-keyout", key, "-out", cert, "-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1"], check=True, capture_output=True, timeout=600)
    return key, cert


def encrypt(server, key, cert):
    """Speak TLS on the connections of a server; its address is given with the scheme https."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(cert, key)
    plain = server.http.get_request

    def get_request():
        connection, address = plain()
        connection.settimeout(20)
        try:
            return context.wrap_socket(connection, server_side=True), address
        except (ssl.SSLError, OSError) as refused:
            connection.close()
            raise OSError("no handshake") from refused
    server.http.get_request = get_request
    server.url = f"https://localhost:{server.port}"


def test_a_certificate_must_be_trusted(case):
    key, cert = certificate(case, "server")
    _, other = certificate(case, "other")
    server = case.serve(Answer([text("hello over TLS" * 1000)]))
    encrypt(server, key, cert)
    for variables in ({}, {"SSL_CERT_FILE": other}):
        ran = case.ask(server, "hi", env={"HELVE_MAX_RETRIES": "0", **variables})
        assert ran.code not in (0, None) and "certificate" in ran.err and "localhost" in ran.err, ran
        assert KEY not in ran.err
    assert not server.requests
    ran = case.ask(server, "hi", env={"HELVE_MAX_RETRIES": "0", "SSL_CERT_FILE": cert})
    assert ran.code == 0 and ran.out.startswith("hello over TLS"), ran


def test_a_certificate_that_is_not_trusted_is_told_at_once(case):
    key, cert = certificate(case, "server")
    server = case.serve(Answer([text("hello over TLS")]))
    encrypt(server, key, cert)
    ran = case.ask(server, "hi", "--output-format", "stream-json", "--verbose", env={"HELVE_MAX_RETRIES": "8"})
    assert ran.code == 1 and "certificate" in ran.err + ran.out, ran
    assert not [one for one in ran.events if one.get("subtype") == "api_retry"], ran
    folder = os.path.join(case.root, "authorities")
    os.mkdir(folder)
    name = subprocess.run(["openssl", "x509", "-hash", "-noout", "-in", cert], check=True, capture_output=True, text=True, timeout=600).stdout.strip()
    shutil.copy(cert, os.path.join(folder, name + ".0"))
    ran = case.ask(server, "hi", env={"HELVE_MAX_RETRIES": "0", "SSL_CERT_DIR": folder})
    assert ran.code == 0 and ran.out == "hello over TLS\n", ran


def test_tls_connections_that_break_are_told(case):
    key, cert = certificate(case, "server")
    server = case.serve(*[Answer([text("hello over TLS")], cut="in delta 0 0", reset=True)] * 2)
    encrypt(server, key, cert)
    ran = case.ask(server, "hi", env={"HELVE_MAX_RETRIES": "1", "SSL_CERT_FILE": cert})
    assert ran.code not in (0, None) and ran.err.strip(), ran
    assert len(server.requests) == 2


def test_a_server_that_speaks_no_tls_is_told(case):
    server = case.serve()
    server.url = server.url.replace("http:", "https:")
    ran = case.ask(server, "hi", env={"HELVE_MAX_RETRIES": "0"})
    assert ran.code not in (0, None) and "TLS" in ran.err, ran


class Proxy:
    """Takes CONNECT or a whole address, remembers it, and refuses."""

    def __init__(self):
        self.lines = []
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{self.listener.getsockname()[1]}"
        threading.Thread(target=self.serve, daemon=True).start()

    def serve(self):
        while True:
            try:
                connection, _ = self.listener.accept()
            except OSError:
                return
            with connection:
                data = connection.recv(65536)
                self.lines.append(data.split(b"\r\n")[0].decode())
                connection.sendall(b"HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")


def test_proxies_of_the_environment_are_used_but_not_for_this_machine(case):
    proxy = Proxy()
    try:
        variables = {"https_proxy": proxy.url, "http_proxy": proxy.url, "HELVE_MAX_RETRIES": "0"}
        server = case.serve(Answer([text("direct")]))
        ran = case.ask(server, "hi", env=variables)
        assert ran.out == "direct\n", ran
        assert not proxy.lines
        ran = case.ask(None, "hi", env={**variables, "ANTHROPIC_BASE_URL": "https://models.example.invalid", "ANTHROPIC_API_KEY": KEY})
        assert ran.code not in (0, None) and "models.example.invalid" in ran.err and "proxy" in ran.err, ran
        assert proxy.lines == ["CONNECT models.example.invalid:443 HTTP/1.1"], proxy.lines
        assert KEY not in ran.err
        ran = case.ask(None, "hi", env={**variables, "ANTHROPIC_BASE_URL": "https://models.example.invalid", "ANTHROPIC_API_KEY": KEY,
                                        "NO_PROXY": "other.test; *.example.invalid:443"})
        assert ran.code not in (0, None) and len(proxy.lines) == 1, ran
    finally:
        proxy.listener.close()
