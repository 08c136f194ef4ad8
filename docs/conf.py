"""How the pages become a site: ``make docs``.

The reference is written from the docstrings of what each room exports, one page for each, when the site is built.
"""

from __future__ import annotations

import inspect
import logging
import sys
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sphinx.application import Sphinx

HERE = Path(__file__).parent

project = "Toolwright"
author = "the Toolwright authors"
copyright = author
extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon", "sphinx.ext.viewcode"]
html_theme = "furo"
html_title = "Toolwright"
html_static_path = ["_static"]
html_css_files = ["site.css"]
exclude_patterns = ["_build"]
myst_heading_anchors = 3
suppress_warnings = ["myst.header"]

autodoc_member_order = "bysource"
autodoc_typehints = "signature"
autodoc_class_signature = "mixed"
python_use_unqualified_type_names = True

# From the ground up, as in ARCHITECTURE.md.
ROOMS = (
    *("errors", "levels", "messages", "schema", "conversation", "transcript", "tiers", "config", "tools", "registry"),
    *("sandbox", "execution", "providers", "agent", "builtin", "testing", "telemetry"),
)


def setup(app: Sphinx) -> None:
    """Have the reference written before anything is read."""
    app.connect("builder-inited", lambda _app: write_reference(HERE / "api"))
    app.connect("autodoc-before-process-signature", lambda _app, _value, _bound: lend_names())


def lend_names() -> None:
    """Give every module the public names, so that annotations which only type checkers resolve can be shown."""
    rooms = [import_module(f"toolwright.{room}") for room in ROOMS]
    names = {each: getattr(room, each) for room in rooms for each in room.__all__}
    for name, module in list(sys.modules.items()):
        if name.startswith("toolwright.") and name not in _LENT:
            _LENT.add(name)
            vars(module).update({each: value for each, value in names.items() if each not in vars(module)})


_LENT: set[str] = set()


def write_reference(folder: Path) -> None:
    """Write a page for each room, and one that lists them; a page that has not changed is left alone."""
    folder.mkdir(exist_ok=True)
    pages = {f"{room}.rst": "\n".join(page_of(room)) for room in ROOMS}
    contents = "".join(f"   {room}\n" for room in ROOMS)
    pages["index.rst"] = (
        f"Reference\n=========\n\nWhat each room exports.\n\n.. toctree::\n   :maxdepth: 1\n\n{contents}"
    )
    for name, text in pages.items():
        path = folder / name
        if not path.exists() or path.read_text(encoding="utf-8") != text:
            path.write_text(text, encoding="utf-8")


def page_of(room: str) -> Iterator[str]:
    """Yield the lines of a room's page: its charter, then each name that it exports."""
    name = f"toolwright.{room}"
    module = import_module(name)
    yield from (name, "=" * len(name), "", f".. automodule:: {name}", "   :no-members:", "")
    homes = getattr(module, "_HOMES", {})
    for each in module.__all__:
        value = getattr(module, each)
        if inspect.isclass(value):
            yield from (f".. autoclass:: {name}.{each}", "   :members:", "   :show-inheritance:", "")
        elif inspect.isfunction(value):
            yield from (f".. autofunction:: {name}.{each}", "")
        elif hasattr(value, "definition"):  # a tool: what a model reads of it
            yield from (f".. data:: {name}.{each}", "", f"   {value.definition.description}", "")
        elif each in homes:  # where the text below its assignment is found
            yield from (f".. autodata:: {name}.{homes[each]}.{each}", "   :no-value:", "")
        elif not inspect.ismodule(value):
            yield from (f".. data:: {name}.{each}", "")


# The theme brings a package that sets the root logger up; which tools are registered is no news to who builds pages.
logging.getLogger("toolwright").setLevel(logging.WARNING)

sys.path.insert(0, str(HERE.parent / "src"))
