"""What tests take from npm: tests/npm, which `scripts/bootstrap test` fetches as its lockfile says."""
import glob
import os
import shutil

from harness import Skip

FOLDER = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "npm")


def node(*packages):
    """The program of Node 22, or what is on PATH; skips when a package that is wanted was not fetched."""
    for package in packages:
        if not os.path.isdir(os.path.join(FOLDER, "node_modules", package)):
            raise Skip(f"{package} was not fetched from npm (scripts/bootstrap test)")
    found = [path for path in glob.glob(os.path.join(FOLDER, "node_modules", "node-linux-*", "bin", "node")) if os.access(path, os.X_OK)]
    program = found[0] if found else shutil.which("node")
    if not program:
        raise Skip("there is no node")
    return program
