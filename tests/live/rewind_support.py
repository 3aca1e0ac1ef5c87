"""What the tests of `helve rewind` share."""
import json
import os

from cli_support import Case, message, say, use


class Rewind(Case):
    """Each turn is a run of helve -p with a recorded model, in one session."""

    def setUp(self):
        super().setUp()
        self.session = None
        self.count = 0

    def turn(self, *blocks, prompt="go", mode="bypassPermissions", flags=()):
        """One message of a person and the calls that it led to."""
        self.count += 1
        blocks = [dict(block, id="toolu_%d_%d" % (self.count, i)) for i, block in enumerate(blocks)]
        answers = [message(block) for block in blocks] + [message(say("done %d" % self.count))]
        model = self.recording(*answers, name="turn%d.jsonl" % self.count)
        more = ("--resume", self.session) if self.session else ()
        out = self.run_helve("-p", "--model", model, "--output-format", "json", "--permission-mode", mode, *more, *flags, prompt)
        self.session = json.loads(out)["session_id"]
        return json.loads(out)

    def rewind(self, *flags, code=0, **options):
        return self.run_helve("rewind", self.session, *flags, code=code, **options)

    def plan(self, *flags, code=0):
        """The lines of --json: actions by name, and the last line."""
        lines = [json.loads(line) for line in self.rewind("--json", *flags, code=code).splitlines()]
        actions = {os.path.relpath(line["path"], self.project): line["action"] for line in lines if "path" in line}
        return actions, lines[-1] if lines else None

    def tree(self):
        """Everything in the project but .git: kind, mode, bytes."""
        found = {}
        for folder, folders, files in os.walk(self.project):
            folders[:] = [name for name in folders if name != ".git"]
            for name in folders + files:
                path = os.path.join(folder, name)
                status = os.lstat(path)
                if os.path.islink(path):
                    content = os.readlink(path)
                elif os.path.isdir(path):
                    content = None
                else:
                    with open(path, "rb") as file:
                        content = file.read()
                found[os.path.relpath(path, self.project)] = (status.st_mode, content)
        return found

    def exists(self, name):
        return os.path.lexists(self.path(name))

    def journal(self):
        return [path for path in self.journals() if self.session in path][0]

    def store(self):
        return self.journal()[:-6] + "/checkpoints"

    def script(self, text, **more):
        """A program of which nobody can tell what it writes."""
        self.scripts = getattr(self, "scripts", 0) + 1
        path = os.path.join(self.top, "program%d.py" % self.scripts)
        with open(path, "w") as file:
            file.write(text)
        return use("Bash", command="python3 %s" % path, **more)

    def exact(self):
        """The tree with all that belongs to it: owners, attributes, times of files, and which names are one file."""
        found, names = {}, {}
        for name, (mode, content) in sorted(self.tree().items(), key=lambda item: os.fsencode(item[0])):
            path = self.path(name)
            status = os.lstat(path)
            attributes = {key: os.getxattr(path, key, follow_symlinks=False) for key in os.listxattr(path, follow_symlinks=False)}
            is_file = not os.path.islink(path) and not os.path.isdir(path)
            first = names.setdefault(status.st_ino, name)
            found[name] = (mode, content, status.st_uid, status.st_gid, attributes, status.st_mtime_ns if is_file else None,
                           first if is_file else None)
        return found
