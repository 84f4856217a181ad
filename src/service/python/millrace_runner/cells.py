"""What a cell is, by its magic or the notebook's language, and the Python that carries it out."""

import ast
import re

from . import r_session

LANGUAGES = {
    "python": "code",
    "md": "markdown",
    "sh": "shell",
    "bash": "shell",
    "sql": "sql",
    "fs": "files",
    "run": "run",
    "r": "r",
}


def classify(source, title, language="python"):
    """A cell's kind, by the magic that it begins with, else by the notebook's language."""
    language = {"ipython": "python", "python3": "python"}.get(language.lower(), language.lower())
    body = source.lstrip("\n")
    match = re.match(r"\s*%%?(\w+)\b[ \t]*(.*)$", body.split("\n", 1)[0])
    rest = body.split("\n", 1)[1] if "\n" in body else ""
    name = match.group(1).lower() if match else ""
    if name in ("scala", "java"):
        return {"kind": "unsupported", "language": name, "source": source, "title": title}
    kind = LANGUAGES.get(name)
    # %sh and %sql take the whole cell on a real workspace, while %sh in the middle of code does not.
    if kind == "run" and rest.strip():
        return {"kind": "code", "language": "python", "source": source, "title": title}
    if kind:
        text = match.group(2) if not rest else (match.group(2) + "\n" + rest if match.group(2) else rest)
        return cell_of(kind, name, source, text, title)
    if language in ("sql", "r"):
        return cell_of(language, language, source, source, title)
    if language != "python":
        return {"kind": "unsupported", "language": language, "source": source, "title": title}
    return {"kind": "code", "language": "python", "source": source, "title": title}


def cell_of(kind, language, source, text, title):
    if kind == "markdown":
        return {"kind": kind, "source": text, "title": title}
    if kind == "r" and r_session.find() is None:
        kind = "unsupported"
    # For whoever reads the notebook, a cell in R is code.
    return {
        "kind": "code" if kind == "r" else kind,
        "language": language,
        "source": source,
        "body": text,
        "title": title,
    }


def to_run(cells):
    """The cells that are run, each behind its index among all."""
    return [(index, cell) for index, cell in enumerate(cells) if cell["kind"] != "markdown"]


def to_python(cell, keep_unknown_magics=False):
    """The Python that carries a cell out."""
    kind = cell["kind"]
    if kind == "code" and cell["language"] == "r":
        return "__millrace__.r(%r)" % cell["body"]
    if kind == "code":
        return rewrite_magics(cell["source"], keep_unknown_magics)
    if kind == "unsupported":
        return "__millrace__.unsupported(%r)" % cell["language"]
    return "__millrace__.%s(%r)" % (
        {"shell": "shell", "sql": "sql", "files": "files", "run": "run_here"}[kind],
        cell["body"],
    )


def rewrite_magics(source, keep_unknown):
    """Replaces the lines that are magics by calls, only if the cell is not Python as it stands."""
    if not re.search(r"^[^\S\n]*[%!]|=[^\S\n]*!", source, re.M):
        return source
    try:
        compile(source, "<cell>", "exec", ast.PyCF_ALLOW_TOP_LEVEL_AWAIT, True)
        return source
    except (SyntaxError, ValueError):
        pass
    whole = re.match(r"(\s*)%%(\w+)[ \t]*([^\n]*)\n?(.*)$", source, re.S)
    if whole and not keep_unknown and whole.group(2) != "python":
        space, name, line, body = whole.groups()
        return "__millrace__.magic('%%%%', %r, %r, %r, %d)" % (name, line, body, space.count("\n") + 1)
    lines = source.split("\n")
    for index, line in enumerate(lines):
        # A magic may go on in the next line; what follows keeps its line number.
        following = index + 1
        while re.match(r"\s*[%!].*\\$", line) and following < len(lines):
            line, lines[following] = line[:-1] + lines[following].lstrip(), ""
            following += 1
        lines[index] = rewrite_line(line, index + 1, keep_unknown)
    return "\n".join(lines)


def rewrite_line(line, number, keep_unknown):
    assigned = re.match(r"(\s*[A-Za-z_]\w*\s*=\s*)!(.*)$", line)
    if assigned and not keep_unknown:
        return "%s__millrace__.shell_lines(%r)" % assigned.groups()
    match = re.match(r"(\s*)(%%?|!)\s*(\w*)\s*(.*)$", line)
    if not match:
        return line
    indent, mark, name, rest = match.groups()
    if mark == "!":
        return "%s__millrace__.shell(%r, True)" % (indent, line.strip()[1:].strip())
    calls = {"pip": "pip", "sh": "shell", "sql": "sql", "run": "run_here"}
    if name in calls:
        return "%s__millrace__.%s(%r)" % (indent, calls[name], rest)
    if name == "python":
        return indent + (rest or "pass")
    if keep_unknown:
        return line
    if name in ("matplotlib", "autoreload", "load_ext", "reload_ext", "config"):
        return indent + "pass"
    return "%s__millrace__.magic(%r, %r, %r, '', %d)" % (indent, mark, name, rest, number)
