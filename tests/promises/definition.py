"""What the pages on tools and the registry promise about definitions, their parameters, constraints and names."""

from tests.promises import Promise

_PAGE = "tools.md"
_NAMES = "registry.md"

PROMISES = {
    "definition.immutable": Promise(_PAGE, "A definition is immutable."),
    "definition.json": Promise(_PAGE, "Definitions go to JSON and back without loss."),
    "definition.json_shape": Promise(_PAGE, "Its JSON always holds name, description and parameters."),
    "definition.equality": Promise(_PAGE, "Definitions have value equality and a hash."),
    "definition.repr": Promise(_PAGE, "Its repr follows the common rules: meaningful, and no content."),
    "definition.digest": Promise(_PAGE, "The digest is the SHA-256 of its JSON with sorted keys."),
    "definition.name": Promise(
        _PAGE, "A name is a-z, 0-9 and _, a letter first, at most 64 characters, not execute, run, call or invoke."
    ),
    "definition.description": Promise(
        _PAGE,
        "A description is not empty; over 1,024 characters is a warning in code, and an error for stored definitions.",
    ),
    "definition.title": Promise(_PAGE, "The title is made from the name where none is given."),
    "definition.category": Promise(_PAGE, "The category is custom where none is given."),
    "definition.risk": Promise(_PAGE, "The risk is that of the category where none is given."),
    "definition.tags": Promise(_PAGE, "Tags are a tuple of words."),
    "definition.parameters": Promise(
        _PAGE, "The parameters are a schema whose type is object; by default there are none."
    ),
    "definition.strict": Promise(
        _PAGE, "Strict sets additionalProperties to false where an object says nothing, nested ones included."
    ),
    "definition.strict_meaning": Promise(
        _PAGE, "Strict leaves allOf, not and if alone, where it would change the meaning."
    ),
    "definition.strict_true": Promise(_PAGE, "An explicit true is an error where strict is."),
    "definition.strict_schema": Promise(_PAGE, "A schema for the extra properties may stay."),
    "definition.output_schema": Promise(_PAGE, "The output schema is a schema or None."),
    "definition.permissions": Promise(_PAGE, "Permissions are a tuple of dotted words; 60 of them are known."),
    "definition.version": Promise(_PAGE, "The version is semantic, or None."),
    "definition.metadata": Promise(_PAGE, "The metadata is a JSON mapping, or None."),
    "definition.examples": Promise(_PAGE, "Examples are argument objects, validated against the parameters."),
    "definition.from_parameters": Promise(_PAGE, "A definition can be made of parameters one by one."),
    "definition.parameter_list": Promise(_PAGE, "The parameter list gives them back from any schema."),
    "definition.from_type": Promise(_PAGE, "A definition can take its parameters from a type."),
    "definition.parameter_rules": Promise(
        _PAGE,
        "A required parameter has no default; enum values and defaults fit the type and schema; array and object "
        "parameters have a schema unless they have an enum; names are unique.",
    ),
    "definition.time": Promise(_PAGE, "The execution time is 1 s to 10 min, by default 60 s."),
    "definition.output_size": Promise(_PAGE, "The output size is 1 KB to 100 MB, by default 10 MB."),
    "definition.constraint_defaults": Promise(
        _PAGE, "Side effects are assumed, an idempotency key is not, and no constraints are the system's defaults."
    ),
    "definition.resource": Promise(_PAGE, "A resource is a template over the arguments."),
    "definition.isolation": Promise(
        _PAGE, "Isolation is none by default for the application's own code, standard for definitions kept as data."
    ),
    "definition.check": Promise(
        _PAGE, "Checking takes a definition or a mapping and finds everything wrong with it at once."
    ),
    "definition.check_tier": Promise(_PAGE, "Of a tier, checking looks at keywords and isolation."),
    "definition.invalid": Promise(_PAGE, "Constructing an invalid definition raises an error with that report."),
    "definition.sizes": Promise(
        _PAGE,
        "Stored definitions have size limits: version 32 characters, permissions and constraints 4,096 bytes of JSON "
        "each, every other field 256 KB.",
    ),
    "definition.unknown_key": Promise(_PAGE, "An unknown key is an error naming the nearest one."),
    "definition.function_form": Promise(_PAGE, "The JSON of a definition is OpenAI's function form, and more."),
    "names.look_up": Promise(
        _NAMES,
        "For a look-up, camelCase is split, lower case, and all but ASCII letters and digits becomes an underscore.",
    ),
    "names.legal": Promise(
        _NAMES,
        "A foreign name gets a letter before a leading digit, a number after a clash or a reserved word, and a short "
        "hash where it is too long.",
    ),
    "names.original": Promise(_NAMES, "The original name is kept in the metadata."),
}
