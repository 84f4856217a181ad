"""Cells in R: one R process for a notebook, which evaluates a file for each cell."""

import os
import shutil
import subprocess
import sys

LOOP = os.path.join(os.path.dirname(os.path.abspath(__file__)), "r_loop.R")


class RError(Exception):
    """A cell in R failed."""

    __module__ = "builtins"


def find():
    return shutil.which("Rscript")


class Session:
    def __init__(self, folder):
        self.folder = folder
        self.marker = "millrace-" + os.urandom(8).hex()
        self.process = subprocess.Popen(
            [find(), "--vanilla", LOOP, self.marker],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            encoding="utf-8",
            errors="replace",
            bufsize=1,
        )

    def run(self, source):
        path = os.path.join(self.folder, "r-cell.R")
        with open(path, "w", encoding="utf-8") as file:
            file.write(source + "\n")
        self.process.stdin.write(path + "\n")
        self.process.stdin.flush()
        held = ""
        for line in self.process.stdout:
            if line.startswith(self.marker):
                # The marker has a line of its own, whose break is not the cell's.
                sys.stdout.write(held[:-1])
                status = line[len(self.marker) :].strip()
                if status != "ok":
                    raise RError(status[len("error ") :])
                return
            sys.stdout.write(held)
            held = line
        sys.stdout.write(held)
        raise RError("R ended with code %s" % self.process.wait())
