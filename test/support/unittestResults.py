"""Runs the Python tests below a folder and writes their results as the other stages do: unittestResults.py FOLDER RESULTS_FILE."""

import json
import os
import sys
import unittest


class Results(unittest.TextTestResult):
    passed = 0

    def addSuccess(self, test):
        super().addSuccess(test)
        self.passed += 1


def main(folder, path):
    suite = unittest.defaultTestLoader.discover(folder)
    result = unittest.TextTestRunner(stream=sys.stdout, verbosity=1, resultclass=Results).run(suite)
    failures = [{"title": str(test), "error": error} for test, error in result.failures + result.errors]
    counts = {"passed": result.passed, "failed": len(failures), "skipped": len(result.skipped)}
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w", encoding="utf-8") as file:
        json.dump(dict(counts, failures=failures, lines=[]), file)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
