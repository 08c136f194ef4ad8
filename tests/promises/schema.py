"""What the page on JSON Schema promises."""

from tests.promises import Promise

_PAGE = "schema.md"

PROMISES = {
    # Written by hand, taken from types, and sent to providers.
    "schema.builder_fluent": Promise(_PAGE, "Every method of the builder returns it; build gives the schema."),
    "schema.builder_kinds": Promise(
        _PAGE, "There are string, integer, number, boolean, enum, path, string_array, array and object properties."
    ),
    "schema.builder_keywords": Promise(
        _PAGE, "Every keyword of the common set is an argument of every kind of property it makes sense for."
    ),
    "schema.builder_optional": Promise(_PAGE, "A property is optional unless it is said to be required."),
    "schema.builder_closed": Promise(
        _PAGE, "Additional properties are refused unless allowed, in nested objects too."
    ),
    "schema.builder_path": Promise(
        _PAGE, "A path carries the format path, and x-must-exist with '(must exist)' in its description."
    ),
    "schema.builder_refuses": Promise(_PAGE, "A property that contradicts itself is refused at once, by name."),
    "schema.path_parameter": Promise(_PAGE, "A parameter annotated Path gives the same as a path property."),
    "schema.of_classes": Promise(
        _PAGE, "Schema.of describes dataclasses, Structs, TypedDicts, attrs classes and named tuples."
    ),
    "schema.of_pydantic": Promise(_PAGE, "Schema.of describes pydantic models where pydantic is installed."),
    "schema.of_simple": Promise(
        _PAGE, "Schema.of describes enums, Literal, Optional, unions, times, UUID, Decimal, Path, lists, tuples, dicts."
    ),
    "schema.of_recursive": Promise(_PAGE, "Schema.of describes nested and recursive types."),
    "schema.of_meta": Promise(_PAGE, "Constraints and descriptions come from Annotated and Meta, which is msgspec's."),
    "schema.of_annotated_types": Promise(_PAGE, "Constraints come from annotated_types."),
    "schema.of_pydantic_field": Promise(_PAGE, "Constraints and descriptions come from pydantic's Field."),
    "schema.of_docstrings": Promise(_PAGE, "Descriptions come from docstrings in Google, NumPy and Sphinx style."),
    "schema.of_attribute_docstrings": Promise(_PAGE, "Descriptions come from attribute docstrings."),
    "schema.of_defaults": Promise(_PAGE, "Fields with defaults are optional."),
    "schema.of_functions": Promise(_PAGE, "The same holds for functions."),
    "schema.of_unsupported": Promise(
        "tools.md", "What cannot be described is refused with a message that says what to change."
    ),
    "schema.of_law": Promise(_PAGE, "A schema accepts what conversion to its type accepts."),
    "schema.dialects": Promise(
        _PAGE, "There are openai-strict, openai, anthropic, gemini, ollama and mcp; others are refused by name."
    ),
    "schema.dialect_strict": Promise(
        _PAGE, "In openai-strict every property is required, optional ones nullable, and every object closed."
    ),
    "schema.dialect_words": Promise(_PAGE, "Keywords unsupported in openai-strict go into the description."),
    "schema.dialect_fallback": Promise(
        _PAGE, "Where a schema has no strict form the definition is not strict, and changes says why."
    ),
    "schema.dialect_gemini": Promise(
        _PAGE, "In gemini references are inlined, unions are anyOf and a constant is an enum of one."
    ),
    "schema.dialect_changes": Promise(_PAGE, "changes lists every loss."),
    "schema.dialect_null": Promise(_PAGE, "Null for an optional property means that it was not given."),
    "schema.dialect_bounded": Promise(_PAGE, "No schema makes a translation grow without bound."),
}
