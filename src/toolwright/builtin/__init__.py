"""The tools that come with Toolwright: what makes a first run useful, and models for tools that users write.

Each is an ordinary tool in a file of its own, and nothing in the framework knows them. A file is named otherwise than
its tool: ``builtin.read_file`` is the tool.

===================  ================================================
``reading``          :data:`read_file`: a text file, as much as is wanted
===================  ================================================
"""

from __future__ import annotations

from toolwright.builtin.reading import read_file

__all__ = ["read_file"]
