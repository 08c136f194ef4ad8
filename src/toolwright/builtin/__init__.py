"""The tools that come with Toolwright: what makes a first run useful, and models for tools that users write.

:func:`registry` gives those that fit a workspace and a licence; :data:`edit_tools` and :data:`git_tools` go on top.
Each is an ordinary tool in a file of its own, and nothing in the framework knows them. A file is named otherwise than
its tool: ``builtin.read_file`` is the tool.

==============  =============================================================================================
``reading``     ``read_file``; ``texts`` tells encodings
``writing``     ``write_file``, ``editing`` ``edit_file``; ``replacing`` writes whole files or nothing
``listing``     ``list_directory``
``globbing``    ``glob``; ``patterns`` and ``ignoring`` match names in linear time
``searching``   ``search_text``; ``lines`` goes through files, ``ripgrep`` says which are worth it
``commands``    ``run_command``; ``processes`` ends whole trees of them
``fetching``    ``fetch_url``; ``hosts`` says where it may go, ``requesting`` goes there, ``webpages`` reads HTML
``snippets``    ``run_python``
``git``         ``git_status``, ``git_diff``, ``git_log``, ``git_show``, ``git_commit``
``collection``  which of them an application gets
==============  =============================================================================================

``folders`` and ``walking`` hold whatever works on files to the workspace; ``paging`` bounds what is given at once, and
``isolation`` says whether this machine has what a tool asks for.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from toolwright.builtin.collection import edit_tools, git_tools, registry
    from toolwright.builtin.commands import command_tool, run_command
    from toolwright.builtin.editing import edit_file
    from toolwright.builtin.fetching import fetch_tool, fetch_url
    from toolwright.builtin.git import git_commit, git_diff, git_log, git_show, git_status
    from toolwright.builtin.globbing import glob
    from toolwright.builtin.listing import list_directory
    from toolwright.builtin.reading import read_file
    from toolwright.builtin.searching import search_text
    from toolwright.builtin.snippets import python_tool, run_python
    from toolwright.builtin.writing import write_file

__all__ = [
    "command_tool",
    "edit_file",
    "edit_tools",
    "fetch_tool",
    "fetch_url",
    "git_commit",
    "git_diff",
    "git_log",
    "git_show",
    "git_status",
    "git_tools",
    "glob",
    "list_directory",
    "python_tool",
    "read_file",
    "registry",
    "run_command",
    "run_python",
    "search_text",
    "write_file",
]

if not TYPE_CHECKING:
    _HOMES = {
        "command_tool": "commands",
        "edit_file": "editing",
        "edit_tools": "collection",
        "fetch_tool": "fetching",
        "fetch_url": "fetching",
        "git_commit": "git",
        "git_diff": "git",
        "git_log": "git",
        "git_show": "git",
        "git_status": "git",
        "git_tools": "collection",
        "glob": "globbing",
        "list_directory": "listing",
        "python_tool": "snippets",
        "read_file": "reading",
        "registry": "collection",
        "run_command": "commands",
        "run_python": "snippets",
        "search_text": "searching",
        "write_file": "writing",
    }

    def __getattr__(name: str) -> object:
        # Whoever runs one tool in a process of its own loads that one, not all of them.
        if name not in _HOMES:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}", name=name, obj=None)
        from importlib import import_module

        value = globals()[name] = getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
        return value

    def __dir__() -> list[str]:
        return sorted({*globals(), *__all__})
