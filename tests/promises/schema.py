"""What the page on JSON Schema promises."""

from tests.promises import Promise

_PAGE = "schema.md"

PROMISES = {
    # The schema as a value, and what it says about values.
    "schema.immutable": Promise(_PAGE, "A Schema is an immutable wrapper around a JSON Schema object."),
    "schema.full_language": Promise(_PAGE, "It speaks the full language: $ref, $defs, oneOf, anyOf, ..."),
    "schema.constructors": Promise(_PAGE, "Schema({...}), Schema.from_json(text), Schema.of(T), Schema.empty()."),
    "schema.tells": Promise(
        _PAGE, "to_json, to_dict, title, description, properties, required, optional and is_required tell what it says."
    ),
    "schema.property": Promise(_PAGE, "schema.property(name) is a Schema or None, so that it checks one value."),
    "schema.equality": Promise(_PAGE, "Equality is of values and ignores key order."),
    "schema.dialects_read": Promise(_PAGE, "The dialect is draft 2020-12 unless $schema says otherwise."),
    "schema.draft_7": Promise(_PAGE, "Draft 7 is fully supported too."),
    "schema.format": Promise(
        _PAGE, "pattern_mismatch: pattern or format. A format is checked unless the schema names its dialect."
    ),
    "schema.invalid": Promise(
        _PAGE, "A schema that is not itself valid raises InvalidSchemaError with the path of the fault."
    ),
    "schema.remote_refs": Promise(
        _PAGE, "Remote references are never fetched: a schema that needs one is refused, naming it."
    ),
    "schema.cannot_hang": Promise(_PAGE, "Regular expressions and recursion in a schema cannot hang the process."),
    "schema.limits_stated": Promise(_PAGE, "There are depth and size limits, stated in the error."),
    "schema.report": Promise(_PAGE, "schema.validate(value) gives a report: valid, errors, warnings."),
    "schema.message": Promise(
        _PAGE, "The message is a list a person and a model can read, '- path: what is wrong', empty when valid."
    ),
    "schema.combine": Promise(_PAGE, "ValidationReport.combine joins reports."),
    "schema.compiled_once": Promise(_PAGE, "Compiled once per schema, then cached."),
    "schema.issue": Promise(_PAGE, "An issue has path, parameter (its first part), message, code, expected, provided."),
    "schema.provided_hidden": Promise(
        _PAGE, "provided is kept for programs; never in a message, a repr, a log or an exception text."
    ),
    "schema.factories": Promise(_PAGE, "ValidationIssue has one factory per code that words the message."),
    "schema.codes": Promise(_PAGE, "Each fault has the code of the table."),
    "schema.enum_listed": Promise(_PAGE, "invalid_enum lists the allowed values."),
    "schema.nearest": Promise(_PAGE, "additional_property gives its path and suggests the nearest name."),
    "schema.deprecated": Promise(_PAGE, "deprecated: the property is marked deprecated (names the alternative)."),
    "schema.large_value": Promise(
        _PAGE, "large_value: text over 100,000 characters or arrays over 10,000 items where the schema sets no limit."
    ),
    "schema.warnings_never_block": Promise(_PAGE, "Warnings never block."),
    "schema.all_errors": Promise(_PAGE, "All errors are found in one pass, not only the first."),
    "schema.for_models": Promise(_PAGE, "Messages are written so that a model can mend its call from them."),
    "schema.repair": Promise(_PAGE, "repair makes only the conversions that cannot change a meaning."),
    "schema.repair_warns": Promise(_PAGE, "Each conversion is reported as a coerced warning."),
    "schema.repair_never_guesses": Promise(_PAGE, "repair never guesses."),
    # Written by hand, taken from types, and sent to providers.
    "schema.builder_fluent": Promise(_PAGE, "Every method of the builder returns it; build gives the schema."),
    "schema.builder_kinds": Promise(
        _PAGE, "There are string, integer, number, boolean, enum, path, string_array, array and object properties."
    ),
    "schema.builder_keywords": Promise(
        _PAGE, "Every keyword of the common set is an argument of every kind of property it makes sense for."
    ),
    "schema.builder_optional": Promise(_PAGE, "A property is optional unless it is said to be required."),
    "schema.builder_closed": Promise(_PAGE, "Additional properties are refused unless allowed, in nested objects too."),
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
    "schema.dialect_changes": Promise(_PAGE, "Every loss is in the list of changes."),
    "schema.dialect_null": Promise(_PAGE, "Null for an optional property means that it was not given."),
    "schema.dialect_bounded": Promise(_PAGE, "No schema makes a translation grow without bound."),
}
