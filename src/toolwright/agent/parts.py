"""What an agent and its runs are put together from: refused at once where it would only be found out on the way.

This module looks at what it is given, and uses nothing of it.
"""

from __future__ import annotations

from typing import Any

from toolwright.agent.runs import RunStore
from toolwright.execution import ScopeOptions
from toolwright.registry import ToolView

__all__ = ["check_parts", "checked_offer", "known_options"]


def check_parts(provider: object, store: object, prepare: object) -> None:
    """Look whether there is somebody to ask, and whether a store and a hook are what they should be.

    Raises:
        TypeError: One is not what it should be.
    """
    if not hasattr(provider, "chat_with_tools"):
        raise TypeError(f"a ChatProvider is asked, not a {type(provider).__name__}; tw.provider(...) gives one")
    if store is not None and not isinstance(store, RunStore):
        raise TypeError(f"a store keeps runs, as tw.JsonLinesRuns(folder) does, not a {type(store).__name__}")
    if prepare is not None and not callable(prepare):
        raise TypeError(f"prepare: a function is called, not a {type(prepare).__name__}")


def known_options(options: ScopeOptions) -> dict[str, Any]:
    """Return the options that were given.

    Raises:
        TypeError: There is no such option.
    """
    unknown = options.keys() - ScopeOptions.__annotations__.keys()
    if unknown:
        raise TypeError(f"there is no such option: {', '.join(sorted(unknown))}")
    return {name: value for name, value in options.items() if value is not None}


def checked_offer(offer: ToolView | None, registry: ToolView) -> ToolView | None:
    """Return what is to be offered, if the tools in it can be called.

    Raises:
        ValueError: The registry does not have one of them.
    """
    missing = [] if offer is None else [each.name for each in offer.entries() if registry.entry(each.name) is None]
    if missing:
        raise ValueError(
            f"offer: the agent's registry has no {', '.join(missing[:3])}; where names are changed, "
            "build the agent and its executor over that toolset"
        )
    return offer
