"""export.py FORM NOTEBOOK OUT: writes a notebook as one HTML file that needs no network, with its images in it.

FORM is slides, html or pdf (a page that a browser prints). `warpbook export` calls this and names the exit statuses.
"""

import importlib.util
import re
import sys
from pathlib import Path

import nbformat
from nbconvert.exporters import HTMLExporter, SlidesExporter

NO_REVEAL, NO_NOTEBOOK = 10, 11
# The order of JupyterLab, so that an output looks as it did there.
ORDER = ("text/html", "text/markdown", "image/svg+xml", "image/png", "image/jpeg", "text/latex", "text/plain")
# Blocks of nbconvert's templates that load scripts from the network: require.js, MathJax, mermaid, widgets.
FROM_NETWORK = ("html_head_js", "html_head_js_mathjax", "html_head_js_mermaidjs", "jupyter_widgets")
# Pictures follow the page's colours, which are light. A slide that is too long scrolls.
STYLE = """<style>
:root { color-scheme: only light; }
.reveal .slides { text-align: left; }
.reveal .slides > section.present:not(.stack), .reveal .slides > section.stack > section.present { max-height: 100%; overflow: auto; }
.reveal .jp-InputPrompt, .reveal .jp-OutputPrompt { display: none; }
@media print { .jp-Cell-inputWrapper, .jp-OutputArea-output, tr, img { break-inside: avoid; } }
</style>"""
START = "Reveal.initialize({hash: true, center: false, width: 1100, height: 760, slideNumber: 'c/t', plugins: [RevealNotes]});"


def template(base):
    blocks = [f"{{% block {name} %}}{{% endblock %}}" for name in FROM_NETWORK]
    footer = "{% block footer_js %}<reveal-js>{% endblock %}"
    return f"{{% extends '{base}/index.html.j2' %}}" + "".join(blocks) + "{% block html_head_css %}" + STYLE + "{% endblock %}" + footer


def divide(cells):
    """Starts a slide at each heading and below it one at each cell of code, in a notebook that names no slides."""
    if any(cell.metadata.get("slideshow", {}).get("slide_type") for cell in cells):
        return
    for cell in cells:
        heading = cell.cell_type == "markdown" and cell.source.startswith("#")
        kind = "slide" if heading else "subslide" if cell.cell_type == "code" else "-"
        cell.metadata["slideshow"] = {"slide_type": kind}


def with_reveal(page, folder):
    """Puts reveal.js and its style sheets where the page refers to them."""
    link = r'<link [^>]*href="reveal:/([^"]+)"[^>]*>'
    page = re.sub(link, lambda found: f"<style>{(folder / found[1]).read_text()}</style>", page)
    scripts = [(folder / "dist" / name).read_text() for name in ("reveal.js", "plugin/notes.js")] + [START]
    # A script ends at the first of these tags, even inside a string.
    text = "".join("<script>" + script.replace("</script", "<\\/script") + "</script>\n" for script in scripts)
    return page.replace("<reveal-js>", text)


def main(form, notebook, out):
    try:
        book = nbformat.read(notebook, as_version=4)
        nbformat.validate(book)
    except Exception:  # nbformat and JSON have a dozen of them
        return NO_NOTEBOOK
    spec = importlib.util.find_spec("pyreveal")
    slides = form == "slides"
    if slides and not spec:
        return NO_REVEAL
    exporter = (SlidesExporter if slides else HTMLExporter)(
        raw_template=template("reveal" if slides else "lab"), embed_images=True, exclude_anchor_links=True
    )
    exporter.display_data_priority = list(ORDER)
    exporter.language_code = "zh" if book.metadata.get("kernelspec", {}).get("name", "").endswith("-zh") else "en"
    if slides:
        exporter.reveal_url_prefix, exporter.reveal_theme = "reveal:", "white"
        divide(book.cells)
    where = Path(notebook).resolve()
    page, _ = exporter.from_notebook_node(book, {"metadata": {"name": where.stem, "path": str(where.parent)}})
    Path(out).write_text(with_reveal(page, Path(spec.origin).parent / "revealjs") if slides else page, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
