"""WebFetch and what servers do on the wire: redirects, caches, encodings, compression, TLS, cuts, media, feeds."""
import json
import os
import shutil
import subprocess
import threading

from harness import Skip, stop
from npm import node
from test_media import document, png_of_nothing
from test_web import OPEN, fetch, serve

FINE = (200, {}, "<p>arrived</p>")


class Session:
    """One session that is given a call at a time; fetch() is the text of the answer."""

    def __init__(self, case):
        self.process = case.start("exec", "--allowed-tools", OPEN, "--allowed-tools", "WebFetch(domain:localhost)", stdin=subprocess.PIPE,
                                  stderr=subprocess.DEVNULL)
        self.number = 0

    def send(self, url, **more):
        self.number += 1
        self.process.stdin.write(json.dumps({"type": "tool_use", "id": f"c{self.number}", "name": "WebFetch", "input": {"url": url, **more}}).encode() + b"\n")
        self.process.stdin.flush()

    def fetch(self, url, **more):
        self.send(url, **more)
        return self.process.stdout.readline().decode()

    def __enter__(self):
        return self

    def __exit__(self, *_arguments):
        stop(self.process)
        self.process.communicate()


def raw(*parts):
    """A page that is these bytes on the wire, then the end of the connection."""
    def page(handler):
        for part in parts:
            handler.wfile.write(part)
    return page


def test_answers_are_kept_and_asked_for_again_by_their_tag(case):
    def tagged(handler):
        known = handler.headers.get("If-None-Match") == '"v1"'
        return (304 if known else 200, {"ETag": '"v1"', "Cache-Control": "no-cache"}, "" if known else "<p>tagged page</p>")

    def dated(handler):
        known = handler.headers.get("If-Modified-Since") == "Sat, 03 Jan 2026 10:00:00 GMT"
        return (304 if known else 200, {"Last-Modified": "Sat, 03 Jan 2026 10:00:00 GMT", "Cache-Control": "no-cache"}, "" if known else "<p>dated page</p>")
    web = serve(case, {"/": FINE, "/tag": tagged, "/date": dated, "/never": (200, {"Cache-Control": "no-store"}, "<p>fresh</p>")})
    with Session(case) as session:
        for path, words, asked in (("/", "arrived", 1), ("/tag", "tagged page", 2), ("/date", "dated page", 2), ("/never", "fresh", 2), ("/none", "404", 2)):
            web.asked.clear()
            for _ in range(2):
                assert words in session.fetch(web.url + path), path
            assert len(web.asked) == asked, (path, web.asked)
        web.asked.clear()
        assert "arrived" in session.fetch(web.url + "/#part") and not web.asked


def test_redirects_of_each_kind(case):
    web = serve(case, {"/end": FINE, "/dir/end": FINE})
    here, port = web.url, web.port
    rows = [("/end", "arrived"), ("end", "arrived"), ("./dir/../end", "arrived"), (here + "/end", "arrived"), (f"//127.0.0.1:{port}/end", "arrived"),
            ("?x=1", "more than 5"), ("/end#part", "arrived"), ("HTTP://127.0.0.1:%d/end" % port, "arrived"), (f"http://localhost:{port}/end", "another host"),
            (f"https://127.0.0.1:{port}/end", None), ("http://user:pw@127.0.0.1/end", "cannot be followed"), ("http://[::1", "cannot be followed"),
            ("ftp://127.0.0.1/end", "cannot be followed"), ("", "HTTP error: 302"), ("http://2130706433:%d/end" % port, "arrived")]
    with Session(case) as session:
        for number, (target, words) in enumerate(rows):
            web.pages[f"/r{number}"] = (302, {"Location": target} if target else {}, "")
            got = session.fetch(f"{here}/r{number}")
            assert (words or "") in got and (words == "arrived") == ("arrived" in got), (target, words, got)


def test_pages_that_lead_on_in_other_ways_say_where(case):
    refresh = "<html><head><meta http-equiv=Refresh content='{}'></head><body>{}</body></html>"
    web = serve(case, {"/end": FINE, "/now": (200, {}, refresh.format("0; url=/end", "")), "/late": (200, {}, refresh.format('5;URL="end"', "<p>Wait.</p>")),
                       "/self": (200, {}, refresh.format("30", "<p>News.</p>")), "/script": (200, {}, refresh.format("0;url=javascript:alert(1)", "<p>x</p>")),
                       "/frames": (200, {}, "<frameset cols='*,*'><frame src=/end><frame src='menu.html' title=Menu></frameset>")})
    with Session(case) as session:
        for path, leads, words in (("/now", True, "only leads on"), ("/late", True, "Wait."), ("/self", False, "News."), ("/script", False, "x")):
            got = session.fetch(web.url + path)
            assert (f"Leads on to: {web.url}/end" in got) == leads == ("Leads on" in got) and words in got, (path, got)
        got = session.fetch(web.url + "/frames")
        assert f"]({web.url}/end)" in got and f"[Menu]({web.url}/menu.html)" in got, got


def test_an_encoding_that_nobody_knows_is_named(case):
    web = serve(case, {"/": (200, {"Content-Encoding": "utf-8"}, "<p>arrived</p>")})
    ran = fetch(case, web.url)
    assert ran.code != 0 and "encoding" in ran.out + ran.err and "Try again" in ran.out + ran.err, ran


def test_nothing_follows_to_the_next_address(case):
    web = serve(case, {"/": (302, {"Location": "/next", "Set-Cookie": "a=b"}, ""), "/next": (200, {"Set-Cookie": "c=d"}, "<p>arrived</p>"), "/more": FINE})
    with Session(case) as session:
        assert "arrived" in session.fetch(web.url + "/") and "arrived" in session.fetch(web.url + "/more")
    assert len(web.asked) == 3
    for _, headers in web.asked:
        assert not {"cookie", "referer", "authorization"} & {name.lower() for name in headers}, headers


def test_wrong_lengths_and_cuts_are_told(case):
    head = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n"
    rows = [(raw(head + b"Content-Length: 12\r\n\r\n<p>arrived</p> and more"), "arrive", True), (raw(head + b"Content-Length: 900\r\n\r\n<p>arr"), "", False),
            (raw(head + b"Transfer-Encoding: chunked\r\n\r\n5\r\n<p>ar\r\n"), "", False), (raw(head + b"Transfer-Encoding: chunked\r\n\r\nzz\r\n"), "", False),
            (raw(head + b"Connection: close\r\n\r\n<p>arrived"), "arrived", True), (raw(b""), "", False), (raw(b"SSH-2.0-x\r\n"), "", False),
            (raw(head + b"Content-Length: 5\r\nContent-Length: 9\r\n\r\n<p>ar"), "", None), (raw(head + b"Content-Length: -1\r\n\r\nx"), "", None)]
    web = serve(case, {f"/{number}": page for number, (page, _, _) in enumerate(rows)})
    with Session(case) as session:
        for number, (_, words, fine) in enumerate(rows):
            got = json.loads(session.fetch(f"{web.url}/{number}"))
            assert fine is None or (words in json.dumps(got) and bool(got.get("is_error")) != fine), (number, got)


def test_a_slow_server_and_a_hanging_one_cost_their_own_calls_only(case):
    more, hung = threading.Event(), threading.Event()

    def slow(handler):
        handler.wfile.write(b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 14\r\n\r\n")
        for byte in b"<p>arrived</p>":
            handler.wfile.write(bytes([byte]))
            more.wait(0.02)

    def hang(_handler):
        hung.wait(60)
    web = serve(case, {"/slow": slow, "/hang": hang})
    with Session(case) as session:
        session.send(web.url + "/slow")
        session.send(web.url + "/hang")
        assert "arrived" in session.process.stdout.readline().decode()
    hung.set()


NODE_SERVER = """
const http2 = require("http2"), http = require("http"), zlib = require("zlib"), fs = require("fs");
const page = Buffer.from("<p>arrived</p>" + "<p>filler</p>".repeat(2000));
const packed = {br: zlib.brotliCompressSync(page), gzip: zlib.gzipSync(page), deflate: zlib.deflateSync(page)};
function answer(request, response) {
  const kind = request.url.slice(1), body = packed[kind] || (kind === "bad" ? Buffer.from("no brotli") : Buffer.from("<p>over " + request.httpVersion + "</p>"));
  const headers = {"content-type": "text/html"};
  if (packed[kind] || kind === "bad") headers["content-encoding"] = kind === "bad" ? "br" : kind;
  if (kind === "bomb") { headers["content-encoding"] = "br"; response.writeHead(200, headers); response.end(zlib.brotliCompressSync(Buffer.alloc(64 << 20))); return; }
  response.writeHead(200, headers);
  response.end(body);
}
const tls = {key: fs.readFileSync(process.argv[1]), cert: fs.readFileSync(process.argv[2]), allowHTTP1: true};
const two = http2.createSecureServer(tls, answer), one = http.createServer(answer);
two.listen(0, "127.0.0.1", () => one.listen(0, "127.0.0.1", () => console.log(two.address().port + " " + one.address().port)));
"""


def authority(case):
    """An authority of one's own, and a server's key and certificate by it."""
    if not shutil.which("openssl"):
        raise Skip("openssl is not installed")

    def openssl(*arguments):
        subprocess.run(["openssl", *arguments], check=True, capture_output=True, cwd=case.root, timeout=600)
    new = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes"]
    openssl("req", "-x509", *new, "-days", "2", "-keyout", "ca.key", "-out", "ca.pem", "-subj", "/CN=Own authority",
            "-addext", "keyUsage=critical,keyCertSign")
    openssl("req", *new, "-keyout", "web.key", "-out", "web.csr", "-subj", "/CN=web")
    with open(os.path.join(case.root, "names"), "w", encoding="ascii") as names:
        names.write("subjectAltName=IP:127.0.0.1\n")
    openssl("x509", "-req", "-in", "web.csr", "-CA", "ca.pem", "-CAkey", "ca.key", "-CAcreateserial", "-days", "2", "-extfile", "names", "-out", "web.pem")
    return [os.path.join(case.root, name) for name in ("ca.pem", "web.key", "web.pem")]


def test_compression_http_2_and_an_authority_of_ones_own(case):
    program = node()
    ca, key, cert = authority(case)
    with subprocess.Popen([program, "-e", NODE_SERVER, key, cert], stdout=subprocess.PIPE) as server:
        try:
            two, one = server.stdout.readline().decode().split()
            for kind in ("br", "gzip", "deflate"):
                ran = fetch(case, f"http://127.0.0.1:{one}/{kind}")
                assert ran.code == 0 and "arrived" in ran.out and "filler" in ran.out, (kind, ran)
            for kind, words in (("bad", ""), ("bomb", "larger")):
                ran = fetch(case, f"http://127.0.0.1:{one}/{kind}")
                assert ran.code != 0 and words in ran.out + ran.err, (kind, ran)
            ran = fetch(case, f"https://127.0.0.1:{two}/", env={"SSL_CERT_FILE": ca})
            assert ran.code == 0 and ("over 2.0" in ran.out or "over 1.1" in ran.out), ran  # 1.1: libcurl older than 8.1
            ran = fetch(case, f"https://127.0.0.1:{two}/")
            assert ran.code != 0 and "certificate" in ran.out + ran.err, ran
        finally:
            server.kill()


def test_encodings_that_pages_have(case):
    rows = [("日本語の頁", "shift_jis", "meta"), ("日本語の頁", "euc_jp", "header"), ("日本語の頁", "iso2022_jp", "meta"), ("한국어 페이지", "euc_kr", "header"),
            ("中文网页", "gb18030", "meta"), ("繁體網頁", "big5", "header"), ("Привет мир", "koi8-r", "meta"), ("Привет мир", "windows-1251", "header"),
            ("Žluťoučký kůň", "iso-8859-2", "meta"), ("Ελληνικά", "windows-1253", "header"), ("naïve “quotes” €", "windows-1252", "header"),
            ("naïve “quotes” €", "utf-16-le", "bom"), ("Привет мир", "utf-16-be", "bom"), ("naïve €", "utf-8", "bom"), ("naïve €", "utf-8", "none")]
    pages = {}
    for number, (words, name, way) in enumerate(rows):
        mark = {"utf-16-le": b"\xff\xfe", "utf-16-be": b"\xfe\xff", "utf-8": b"\xef\xbb\xbf"}[name] if way == "bom" else b""
        meta = f'<meta charset="{name.replace("iso2022_jp", "iso-2022-jp").replace("euc_jp", "euc-jp")}">' if way == "meta" else ""
        kind = "text/html" + (f"; charset={name.replace('_', '-')}" if way == "header" else "")
        pages[f"/{number}"] = (200, {"Content-Type": kind}, mark + f"<html><head>{meta}<title>t</title></head><body><p>{words}</p>".encode(name))
    pages["/wins"] = (200, {"Content-Type": "text/html; charset=utf-8"}, '<meta charset="koi8-r"><p>Привет мир</p>'.encode())
    pages["/broken"] = (200, {"Content-Type": "text/html; charset=nonsense"}, b"<p>arrived \xff\xfe\x80</p>")
    web = serve(case, pages)
    with Session(case) as session:
        for number, (words, name, way) in enumerate(rows):
            got = json.loads(session.fetch(f"{web.url}/{number}"))
            assert words in json.dumps(got, ensure_ascii=False), (words, name, way, got)
        assert "Привет мир" in json.dumps(json.loads(session.fetch(web.url + "/wins")), ensure_ascii=False)
        assert "arrived" in session.fetch(web.url + "/broken")


def test_pictures_documents_and_feeds(case):
    atom = ('<feed xmlns="http://www.w3.org/2005/Atom"><title>News</title><entry><title>First</title><link href="/one"/><updated>2026-01-02T03:04:05Z</updated>'
            '<content type="html">&lt;p&gt;Some &lt;b&gt;text&lt;/b&gt;&lt;/p&gt;</content></entry><entry><title>Second</title><link rel="alternate" href="http://x.org/2"/>'
            '<summary>short</summary></entry></feed>')
    rdf = ('<?xml version="1.0" encoding="iso-8859-1"?><rss version="2.0"><channel><title>Caf\xe9</title><item><title>Item</title><link>http://x.org/i</link>'
           '<description><![CDATA[<a href="/z">link</a>]]></description></item></channel></rss>').encode("latin-1")
    with open(document(case, "d.pdf", 2), "rb") as file:
        pdf = file.read()
    web = serve(case, {"/p.png": (200, {"Content-Type": "image/png"}, png_of_nothing(40, 30)), "/lie": (200, {"Content-Type": "application/octet-stream"}, png_of_nothing(9, 9)),
                       "/d.pdf": (200, {"Content-Type": "application/pdf"}, pdf), "/d": (200, {"Content-Type": "application/octet-stream"}, pdf),
                       "/atom": (200, {"Content-Type": "application/atom+xml"}, '<!DOCTYPE feed [<!ENTITY nbsp "&#160;"><!ENTITY a "&nbsp;">]>' + atom), "/rss": (200, {"Content-Type": "text/xml"}, rdf),
                       "/not.xml": (200, {"Content-Type": "application/xml"}, "<html><p>arrived<br>here"),
                       "/xml": (200, {"Content-Type": "application/xml"}, "<a><b c='d'>text</b></a>"), "/bad.png": (200, {"Content-Type": "image/png"}, b"\x89PNG\r\n\x1a\nxx")})
    with Session(case) as session:
        for path, words in (("/p.png", ('"type":"image"', "40×30")), ("/lie", ('"type":"image"', "9×9")), ("/d.pdf", ("page number 1", "Page 2 of 2")),
                            ("/d", ("page number 2",)), ("/atom", ("News", "First", web.url + "/one", "**text**", "http://x.org/2", "short")),
                            ("/rss", ("Café", "http://x.org/i", "[link](")), ("/xml", ("text",)), ("/not.xml", ("arrived", "here")), ("/bad.png", ("is_error",))):
            got = session.fetch(web.url + path)
            for word in words:
                assert word in got, (path, word, got[:2000])
