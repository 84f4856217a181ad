"""What is left of a traceback that ends inside of the debugger."""

import sys
import unittest

import run_debugged


def traceback_through(*names):
    """The traceback of an error that was raised in modules of these names, the last one below the others."""
    action = None
    for name in reversed(names):
        source = "def call():\n    " + ("1 / 0" if action is None else "action()") + "\n"
        module = {"__name__": name, "action": action}
        exec(compile(source, name, "exec"), module)
        action = module["call"]
    try:
        action()
    except ZeroDivisionError:
        return sys.exc_info()[2].tb_next


def names_of(trace):
    names = []
    while trace is not None:
        names.append(trace.tb_frame.f_globals["__name__"])
        trace = trace.tb_next
    return names


class Traceback(unittest.TestCase):
    def test_ends_with_the_last_frame_of_the_program(self):
        for given, kept in (
            (("__main__", "mine"), ["__main__", "mine"]),
            (("__main__", "pydevd", "_pydevd_bundle.x"), ["__main__"]),
            (("__main__", "debugpy.server", "mine", "pydevd"), ["__main__", "debugpy.server", "mine"]),
        ):
            with self.subTest(given):
                self.assertEqual(names_of(run_debugged.without_last(traceback_through(*given))), kept)

    def test_is_none_where_there_was_none(self):
        self.assertIsNone(run_debugged.without_last(None))
