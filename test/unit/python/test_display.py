"""The forms in which a value is shown."""

import base64
import unittest

from millrace_runner.display import mime_bundle, table_bundle, table_html


class Rich:
    def _repr_html_(self):
        return "<b>x</b>"

    def _repr_png_(self):
        return b"png"

    def _repr_latex_(self):
        return None

    def _repr_svg_(self):
        raise ValueError("no picture")

    def __repr__(self):
        return "Rich()"


class Bundled:
    def _repr_mimebundle_(self, include=None, exclude=None):
        return {"text/plain": "own", "text/html": "<i>own</i>"}, {"meta": 1}

    def _repr_html_(self):
        return "not asked for"


class Unprintable:
    def __repr__(self):
        raise ValueError("no words")


class Frame:
    """What is asked of a DataFrame of Spark."""

    columns = ("a", "b")

    def limit(self, count):
        self.limited = count
        return self

    def collect(self):
        return [(1, None), ("<x>", 2)]


class Bundles(unittest.TestCase):
    def test_of_plain_values_are_text(self):
        self.assertEqual(mime_bundle([1]), {"text/plain": "[1]"})

    def test_have_each_form_that_a_value_has(self):
        self.assertEqual(
            mime_bundle(Rich()),
            {"text/html": "<b>x</b>", "image/png": base64.b64encode(b"png").decode(), "text/plain": "Rich()"},
        )

    def test_that_a_value_makes_itself_come_first(self):
        self.assertEqual(mime_bundle(Bundled()), {"text/plain": "own", "text/html": "<i>own</i>"})

    def test_of_classes_are_their_names_alone(self):
        self.assertEqual(list(mime_bundle(Rich)), ["text/plain"])

    def test_of_unprintable_values_say_so(self):
        self.assertEqual(mime_bundle(Unprintable()), {"text/plain": "<unprintable Unprintable: no words>"})


class Tables(unittest.TestCase):
    def test_take_nothing_for_html(self):
        self.assertEqual(
            table_html(["<a>"], [["&"], [None]]),
            "<table><thead><tr><th>&lt;a&gt;</th></tr></thead>"
            "<tbody><tr><td>&amp;</td></tr><tr><td>null</td></tr></tbody></table>",
        )

    def test_of_spark_are_html_and_text_of_the_first_rows(self):
        frame = Frame()
        bundle = table_bundle(frame)
        self.assertEqual(frame.limited, 1000)
        self.assertEqual(bundle["text/plain"], "a\tb\n1\tNone\n<x>\t2")
        self.assertIn("<td>&lt;x&gt;</td><td>2</td>", bundle["text/html"])


if __name__ == "__main__":
    unittest.main()
