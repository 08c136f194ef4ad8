"""What registry.md promises."""

from __future__ import annotations

from tests.promises import Promise

PAGE = "registry.md"

PROMISES: dict[str, Promise] = {
    "registry.snapshot": Promise(PAGE, "Thread-safe; readers never wait for writers (copy-on-write snapshot)."),
    "registry.scale": Promise(PAGE, "A look-up costs a dictionary access even with 10,000 tools."),
    "registry.only_tools": Promise(PAGE, "A Tool is taken, as decorated functions are; all else is a TypeError."),
    "registry.custom_tools": Promise(PAGE, "A CustomTool is a Tool that can be registered."),
    "registry.duplicate": Promise(PAGE, "A name that is taken raises DuplicateToolError."),
    "registry.try_register": Promise(PAGE, "The method try_register returns False where a name is taken."),
    "registry.replace": Promise(PAGE, "The method replace swaps one in and sends updated."),
    "registry.protected": Promise(
        PAGE,
        "A built-in tool cannot be replaced, unregistered or shadowed, also not by another spelling of its name, "
        "underscores left out: ProtectedToolError, a DuplicateToolError.",
    ),
    "registry.unregister": Promise(PAGE, "The method unregister(name) says whether there was such a tool."),
    "registry.get": Promise(PAGE, "The method get(name) gives the tool or None."),
    "registry.not_found": Promise(PAGE, "The subscript raises ToolNotFoundError with the nearest names."),
    "registry.container": Promise(PAGE, "It has a length, contains names, and iterates in registration order."),
    "registry.spelling": Promise(PAGE, "Look-ups go through normalize_name."),
    "registry.permissions": Promise(
        "tools.md",
        "Each permission must be in the known set when it is registered, or in Registry(permissions=...).",
    ),
    "registry.available": Promise(PAGE, "Listed are only tools whose own available is true; None is no condition."),
    "registry.filters": Promise(PAGE, "Tools are found by_category, by_tag (any case) and by_risk(max)."),
    "registry.definitions": Promise(PAGE, "The method definitions gives the definitions of what is available."),
    "registry.availability.workspace": Promise(PAGE, "The condition has_workspace is true where workspace is given."),
    "registry.availability.conditions": Promise(
        PAGE,
        "An Availability has enabled and disabled names, max_risk, include_categories, exclude_categories, and "
        "required_tags (all of them).",
    ),
    "registry.availability.needs": Promise(
        PAGE, "The categories workspace, terminal, editor and git need what they are named after: a table, not code."
    ),
    "registry.availability.default": Promise(PAGE, "Availability.default() is all but git."),
    "registry.availability.safe_only": Promise(
        PAGE, "Availability.safe_only() is a workspace, neither terminal nor editor, risk safe."
    ),
    "registry.search.fields": Promise(
        PAGE, "Search is ranked, over name, title, description, tags and parameter names and descriptions."
    ),
    "registry.search.forms": Promise(PAGE, "Search finds inflected and part words."),
    "registry.search.empty": Promise(PAGE, "An empty query gives all, whatever the limit."),
    "registry.search.current": Promise(PAGE, "The index is kept up to date on change."),
    "registry.search.quality": Promise(
        PAGE, "It stays good with many tools: recall@5 of the labelled questions is 0.9 at least."
    ),
    "registry.find_tools": Promise(
        PAGE, "The method search_tool() gives a tool, find_tools, that lets a model look for tools itself."
    ),
    "registry.mount": Promise(PAGE, "Tools come and go from elsewhere: a ToolSource gives tools and tells of changes."),
    "registry.mount.death": Promise("mcp.md", "A dead server makes its tools unavailable, not the program."),
    "registry.toolset": Promise(PAGE, "A Toolset is a named, composable view, usable wherever a Registry is read."),
    "registry.toolset.methods": Promise(PAGE, "Toolsets are selected, prefixed, filtered, renamed and added."),
    "registry.toolset.clashes": Promise(PAGE, "Name clashes raise at composition time."),
    "registry.events": Promise(
        PAGE,
        "Subscribers get RegistryEvent(kind, tool, at) in order, after the change is visible.",
    ),
    "registry.events.faults": Promise(
        PAGE, "A subscriber that raises does not disturb the others or the registry, and is logged."
    ),
    "registry.load_package": Promise(PAGE, "The method load_package takes in decorated functions in a package."),
    "registry.entry_points": Promise(PAGE, "Tools are discovered in entry points in the group toolwright.tools."),
    "registry.folders": Promise(PAGE, "Tools are discovered in folders of definition files."),
    "registry.logs": Promise(
        "observability.md",
        "Tool registered (name, category, risk), unregistered, refused as duplicate, not found.",
    ),
}
