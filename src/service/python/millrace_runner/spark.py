"""The Spark session of a notebook, which is started when it is first used."""

import re


def spark_udf(*values, **options):
    from pyspark.sql.functions import udf

    return udf(*values, **options)


class LazySpark:
    """Stands for the Spark session until it is used, since starting one takes seconds."""

    def __init__(self, machine, member=None):
        self.__dict__["_machine"] = machine
        self.__dict__["_member"] = member

    def _real(self):
        session = self._machine.spark_session()
        return session if self._member is None else getattr(session, self._member)

    def __getattr__(self, name):
        if name.startswith("__") and name.endswith("__"):
            raise AttributeError(name)
        return getattr(self._real(), name)

    def __repr__(self):
        return "<Spark, not started yet>"


def split_statements(text):
    """SQL cut at the semicolons that are in no string and no comment."""
    parts = re.split(r"""('(?:[^'\\]|\\.|'')*'|"(?:[^"\\]|\\.)*"|--[^\n]*|/\*.*?\*/|;)""", text, flags=re.S)
    statements = [""]
    for part in parts:
        if part == ";":
            statements.append("")
        elif not part.startswith("--") and not part.startswith("/*"):
            statements[-1] += part
    return statements
