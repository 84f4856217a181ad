"""The program that a Jupyter kernel runs before the first cell."""

import os
import runpy
import sys
import unittest
from unittest import mock

from millrace_runner import kernel
from millrace_runner.own_modules import PROGRAMS
from support import keep_modules


class EnterKernel(unittest.TestCase):
    def test_gives_the_kernel_of_this_folder_and_these_places_what_a_notebook_has(self):
        keep_modules(self)
        given = {"RUN_FOLDER": "/run", "POSITIONS": [1, 3]}
        with mock.patch.object(sys, "path", ["/a"]), mock.patch.object(kernel, "enter_kernel") as enter:
            runpy.run_path(os.path.join(PROGRAMS, "enter_kernel.py"), given)
            self.assertEqual(sys.path, [PROGRAMS, "/a"])
        enter.assert_called_once_with("/run", [1, 3])


if __name__ == "__main__":
    unittest.main()
