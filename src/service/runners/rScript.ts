/** The Python module that runs cells in R; it is imported by the program of notebookScript.ts. */
export const rScript = String.raw`"""Cells in R: one R process for a notebook, which evaluates a file for each cell."""
import os
import shutil
import subprocess
import sys

# The marker ends what one cell printed. Plots have no place to go.
LOOP = r"""
options(warn = 1, device = function(...) grDevices::pdf(NULL))
.millrace <- commandArgs(TRUE)[1]
.input <- file("stdin", "r")
while (length(.path <- readLines(.input, n = 1)) > 0) {
  .status <- tryCatch({ source(.path, local = globalenv(), print.eval = TRUE, encoding = "UTF-8"); "ok" },
    error = function(e) { message("Error: ", conditionMessage(e)); paste("error", gsub("\n", " ", conditionMessage(e))) })
  cat("\n", .millrace, " ", .status, "\n", sep = ""); flush(stdout())
}
"""


class RError(Exception):
    """A cell in R failed."""
    __module__ = "builtins"


def find():
    return shutil.which("Rscript")


class Session:
    def __init__(self, folder):
        self.folder = folder
        self.marker = "millrace-" + os.urandom(8).hex()
        program = os.path.join(folder, "r-loop.R")
        with open(program, "w", encoding="utf-8") as file:
            file.write(LOOP)
        self.process = subprocess.Popen(
            [find(), "--vanilla", program, self.marker], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
            text=True, encoding="utf-8", errors="replace", bufsize=1)

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
                status = line[len(self.marker):].strip()
                if status != "ok":
                    raise RError(status[len("error "):])
                return
            sys.stdout.write(held)
            held = line
        sys.stdout.write(held)
        raise RError("R ended with code %s" % self.process.wait())
`;
