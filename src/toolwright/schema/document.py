"""A schema as a document: where its subschemas stand, what they refer to, and whether that can be trusted.

Everything about *places* is settled here once, when a schema is made: which dialect it is written in, which keywords
hold schemas in that dialect, which references lead where, and that none of them leads outside or in a circle. What the
keywords mean for a value is not known here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, Final
from urllib.parse import unquote, urldefrag, urljoin

from toolwright.schema.editions import (
    REFERENCES,
    Dialect,
    Node,
    Place,
    Step,
    children,
    dialect_of,
    fault,
    is_standard,
)

__all__ = ["Document"]


class Document:
    """A whole schema, walked once: its subschemas, names and references.

    ``check`` raises for what is not a schema; it is asked about the root, and about what else turns out to be one.

    Raises:
        InvalidSchemaError: A reference leads outside, to nothing, or in a circle on the same value.
    """

    __slots__ = (
        "_anchors",
        "_bases",
        "_check",
        "_nodes",
        "_places",
        "_resources",
        "_targets",
        "dialect",
        "dynamic",
        "has_references",
        "has_resources",
        "keywords",
        "matchers",
        "names_dialect",
        "options",
        "patterns",
        "plans",
        "root",
    )

    def __init__(self, root: Node, check: Callable[[Node, Place], None]) -> None:
        self.root: Final = root
        self.names_dialect: Final = isinstance(root, dict) and "$schema" in root
        self.dialect: Final[Dialect] = dialect_of(root)
        self.keywords: set[str] = set()
        """Every keyword that occurs, to see at a glance what need not be thought of."""
        self.patterns: dict[str, Place] = {}
        """Every regular expression, and where it stands first."""
        self.matchers: dict[str, Any] = {}
        """The compiled expressions, by what is written in the schema; kept here because they live as long."""
        self.options: dict[int, frozenset[object]] = {}
        """The values that each ``enum`` allows, to be found quickly; likewise."""
        self.plans: dict[type, dict[int, Any]] = {}
        """What evaluation has worked out about subschemas, by type of value; likewise."""
        self._check: Final = check
        self._nodes: dict[int, dict[str, Any]] = {}
        self._places: dict[int, Place] = {}
        self._bases: dict[int, str] = {}
        self._resources: dict[str, Node] = {"": root}
        self._anchors: dict[tuple[str, str], dict[str, Any]] = {}
        self._targets: dict[tuple[int, str], Node | str] = {}
        check(root, ())
        references = self._walk(root, (), "")
        self.has_references: Final = bool(references)
        self._resolve_all(references)
        self.has_resources: Final = len(self._resources) > 1
        self.dynamic: Final = any(keyword != "$ref" for _, keyword in references)
        if references:
            self._refuse_circles()

    # -- walking

    def _walk(self, root: object, place: Place, base: str) -> list[tuple[dict[str, Any], str]]:
        """Note every schema below a place; return those that refer to others, and by which keyword."""
        applicators = self.dialect.applicators
        refer = REFERENCES.get(self.dialect.number, ("$ref",))
        references: list[tuple[dict[str, Any], str]] = []
        waiting: list[tuple[Any, Place, str]] = [(root, place, base)]
        while waiting:
            node, place, base = waiting.pop()
            if node.__class__ is not dict or id(node) in self._places:
                continue
            self._nodes[id(node)] = node
            self._places[id(node)] = place
            self.keywords.update(node)
            base = self._name(node, place, base)
            for keyword, argument in node.items():
                if keyword in applicators:
                    waiting += [(child, (*place, *at), base) for at, child in children(keyword, argument)]
                elif keyword in refer:
                    if not isinstance(argument, str):
                        raise fault("must be a string", (*place, keyword), "invalid_schema")
                    references.append((node, keyword))
            if "pattern" in node:
                self.patterns.setdefault(node["pattern"], (*place, "pattern"))
            for pattern in node.get("patternProperties", ()):
                self.patterns.setdefault(pattern, (*place, "patternProperties", pattern))
        return references

    def _name(self, node: dict[str, Any], place: Place, base: str) -> str:
        """Note the names that a schema gives itself; return the URI that its references are relative to."""
        dialect = self.dialect
        name = node.get(dialect.id_keyword)
        if isinstance(name, str) and not (dialect.ref_stands_alone and "$ref" in node):
            uri, anchor = urldefrag(_join(base, name))
            if anchor and dialect.number <= 7:
                self._anchors[uri, anchor] = node
            if not anchor or uri != base:
                base = uri
                self._resources.setdefault(uri, node)
                self._refuse_otherdialect_of(node, place)
        for keyword in ("$anchor", "$dynamicAnchor"):
            if isinstance(node.get(keyword), str):
                self._anchors[base, node[keyword]] = node
        if base:
            self._bases[id(node)] = base
        return base

    def _refuse_otherdialect_of(self, node: dict[str, Any], place: Place) -> None:
        if node is not self.root and "$schema" in node and dialect_of(node).number != self.dialect.number:
            raise fault("mixes two dialects in one schema", (*place, "$schema"), "mixed_dialects")

    @property
    def uses_meta_schemas(self) -> bool:
        """Whether something refers to one of the standard meta-schemas."""
        return any(isinstance(found, str) for found in self._targets.values())

    @property
    def schemas(self) -> Iterator[dict[str, Any]]:
        """Every subschema that is an object, the root among them."""
        return iter(self._nodes.values())

    def place(self, node: dict[str, Any]) -> Place:
        """Return where a subschema stands."""
        return self._places.get(id(node), ())

    def base(self, node: Node) -> str:
        """Return the URI of the resource that a subschema belongs to."""
        return self._bases.get(id(node), "")

    # -- references

    def references(self, node: dict[str, Any]) -> Iterator[str]:
        """Go through the keywords by which a schema refers to others."""
        keywords = REFERENCES.get(self.dialect.number, ("$ref",))
        return (keyword for keyword in keywords if keyword in node)

    def target(self, node: dict[str, Any], keyword: str) -> Node | str:
        """Return what a schema refers to; text is the URI of one of the standard meta-schemas."""
        return self._targets[id(node), keyword]

    def dynamic_target(self, node: dict[str, Any], keyword: str, scope: list[str]) -> Node | str:
        """Return what a dynamic reference means when evaluation came through the resources in ``scope``."""
        found = self.target(node, keyword)
        if not isinstance(found, dict):
            return found
        if keyword == "$recursiveRef":
            return self._outermost_recursive(found, scope)
        reference: str = node[keyword]
        anchor = urldefrag(reference)[1]
        if found.get("$dynamicAnchor") != anchor:
            return found
        candidates = (self._anchors.get((base, anchor)) for base in scope)
        return next((other for other in candidates if other and other.get("$dynamicAnchor") == anchor), found)

    def _outermost_recursive(self, found: dict[str, Any], scope: list[str]) -> Node:
        if found.get("$recursiveAnchor") is not True:
            return found
        for base in scope:
            resource = self._resources.get(base)
            if isinstance(resource, dict) and resource.get("$recursiveAnchor") is True:
                return resource
        return found

    def _resolve_all(self, references: list[tuple[dict[str, Any], str]]) -> None:
        for node, keyword in references:  # grows: what a reference leads to may itself refer to more
            found, base = self._find(node, keyword)
            self._targets[id(node), keyword] = found
            if isinstance(found, dict) and id(found) not in self._places:
                place = (*self.place(node), keyword)
                self._check(found, place)  # it stands where no keyword looks for a schema: nobody has yet
                references += self._walk(found, place, base)

    def _find(self, node: dict[str, Any], keyword: str) -> tuple[Node | str, str]:
        place = (*self.place(node), keyword)
        uri, fragment = urldefrag(_join(self.base(node), node[keyword]))
        if uri not in self._resources:
            if is_standard(uri) and not fragment:
                return uri, uri
            # Never fetched: whoever writes the schema would choose what this process asks for, and of whom.
            raise fault(
                f"refers to {_short(uri)}, which is not in this schema and is never fetched", place, "remote_ref"
            )
        found: Any
        if fragment and not fragment.startswith("/"):
            found = self._anchors.get((uri, unquote(fragment)))
        else:
            found, uri = self._follow(self._resources[uri], unquote(fragment), uri)
        if found.__class__ is not dict and found.__class__ is not bool:
            raise fault(f"refers to {_short(node[keyword])}, where there is no schema", place, "unresolved_ref")
        return found, uri

    def _follow(self, found: Any, pointer: str, base: str) -> tuple[object, str]:
        """Walk a JSON pointer down from a resource."""
        for token in pointer.split("/")[1:]:
            key = token.replace("~1", "/").replace("~0", "~")
            if found.__class__ is dict and key in found:
                found = found[key]
            elif found.__class__ is list and key.isdecimal() and int(key[:9]) < len(found):
                found = found[int(key)]
            else:
                return None, base
            base = self._bases.get(id(found), base)
        return found, base

    def certain(self, node: Node) -> list[dict[str, Any]]:
        """Return a schema and those that it always applies along with itself: by ``$ref`` and ``allOf``."""
        found: dict[int, dict[str, Any]] = {}
        waiting: list[Node | str] = [node]
        for part in waiting:
            if isinstance(part, dict) and id(part) not in found:
                found[id(part)] = part
                if "$ref" in part:
                    waiting.append(self._targets[id(part), "$ref"])
                if not ("$ref" in part and self.dialect.ref_stands_alone):
                    waiting += part.get("allOf", [])
        return list(found.values())

    def used(self, node: dict[str, Any]) -> Iterator[Node]:
        """Go through the schemas that this one applies to a value or to what is inside it."""
        applicators = self.dialect.applicators
        for keyword, argument in node.items():
            if applicators.get(keyword, Step.NOWHERE) is not Step.NOWHERE:
                yield from (child for _, child in children(keyword, argument))
        yield from self.in_place(node)

    # -- circles

    def in_place(self, node: dict[str, Any]) -> Iterator[Node]:
        """Go through the schemas that this one applies to the very value that it is applied to."""
        applicators = self.dialect.applicators
        alone = self.dialect.ref_stands_alone and "$ref" in node
        for keyword, argument in node.items():
            if (id(node), keyword) in self._targets:
                found = self._targets[id(node), keyword]
                if not isinstance(found, str):
                    yield found
            elif not alone and applicators.get(keyword) is Step.SAME:
                for _, child in children(keyword, argument):
                    yield child

    def _refuse_circles(self) -> None:
        """Refuse references that come back to where they were without having gone into the value.

        Dynamic references are left to the evaluators: where they lead is known only on the way.
        """
        finished: set[int] = set()
        for node in [self.root, *(found for found in self._targets.values() if not isinstance(found, str))]:
            open_: dict[int, None] = {}
            ways: list[tuple[int, Iterator[Node]]] = []
            self._enter(node, open_, ways, finished)
            while ways:
                key, way = ways[-1]
                child = next(way, None)
                if child is None:
                    ways.pop()
                    open_.pop(key)
                    finished.add(key)
                elif isinstance(child, dict) and id(child) in open_:
                    raise fault("refers to itself without end", self.place(child), "endless_ref")
                else:
                    self._enter(child, open_, ways, finished)

    def _enter(
        self, node: Node, open_: dict[int, None], ways: list[tuple[int, Iterator[Node]]], finished: set[int]
    ) -> None:
        if isinstance(node, dict) and id(node) not in finished:
            open_[id(node)] = None
            ways.append((id(node), self._steady(node)))

    def _steady(self, node: dict[str, Any]) -> Iterator[Node]:
        if not self.dynamic:
            return self.in_place(node)
        moving = [self._targets.get((id(node), keyword)) for keyword in ("$dynamicRef", "$recursiveRef")]
        return (child for child in self.in_place(node) if not any(child is other for other in moving))


def _join(base: str, reference: str) -> str:
    # urljoin knows only the schemes of the web: a fragment on a "urn:" would lose what it is a fragment of.
    if reference.startswith("#"):
        return base + reference
    return urljoin(base, reference) if base else reference


def _short(uri: str) -> str:
    return uri if len(uri) <= 200 else f"{uri[:200]}..."
