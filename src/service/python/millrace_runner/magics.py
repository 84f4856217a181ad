"""Magics of IPython, for notebooks that run without it: what they do and print is the same."""

import ast
import linecache
import os
import re
import shlex
import statistics
import time
import timeit


def format_time(seconds):
    """Such as "1.5 ms" or "2min 3s", as IPython writes it."""
    if seconds >= 60:
        parts = []
        for suffix, length in (("d", 86400), ("h", 3600), ("min", 60), ("s", 1)):
            value = int(seconds / length)
            if value > 0:
                seconds %= length
                parts.append("%d%s" % (value, suffix))
        return " ".join(parts)
    for unit, scale in (("s", 1), ("ms", 1e3), ("μs", 1e6)):
        if seconds * scale >= 1:
            return "%.3g %s" % (seconds * scale, unit)
    return "%.3g ns" % (seconds * 1e9)


def expand(text, namespace):
    """Python values in a shell line: {expression} and $name, if they mean something."""

    def value(match):
        if match.group(2) and match.group(2) not in namespace:
            return match.group(0)
        try:
            return str(eval(match.group(1) or match.group(2), namespace))
        except Exception:
            return match.group(0)

    return re.sub(r"(?<![\$\\{])\{([^{}\n]+)\}(?!\})|\$([A-Za-z_]\w*)", value, text)


def run_timed(machine, source, line_number):
    """%time and %%time: executes in the notebook's namespace and gives the value of the last expression."""
    padded = "\n" * (line_number - 1) + source
    name = machine.cell_name
    linecache.cache[name] = (len(padded), None, (padded + "\n").splitlines(True), name)
    tree = ast.parse(padded, name, "exec")
    last = ast.Expression(tree.body.pop().value) if tree.body and isinstance(tree.body[-1], ast.Expr) else None
    before, start = os.times(), time.perf_counter()
    try:
        machine.evaluate_tree(tree, name, "exec")
        return machine.evaluate_tree(last, name, "eval") if last is not None else None
    finally:
        wall, after = time.perf_counter() - start, os.times()
        user, system = after.user - before.user, after.system - before.system
        print(
            "CPU times: user %s, sys: %s, total: %s"
            % (format_time(user), format_time(system), format_time(user + system))
        )
        print("Wall time: %s" % format_time(wall))


def run_repeatedly(machine, line, body):
    """%timeit and %%timeit, with -n and -r; with -o it gives the times of the runs."""
    options = re.match(r"(?:\s*-(?:[nr]\s*\d+|[tcqop](?:\s*\d+)?))*\s*", line).group(0)
    given = dict(re.findall(r"-([nr])\s*(\d+)", options))
    flags = set(re.findall(r"-([tcqop])", options))
    statement = line[len(options) :]
    # Of a cell magic the line is what is done once before.
    timer = timeit.Timer(
        body or statement or "pass", statement if body and statement else "pass", globals=machine.namespace
    )
    number = int(given.get("n", 0)) or timer.autorange()[0]
    repeat = int(given.get("r", 7))
    times = [total / number for total in timer.repeat(repeat, number)]
    if "q" not in flags:
        print(
            "%s ± %s per loop (mean ± std. dev. of %d run%s, %s loop%s each)"
            % (
                format_time(statistics.fmean(times)),
                format_time(statistics.pstdev(times)),
                repeat,
                "" if repeat == 1 else "s",
                "{:,}".format(number),
                "" if number == 1 else "s",
            )
        )
    return times if "o" in flags else None


def environment(line):
    name, equals, value = line.partition("=")
    if not equals:
        name, _, value = line.partition(" ")
    name = name.strip()
    if not name:
        return dict(os.environ)
    if not value.strip():
        return os.environ[name]
    os.environ[name] = value.strip()
    print("env: %s=%s" % (name, value.strip()))
    return None


def change_folder(line):
    os.chdir(os.path.expanduser(" ".join(shlex.split(line)) or "~"))
    print(os.getcwd())


def write_file(line, body):
    words = shlex.split(line)
    path = os.path.expanduser(words[-1])
    is_appended = "-a" in words[:-1]
    print("%s %s" % ("Appending to" if is_appended else "Overwriting" if os.path.exists(path) else "Writing", path))
    with open(path, "a" if is_appended else "w", encoding="utf-8") as file:
        file.write(body if body.endswith("\n") else body + "\n")


def run(machine, mark, name, line, body, line_number):
    """A magic by its name. @return its value; what is not known is an error of the machine's own"""
    is_cell = mark == "%%"
    if name == "time":
        return run_timed(machine, body if is_cell else line, line_number + 1 if is_cell else line_number)
    if name == "timeit":
        return run_repeatedly(machine, line, body if is_cell else "")
    if name in ("env", "set_env") and not is_cell:
        return environment(line)
    if name == "cd" and not is_cell:
        return change_folder(line)
    if name == "pwd" and not is_cell:
        return os.getcwd()
    if name in ("writefile", "file") and is_cell:
        return write_file(line, body)
    if name in ("html", "HTML") and is_cell:
        return machine.display_html(body)
    return machine.unknown_magic(mark + name)
