"""What a cell prints, on its way to the file of events."""

import json
import os
import subprocess
import sys
import unittest

from millrace_runner.output import CellStream, Events, Recorder, size_of
from support import FolderTest

PACKAGE = os.path.dirname(os.path.dirname(os.path.abspath(sys.modules["millrace_runner"].__file__)))

# Its end ends the process, so it has one of its own.
LIMITED = """
import sys
from millrace_runner.output import Events, Recorder
recorder = Recorder(Events(sys.argv[1]), 10)
recorder.begin(0)
recorder.stream("stdout", "12345")
recorder.flush()
recorder.stream("stdout", sys.argv[2])
recorder.flush()
recorder.end(0, "ok")
"""


class OutputTest(FolderTest):
    def setUp(self):
        super().setUp()
        self.path = os.path.join(self.folder, "events.jsonl")
        self.written = Events(self.path)
        self.addCleanup(os.close, self.written.descriptor)

    def events(self):
        with open(self.path, encoding="utf-8") as file:
            return [json.loads(line) for line in file]

    def outputs(self):
        return [each["output"] for each in self.events() if each["event"] == "output"]


class EventFiles(OutputTest):
    def test_have_one_line_for_each_event_in_ascii(self):
        self.written.write("a", text="ä\n\u2028")
        self.written.write("b")
        with open(self.path, "rb") as file:
            lines = file.read().splitlines()
        self.assertEqual([json.loads(line)["event"] for line in lines], ["a", "b"])
        self.assertTrue(lines[0].isascii())

    def test_go_on_where_they_ended(self):
        self.written.write("a")
        more = Events(self.path)
        self.addCleanup(os.close, more.descriptor)
        more.write("b")
        self.assertEqual([each["event"] for each in self.events()], ["a", "b"])

    def test_are_for_their_owner_only(self):
        if os.name == "nt":
            self.skipTest("there are no such modes")
        self.assertEqual(os.stat(self.path).st_mode & 0o077, 0)


class Recorders(OutputTest):
    def setUp(self):
        super().setUp()
        self.recorder = Recorder(self.written, 1000)
        self.recorder.begin(3)

    def test_join_what_is_printed_until_it_is_flushed(self):
        for text in ("a", "", "b", "c"):
            self.recorder.stream("stdout", text)
        self.assertEqual(self.outputs(), [])
        self.recorder.flush()
        self.assertEqual(self.outputs(), [{"type": "stream", "name": "stdout", "text": "abc"}])

    def test_keep_the_order_of_both_streams_and_of_values(self):
        self.recorder.stream("stdout", "a")
        self.recorder.stream("stderr", "b")
        self.recorder.output({"type": "data", "data": {"text/plain": "c"}, "isResult": True})
        self.recorder.stream("stdout", "d")
        self.recorder.end(3, "ok")
        self.assertEqual(
            [each.get("text") or each["data"]["text/plain"] for each in self.outputs()], ["a", "b", "c", "d"]
        )

    def test_do_not_wait_for_ever_with_much_text(self):
        self.recorder.limit_bytes = 100000
        self.recorder.stream("stdout", "x" * 20000)
        self.assertEqual(len(self.outputs()), 1)
        # What comes after it is joined as before.
        self.recorder.stream("stdout", "a")
        self.recorder.stream("stdout", "b")
        self.assertEqual(len(self.outputs()), 1)
        self.recorder.flush()
        self.assertEqual(self.outputs()[1]["text"], "ab")

    def test_name_the_cell_and_how_it_ended(self):
        self.recorder.stream("stdout", "a")
        self.recorder.end(3, "error")
        self.assertEqual(
            [(each["event"], each["cell"]) for each in self.events()], [("start", 3), ("output", 3), ("end", 3)]
        )
        self.assertEqual(self.events()[-1]["status"], "error")

    def test_give_each_cell_its_own_room(self):
        for cell in range(3):
            self.recorder.begin(cell)
            self.recorder.stream("stdout", "x" * 900)
            self.recorder.flush()
        self.assertEqual([len(each["text"]) for each in self.outputs()], [900, 900, 900])

    def test_are_heard_as_they_are_kept(self):
        heard = []
        self.recorder.listener = lambda *values: heard.append(values)
        self.recorder.stream("stdout", "a")
        self.recorder.stream("stdout", "b")
        self.recorder.stream("stderr", "c")
        self.recorder.end(3, "ok")
        self.assertEqual(heard, [("stdout", "ab"), ("stderr", "c")])

    def mirrored(self, text):
        reading, writing = os.pipe()
        self.recorder.mirror = {"stdout": writing}
        self.recorder.stream("stdout", text)
        self.recorder.flush()
        os.close(writing)
        with os.fdopen(reading, "rb") as file:
            return file.read()

    def test_mirror_to_the_output_of_the_process(self):
        self.assertEqual(self.mirrored("ä").decode("utf-8"), "ä")

    def test_keep_what_is_no_text_as_far_as_it_can_be_written(self):
        self.assertEqual(self.mirrored("a\ud800b"), b"a?b")
        self.assertEqual(self.outputs()[-1]["text"], "a\ud800b")


class Limits(OutputTest):
    def end_of(self, text):
        environment = dict(os.environ, PYTHONPATH=PACKAGE)
        return subprocess.run([sys.executable, "-c", LIMITED, self.path, text], env=environment).returncode

    def test_end_the_run_and_keep_what_fits(self):
        self.assertEqual(self.end_of("67890x"), 86)
        self.assertEqual([each["text"] for each in self.outputs()], ["12345", "67890"])
        self.assertEqual([each["event"] for each in self.events()][-1], "limit")

    def test_cut_no_character_in_two(self):
        self.assertEqual(self.end_of("6789ä"), 86)
        self.assertEqual(self.outputs()[-1]["text"], "6789")

    def test_let_exactly_as_much_pass(self):
        self.assertEqual(self.end_of("67890"), 0)
        self.assertEqual(self.events()[-1]["status"], "ok")

    def test_count_bytes_of_each_form(self):
        self.assertEqual(size_of({"type": "stream", "text": "ä"}), 2)
        self.assertEqual(size_of({"type": "error", "traceback": ["a", "ä"]}), 3)
        self.assertEqual(size_of({"type": "data", "data": {"text/plain": "ä", "application/json": [1]}}), 5)


class Streams(OutputTest):
    def setUp(self):
        super().setUp()
        self.recorder = Recorder(self.written, 1000)
        self.recorder.begin(0)
        self.stream = CellStream(self.recorder, "stderr", 2)

    def test_take_text_and_say_how_much(self):
        self.assertEqual(self.stream.write("ab"), 2)
        self.recorder.flush()
        self.assertEqual(self.outputs(), [{"type": "stream", "name": "stderr", "text": "ab"}])

    def test_take_bytes_through_their_buffer(self):
        self.assertEqual(self.stream.buffer.write(b"a\xff"), 2)
        self.recorder.flush()
        self.assertEqual(self.outputs()[0]["text"], "a\ufffd")

    @unittest.skipUnless(hasattr(os, "fork"), "this system has no fork")
    def test_leave_what_a_forked_child_writes_to_the_descriptor(self):
        reader, writer = os.pipe()
        self.addCleanup(os.close, reader)
        self.stream.descriptor = writer
        child = os.fork()
        if child == 0:
            self.stream.write("child")
            os._exit(0)
        os.waitpid(child, 0)
        os.close(writer)
        self.assertEqual(os.read(reader, 100), b"child")

    def test_refuse_what_is_no_text(self):
        with self.assertRaisesRegex(TypeError, r"write\(\) argument must be str, not bytes"):
            self.stream.write(b"a")

    def test_are_no_terminal_and_know_their_descriptor(self):
        self.assertEqual(
            (self.stream.isatty(), self.stream.fileno(), self.stream.encoding, self.stream.name),
            (False, 2, "utf-8", "<stderr>"),
        )


if __name__ == "__main__":
    unittest.main()
