"""The HTML tests that come with well-known converters (to-markdown, which became turndown; upndown), through `helve debug html`."""
import glob
import json
import os
import re
import subprocess

from npm import FOLDER, node
from test_web import ask

# Its tests, run with a converter that only notes what it is given.
COLLECT = """
const Module = require("module"), load = Module._load, found = [];
Module._load = function (name, ...rest) {
  return name === "../index" ? (html, options) => ({html, own: !!(options && options.converters)}) : load.call(this, name, ...rest);
};
const guarded = (name, body, more) => { try { (more || body)(); } catch (fault) { /* a test of its faults */ } };
Object.assign(global, {QUnit: {module() {}}, test: guarded, asyncTest: guarded, start() {}, expect() {}, ok() {}, throws() {},
  equal(given, wanted) { if (given && typeof given.html === "string" && !given.own) found.push([given.html, wanted]); }});
for (const name of ["to-markdown-test.js", "gfm-test.js"]) require(process.argv[1] + "/" + name);
console.log(JSON.stringify(found));
"""

# Where helve means to say something else: what the HTML holds → what comes instead.
MEANT = {
    "<h4><i>Hello</i> world</h4>": "#### Hello world",  # headings have no emphasis
    '<a href="#foo"></a>': "",  # a link of no text is left out
    "<strong><br></strong>": "",
    "<code></code>": "",
    "<h1>A header with <em>": "# A header with italics in it",
    '<h1>Foo</h1>\n<iframe src="bar.html">': "# Foo\n\n[bar.html](bar.html)",  # what is shown elsewhere has an address
    '<p>Foo <a href="/url/" title="Title with &quot;': "Foo [bar](/url/).",
    '>\'>"><img src=x onerror=': ">'>\">![](x)",
}


def tolerant(markdown):
    """What matters of it: marks of one kind, no markup that was passed on, no blanks."""
    text = re.sub(r"^(\* ){2}\*$|^-{3}$", "RULE", markdown, flags=re.M)
    text = re.sub(r"^[> ]*```.*$", "", text, flags=re.M)
    text = re.sub(r"(?<!`)<(https?:[^>\s]*)>", r"[\1](\1)", text)
    text = re.sub(r"(?<!`)<([^>\s:@]+@[^>\s]*)>", r"[\1](mailto:\1)", text)
    text = re.sub(r"</?[a-z][^>]*>", "", text)
    text = re.sub(r' "[^"]*"\)', ")", text)
    text = re.sub(r"(?:^|(?<=\s))[*+-] +", "- ", text, flags=re.M)
    text = re.sub(r"^\|[ |:-]+\|$", "", text, flags=re.M)
    return re.sub(r"[\s\\>]", "", text.replace("_", "*").replace("<br>", ""))


def compare(case, rows, **more):
    answers = ask(case, "html", *[{"html": html, **more} for html, _ in rows])
    wrong = []
    for (html, wanted), answer in zip(rows, answers):
        meant = [text for begin, text in MEANT.items() if html.startswith(begin)]
        if tolerant(answer["markdown"]) != tolerant(meant[0] if meant else wanted):
            wrong.append((html, wanted, answer["markdown"]))
    assert not wrong, "\n\n".join(f"{html}\n--- wanted\n{wanted}\n--- got\n{got}" for html, wanted, got in wrong)


def test_the_tests_of_to_markdown(case):
    program = node("to-markdown")
    ran = subprocess.run([program, "-e", COLLECT, os.path.join(FOLDER, "node_modules", "to-markdown", "test")], capture_output=True, text=True,
                         timeout=300, check=True)
    rows = json.loads(ran.stdout)
    assert len(rows) > 60, len(rows)
    compare(case, rows)


def test_the_tests_of_upndown(case):
    node("upndown")
    rows = []
    for page in sorted(glob.glob(os.path.join(FOLDER, "node_modules", "upndown", "test", "fixtures", "*", "*.html"))):
        with open(page, encoding="utf-8") as html, open(page[:-5] + ".md", encoding="utf-8") as wanted:
            rows.append((html.read(), wanted.read()))
    assert len(rows) > 100, len(rows)
    compare(case, rows)
