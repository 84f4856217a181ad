"""The forms in which a value is shown: MIME bundles, figures, tables."""

import io
import sys

ROWS_SHOWN = 1000


def mime_bundle(value):
    """The forms that a value has, as Jupyter asks for them."""
    data = {}
    bundle = getattr(value, "_repr_mimebundle_", None)
    if callable(bundle) and not isinstance(value, type):
        try:
            made = bundle(include=None, exclude=None)
            data.update(made[0] if isinstance(made, tuple) else made)
        except Exception:
            pass
    for mime, method in (
        ("text/html", "_repr_html_"),
        ("text/markdown", "_repr_markdown_"),
        ("image/svg+xml", "_repr_svg_"),
        ("image/png", "_repr_png_"),
        ("image/jpeg", "_repr_jpeg_"),
        ("text/latex", "_repr_latex_"),
        ("application/json", "_repr_json_"),
    ):
        call = getattr(value, method, None)
        if mime in data or not callable(call) or isinstance(value, type):
            continue
        try:
            made = call()
        except Exception:
            continue
        if isinstance(made, tuple):
            made = made[0]
        if isinstance(made, bytes):
            import base64

            made = base64.b64encode(made).decode("ascii")
        if made is not None:
            data[mime] = made
    if is_figure(value) and "image/png" not in data:
        data["image/png"] = figure_png(value)
    if "text/plain" not in data:
        try:
            data["text/plain"] = repr(value)
        except Exception as error:
            data["text/plain"] = "<unprintable %s: %s>" % (type(value).__name__, error)
    return data


def is_figure(value):
    module = sys.modules.get("matplotlib.figure")
    return module is not None and isinstance(value, module.Figure)


def figure_png(figure):
    import base64

    buffer = io.BytesIO()
    figure.savefig(buffer, format="png", bbox_inches="tight")
    return base64.b64encode(buffer.getvalue()).decode("ascii")


def close_figure(figure):
    pyplot = sys.modules.get("matplotlib.pyplot")
    if pyplot is not None:
        pyplot.close(figure)


def table_html(columns, rows):
    import html

    head = "".join("<th>%s</th>" % html.escape(str(name)) for name in columns)
    body = "".join(
        "<tr>%s</tr>" % "".join("<td>%s</td>" % html.escape("null" if value is None else str(value)) for value in row)
        for row in rows
    )
    return "<table><thead><tr>%s</tr></thead><tbody>%s</tbody></table>" % (head, body)


def table_bundle(frame):
    """A Spark DataFrame's first rows."""
    rows = frame.limit(ROWS_SHOWN).collect()
    columns = list(frame.columns)
    plain = "\n".join("\t".join(str(value) for value in row) for row in [columns] + [list(row) for row in rows])
    return {"text/html": table_html(columns, rows), "text/plain": plain}
