"""What the page on execution promises about tiers."""

from tests.promises import Promise

_PAGE = "execution.md"

PROMISES = {
    "tiers.table": Promise(_PAGE, "Each tier has its built-ins, custom definitions, schema keywords and isolation."),
    "tiers.default": Promise(_PAGE, "The default is enterprise, so nobody who self-hosts meets a limit."),
    "tiers.basic_keywords": Promise(
        _PAGE,
        "Basic keywords: type, properties, required, additionalProperties, items, enum, title, description, default.",
    ),
    "tiers.validators": Promise(_PAGE, "Custom validators need the full class of keywords."),
    "tiers.license_error": Promise(
        _PAGE, "Over a limit: LicenseError (code license_limit) naming the limit and the tier that lifts it."
    ),
    "tiers.concurrent": Promise(_PAGE, "Limits hold under concurrent creation."),
    "tiers.isolation": Promise(_PAGE, "A tool that needs a higher isolation than the tier has is refused."),
}
