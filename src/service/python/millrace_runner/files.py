"""Reads notebook files: source notebooks, files with # %% cells, and .ipynb."""

import json
import os
import re

from .cells import classify
from .errors import NotebookError

# The language of a source notebook, and how its comments begin.
NOTEBOOK_EXTENSIONS = [".py", ".ipynb", ".sql", ".scala", ".r", ".R"]
SOURCES = {".py": ("python", "#"), ".sql": ("sql", "--"), ".scala": ("scala", "//"), ".r": ("r", "#")}


def read_notebook(path):
    """The cells of a notebook file: dicts of kind, source, title and, for code, language.

    Those of a source notebook have the line of the file, counted from 1, that is the first of their source.
    """
    with open(path, encoding="utf-8-sig", newline=None) as file:
        text = file.read()
    extension = os.path.splitext(path)[1].lower()
    if extension == ".ipynb":
        return read_ipynb(text, path)
    return read_source(text, *SOURCES.get(extension, SOURCES[".py"]))


def read_ipynb(text, path):
    try:
        book = json.loads(text)
        raw = book["cells"] if "cells" in book else book["worksheets"][0]["cells"]
    except (ValueError, KeyError, IndexError, TypeError) as error:
        raise NotebookError("%s is not a Jupyter notebook: %s" % (path, error))
    about = book.get("metadata", {})
    language = about.get("application/vnd.databricks.v1+notebook", {}).get("language") or about.get(
        "kernelspec", {}
    ).get("language", "python")
    cells = []
    for each in raw:
        source = each.get("source", each.get("input", ""))
        if isinstance(source, list):
            source = "".join(source)
        if each.get("cell_type") == "markdown":
            cells.append({"kind": "markdown", "source": source, "title": ""})
        elif each.get("cell_type") == "code":
            cells.append(classify(source, "", language))
    return cells


def read_source(text, language, comment):
    lines = text.split("\n")
    first = next((line for line in lines if line.strip()), "")
    mark = re.escape(comment)
    if re.match(mark + r"\s*Databricks notebook source", first) or any(
        re.match(mark + r" COMMAND -{5,}\s*$", line) for line in lines
    ):
        return read_commands(lines, language, comment)
    if language == "python" and any(re.match(r"#\s*%%", line) for line in lines):
        return read_percent(lines)
    return [dict(classify(text, "", language), line=1)] if text.strip() else []


def read_commands(lines, language, comment):
    mark = re.escape(comment)
    cells = []
    block = []
    for number, line in enumerate(lines + [comment + " COMMAND ----------"], 1):
        if not re.match(mark + r" COMMAND -{5,}\s*$", line):
            if not re.match(mark + r"\s*Databricks notebook source\s*$", line):
                block.append((number, line))
            continue
        title = ""
        kept = []
        first = None
        for place, each in block:
            match = re.match(mark + r" DBTITLE \d+,(.*)$", each)
            if match:
                title = match.group(1).strip()
                continue
            kept.append(each)
            if first is None and each:
                first = place
        block = []
        marked = [each for each in kept if each.strip()]
        if marked and all(re.match(mark + r" MAGIC( |$)", each) for each in marked):
            kept = [each[len(comment) + 7 :] for each in kept]
        source = "\n".join(kept).strip("\n")
        if source.strip():
            cells.append(dict(classify(source, title, language), line=first))
    return cells


def read_percent(lines):
    cells = []
    heading = None
    block = []
    for number, line in enumerate(lines + ["# %%"], 1):
        match = re.match(r"#\s*%%(.*)$", line)
        if not match:
            block.append(line)
            continue
        source = "\n".join(block).strip("\n")
        if source.strip():
            kind = re.search(r"\[(\w+)\]", heading or "")
            title = re.sub(r"\[\w+\]", "", heading or "").strip()
            if kind and kind.group(1) in ("markdown", "md"):
                cells.append({"kind": "markdown", "source": uncomment(source), "title": title})
            elif not (kind and kind.group(1) == "raw"):
                first = number - len(block) + next(index for index, each in enumerate(block) if each)
                cells.append(dict(classify(source, title), line=first))
        heading = match.group(1)
        block = []
    return cells


def uncomment(source):
    quoted = re.match(r'^\s*[rR]?("""|\'\'\')(.*)\1\s*$', source, re.S)
    if quoted:
        return quoted.group(2).strip("\n")
    return "\n".join(re.sub(r"^# ?", "", line) for line in source.split("\n"))
