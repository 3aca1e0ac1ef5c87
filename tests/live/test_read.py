"""Read through the doors: huge, sparse and moving files, strange names, every encoding and line end."""
import json
import os
import resource
import threading

from cli_support import Case, expose, main, text_of, use

GB = 1 << 30


class Huge(Case):
    """What is asked of huge files costs what the range costs; sparse files make them cheap to have."""

    def sparse(self, name, size, head, tail=b""):
        path = self.write(name, head)
        with open(path, "r+b") as file:
            file.truncate(size)
            file.seek(size - len(tail))
            file.write(tail)
        return path

    def read_one(self, **given):
        result = self.execute(use("Read", id="1", **given))["1"]
        return text_of(result), result.get("is_error", False)

    def test_five_gigabytes_by_range(self):
        head = b"".join(b"line %d\n" % number for number in range(1, 200001))
        self.sparse("huge", 5 * GB, head)
        results = self.execute(use("Read", id="1", file_path="huge", offset=150000, limit=2),
                               use("Read", id="2", file_path="huge", offset=3, limit=1),
                               use("Read", id="3", file_path="huge", offset=200000, limit=2),
                               use("Read", id="4", file_path="huge"))
        self.assertIn("150000\tline 150000\n150001\tline 150001\n", text_of(results["1"]))
        self.assertIn("     3\tline 3\n", text_of(results["2"]))
        self.assertIn("200000\tline 200000\n200001\t", text_of(results["3"]))
        self.assertIn("goes on for at least", text_of(results["3"]))
        self.assertIn("very large", text_of(results["4"]))
        peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss  # kB; a sanitizer's own is most of it
        self.assertLess(peak, 450000)

    def test_the_end_of_a_gigabyte(self):
        head = b"".join(b"line %d\n" % number for number in range(1, 10001))
        self.sparse("deep", GB, head, b"\nalmost last\nlast")
        results = self.execute(use("Read", id="1", file_path="deep", offset=10002, limit=5),
                               use("Read", id="2", file_path="deep", offset=10003, limit=5),
                               use("Read", id="3", file_path="deep", offset=10004, limit=5))
        self.assertEqual(text_of(results["1"]), " 10002\talmost last\n 10003\tlast\n")
        self.assertEqual(text_of(results["2"]), " 10003\tlast\n")
        self.assertIn("has 10003 lines", text_of(results["3"]))

    def test_one_line_of_a_gigabyte(self):
        self.sparse("line", GB, b"x" * 20000)
        text, failed = self.read_one(file_path="line", limit=1)
        self.assertFalse(failed)
        self.assertIn("[line cut: ", text)
        self.assertLess(len(text), 5000)
        text, failed = self.read_one(file_path="line", offset=2, limit=1)
        self.assertIn("has 1 line; offset 2 lies past its end", text)

    def test_nothing_at_all(self):
        self.write("empty", b"")
        self.assertEqual(self.read_one(file_path="empty"), ("The file exists and is empty.", False))
        self.assertEqual(self.read_one(file_path="empty", offset=7)[0], "The file exists and is empty.")

    def test_a_hole_alone_is_binary(self):
        self.sparse("hole", 5 * GB, b"")
        text, failed = self.read_one(file_path="hole")
        self.assertTrue(failed)
        self.assertIn("a binary file (5.4 GB)", text)


class Moving(Case):
    """Files that others write to meanwhile: every line that is shown bears its right number."""

    def check_lines(self, text):
        shown = [line.split("\t") for line in text.split("\n") if "\t" in line]
        for number, line in shown[:-1]:  # the last one may be half written
            self.assertEqual(line, "entry %d" % int(number))
        return len(shown)

    def test_a_file_that_grows(self):
        path = self.write("log", "".join("entry %d\n" % number for number in range(1, 150001)))
        stop = threading.Event()

        def grow():
            with open(path, "a", buffering=1 << 12) as file:
                for number in range(150001, 400001):
                    file.write("entry %d\n" % number)
                    if stop.is_set():
                        break

        writer = threading.Thread(target=grow)
        process = self.start("exec")
        writer.start()
        try:
            for turn in range(20):
                call = use("Read", id=str(turn), file_path="log", offset=140000 + turn * 500, limit=300)
                process.stdin.write((json.dumps(call) + "\n").encode())
                process.stdin.flush()
                result = json.loads(process.stdout.readline())
                self.assertFalse(result.get("is_error"))
                self.check_lines(text_of(result))
        finally:
            stop.set()
            writer.join()
            process.communicate(timeout=600)
        self.assertEqual(process.returncode, 0)

    def test_a_file_that_shrinks_and_is_replaced(self):
        path = self.write("log", "".join("entry %d\n" % number for number in range(1, 200001)))
        stop = threading.Event()

        def churn():
            for turn in range(500):
                if turn % 2:
                    os.truncate(path, 600000)
                else:
                    with open(path + ".new", "w") as file:
                        file.writelines("entry %d\n" % number for number in range(1, 200001))
                    os.rename(path + ".new", path)
                if stop.wait(0.002):
                    break

        writer = threading.Thread(target=churn)
        writer.start()
        try:
            results = self.execute(*[use("Read", id=str(turn), file_path="log", offset=100 + turn * 3000, limit=50)
                                     for turn in range(40)])
        finally:
            stop.set()
            writer.join()
        self.assertEqual(len(results), 40)
        for result in results.values():
            if result.get("is_error"):
                self.assertIn("replaced again and again", text_of(result))
            else:
                self.check_lines(text_of(result))


class Names(Case):
    def test_strange_names_are_read(self):
        names = ["line\nbreak", "tab\there", " blank ", "-dash", "quo\"te'", "back\\slash", "$(echo x)", "*", "ü" * 127,
                 "n" * 255, "\u202eevil", "emoji \U0001f600"]
        for number, name in enumerate(names):
            self.write(name, "content %d\n" % number)
        results = self.execute(*[use("Read", id=str(number), file_path=name) for number, name in enumerate(names)])
        for number, name in enumerate(names):
            self.assertEqual(text_of(results[str(number)]), "     1\tcontent %d\n" % number, repr(name))

    def test_a_name_that_is_no_utf8_leads_to_a_shell(self):
        path = os.path.join(self.project.encode(), b"caf\xe9.txt")
        with open(path, "w") as file:
            file.write("x\n")
        result = self.execute(use("Read", id="1", file_path="caf\ufffd.txt"))["1"]
        self.assertTrue(result["is_error"])
        self.assertIn("not valid UTF-8", text_of(result))
        self.assertIn("caf?.txt", text_of(result))

    def test_names_that_are_too_long(self):
        result = self.execute(use("Read", id="1", file_path="n" * 256), use("Read", id="2", file_path="d/" * 3000))
        self.assertTrue(result["1"]["is_error"] if "1" in result else result["is_error"])


class Encodings(Case):
    TEXT = "Größe und Maß,\nschöne Grüße aus Köln\nund ein drittes Wörtchen für den Süden\n"

    def test_every_encoding_is_shown_as_utf8(self):
        russian = "Привет, это обычный русский текст для проверки кодировки.\nВторая строка с буквами.\n"
        japanese = "これは日本語の文章です。\n文字コードを調べるための文です。\n"
        chinese = "这是一个用来检查编码的中文文件。\n我们在这里写了两行文字。\n"
        korean = "이것은 문자 인코딩을 확인하기 위한 한국어 글입니다.\n두 번째 줄입니다.\n"
        rows = [(self.TEXT, "utf-8-sig", "utf-16", "utf-16-le", "utf-32", "cp1252"), (russian, "cp1251", "koi8-r", "utf-16-be"),
                (japanese, "cp932", "euc_jp", "iso2022_jp"), (chinese, "gb18030"),
                (korean, "euc_kr")]
        calls, texts = [], {}
        for text, *names in rows:
            for name in names:
                for ends in ("\n", "\r\n"):
                    file = name + ("-crlf" if ends == "\r\n" else "")
                    self.write(file, text.replace("\n", ends).encode(name))
                    calls.append(use("Read", id=file, file_path=file))
                    texts[file] = text
        results = self.execute(*calls)
        for file, text in texts.items():
            shown = text_of(results[file])
            for number, line in enumerate(text.splitlines(), 1):
                self.assertIn("%6d\t%s\n" % (number, line), shown, file)
            self.assertEqual("CRLF" in shown, file.endswith("-crlf"), file)
            self.assertEqual("shown as UTF-8" in shown, not file.startswith("utf-8"), file)

    def test_large_files_in_wide_encodings_by_range(self):
        text = "".join("Zeile %d ä\n" % number for number in range(1, 120001))
        for name in ("utf-16", "utf-32", "utf-16-be", "cp1252"):
            self.write(name, text.encode(name))
        results = self.execute(*[use("Read", id=name, file_path=name, offset=110000, limit=2)
                                 for name in ("utf-16", "utf-32", "utf-16-be", "cp1252")])
        for name, result in results.items():
            self.assertIn("110000\tZeile 110000 ä\n110001\tZeile 110001 ä\n", text_of(result), name)


class Notebooks(Case):
    """Notebooks as programs write them: an output without a picture is the usual one."""

    OUTPUTS = {
        "value": {"output_type": "execute_result", "data": {"text/plain": "the value"}, "metadata": {}, "execution_count": 1},
        "stream": {"output_type": "stream", "name": "stdout", "text": ["a long line\n"] * 3000},
        "html": {"output_type": "display_data", "data": {"text/html": ["<b>", "</b>"]}, "metadata": {}},
        "unknown": {"output_type": "display_data", "data": {"application/x": {}}, "metadata": {}},
        "none": {"output_type": "display_data"},
        "error": {"output_type": "error", "ename": "E", "evalue": "why", "traceback": []},
        "no picture": {"output_type": "display_data", "data": {"image/png": "?"}, "metadata": {}},
    }

    def test_every_kind_of_output(self):
        calls = []
        for first in self.OUTPUTS:
            for second in self.OUTPUTS:
                outputs = [self.OUTPUTS[first], self.OUTPUTS[second]]
                cell = {"cell_type": "code", "id": "a", "source": "x", "metadata": {}, "outputs": outputs, "execution_count": 1}
                self.write(f"{first} {second}.ipynb", json.dumps({"cells": [cell], "metadata": {}, "nbformat": 4, "nbformat_minor": 5}))
                calls.append(use("Read", id=f"{first} {second}", file_path=f"{first} {second}.ipynb"))
        results = self.execute(*calls)
        for key, result in results.items():
            self.assertFalse(result.get("is_error", False), key)
            self.assertIn("Cell 0 (code, id a", text_of(result), key)
        self.assertIn("the value", text_of(results["value value"]))


expose(globals())
if __name__ == "__main__":
    main()
