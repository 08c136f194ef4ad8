"""What the application lends to its tools, found by type: a database, a client, a clock.

Any container fits behind it: a mapping from types to objects, or whatever has ``get(type)``.
"""

from __future__ import annotations

from typing import Any, Final, Protocol, TypeVar, cast, final, overload

__all__ = ["NO_SERVICES", "Service", "ServiceSource", "Services"]

T = TypeVar("T")
D = TypeVar("D")


@final
class Service:
    """Marks a parameter that the application fills in: ``db: Annotated[Database, Service]``. No model sees it."""


class ServiceSource(Protocol):
    """Where services come from: a mapping from type to object has this shape, and so has a container."""

    def get(self, key: Any, /) -> Any:
        """Return the service of a type, or None."""
        ...


@final
class Services:
    """The services of one call: ``services[Database]``, or ``services.get(Database)`` where it may be missing."""

    __slots__ = ("_source",)

    def __init__(self, source: ServiceSource | None = None) -> None:
        self._source = source

    def __getitem__(self, type: type[T]) -> T:
        found = self.get(type)
        if found is None:
            name = getattr(type, "__name__", str(type))
            raise LookupError(f"no service of type {name} was given to the executor")
        return found

    @overload
    def get(self, type: type[T]) -> T | None: ...

    @overload
    def get(self, type: type[T], default: D) -> T | D: ...

    def get(self, type: type[T], default: D | None = None) -> T | D | None:
        """Return the service of a type, or ``default`` where there is none."""
        found = None if self._source is None else self._source.get(type)
        return default if found is None else cast("T", found)

    def __contains__(self, type: object) -> bool:
        return self._source is not None and self._source.get(type) is not None

    def __repr__(self) -> str:
        return "Services()"


NO_SERVICES: Final = Services()
"""What a call has where nothing was lent."""
