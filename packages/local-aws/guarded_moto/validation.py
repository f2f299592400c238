"""Validates calls by botocore's models, with AWS's ValidationException. botocore itself checks required members, types
and minimums. Lengths, ranges, patterns and enumerations are also in its models, and are checked here.
"""

import re
from functools import lru_cache
from typing import Any

from .attribute_values import is_plain_attribute
from botocore.validate import ParamValidator, ValidationErrors
from .guard_answers import Answer, invalid
from .guard_calls import Call
from .request_models import Unreadable, operation_of

# Java's character classes in Python's syntax. Some are too wide, which never makes a valid call fail.
_JAVA_CLASSES = {
    **{"ASCII": r"\x00-\x7f", "Print": r"\x20-\x7e", "Alnum": "a-zA-Z0-9", "XDigit": "a-fA-F0-9"},
    **{"L": r"\w", "M": r"\w", "N": r"\d", "P": r"\W", "S": r"\W", "Z": r"\s", "Zs": r"\s"},
}
# All characters outside the basic plane, as Java writes them in UTF-16.
_SURROGATES = r"\uD800\uDC00-\uDBFF\uDFFF"


def validate(call: Call) -> Answer | None:
    """Returns the service's error for a call that violates its model, or None."""
    operation = operation_of(call)
    if operation is None:
        return None
    try:
        params, unknown = call.parameters
    except Unreadable as error:
        return invalid(call, "malformed", str(error))
    if operation.input_shape is None:
        return None
    errors = _Errors()
    _Validator()._validate(params, operation.input_shape, errors, "")
    found = [*errors.texts(), *((name, "unknown", f"AWS has no parameter {name}, and would ignore it") for name in unknown)]
    if not found:
        return None
    texts = "; ".join(text for _, _, text in found)
    return invalid(call, found[0][1], f"{len(found)} validation error{'s'[:len(found) != 1]} detected: {texts}")


class _Errors(ValidationErrors):
    """Formats errors as AWS does."""

    def texts(self) -> list[tuple[str, str, str]]:
        """Returns path, kind and text of each error."""
        return [self._text(kind, name.lstrip("."), more) for kind, name, more in self._errors]

    def _text(self, kind: str, path: str, more: dict[str, Any]) -> tuple[str, str, str]:
        if kind == "missing required field":
            path = f"{path}.{more['required_name']}".lstrip(".")
            return path, "missing", _failed("null", path, "not be null")
        if kind == "invalid type":
            return path, "malformed", f"{path} has the type {type(more['param']).__name__}, not {' or '.join(more['valid_types'])}"
        if kind in ("invalid length", "invalid range"):
            what = "have length" if kind == "invalid length" else "have value"
            return path, "value", _failed(more["param"], path, f"{what} greater than or equal to {more['min_allowed']}")
        if kind == "constraint":
            return path, "value", _failed(more["param"], path, more["must"])
        return path, "value", self._format_error((kind, path, more))


def _failed(value: Any, path: str, must: str) -> str:
    shown = value if value == "null" else f"'{value}'"
    return f"Value {shown} at '{_camel(path)}' failed to satisfy constraint: Member must {must}"


def _camel(path: str) -> str:
    """Returns a path as AWS writes it: `KeySchema[0].KeyType` is `keySchema.1.member.keyType`."""
    counted = re.sub(r"\[(\d+)\]", lambda index: f".{int(index[1]) + 1}.member", path)
    return ".".join(part[:1].lower() + part[1:] for part in counted.split("."))


class _Validator(ParamValidator):
    # For a list of scalars without any of these attributes, only types are checked.
    VALIDATED_METADATA_ATTRS = {*ParamValidator.VALIDATED_METADATA_ATTRS, "max", "pattern", "enum"}

    def _validate(self, param: Any, shape: Any, errors: Any, name: str) -> None:
        if is_plain_attribute(param, shape):
            return
        super()._validate(param, shape, errors, name)
        if isinstance(param, (int, float)) and shape.type_name in ("integer", "long", "double", "float"):
            _at_most(param, shape, errors, name, "value")
        elif isinstance(param, (bytes, list, dict)) and shape.type_name in ("list", "map", "blob"):
            _at_most(len(param), shape, errors, name, "length")

    def _validate_string(self, param: Any, shape: Any, errors: Any, name: str) -> None:
        super()._validate_string(param, shape, errors, name)
        if not isinstance(param, str):
            return
        _at_most(len(param), shape, errors, name, "length")
        if shape.enum and param not in shape.enum:
            errors.report(name, "constraint", param=param, must=f"satisfy enum value set: [{', '.join(shape.enum)}]")
        pattern = shape.metadata.get("pattern")
        if pattern is not None and not _matches(pattern, param):
            errors.report(name, "constraint", param=param, must=f"satisfy regular expression pattern: {pattern}")


def _at_most(value: float, shape: Any, errors: Any, name: str, what: str) -> None:
    most = shape.metadata.get("max")
    if most is not None and value > most:
        errors.report(name, "constraint", param=value, must=f"have {what} less than or equal to {most}")


def _matches(pattern: str, text: str) -> bool:
    compiled = _compiled(pattern)
    return compiled is None or compiled.fullmatch(text) is not None


@lru_cache(maxsize=None)
def _compiled(pattern: str) -> re.Pattern[str] | None:
    try:
        return re.compile(_for_python(pattern), re.DOTALL)
    except (re.error, KeyError):  # Java's syntax alone; test/integration/local-cloud-validation.test.ts counts them
        return None


def _for_python(pattern: str) -> str:
    """Returns the pattern with Java's `\\p{…}` replaced by Python's syntax, both inside and outside of brackets."""

    def written(found: re.Match[str]) -> str:
        before = re.sub(r"\\.", "", pattern[: found.start()])
        inside = before.rfind("[") > before.rfind("]")
        characters = _JAVA_CLASSES[found[1]]
        return characters if inside else f"[{characters}]"

    plain = re.sub(r"\\p\{(\w+)\}", written, pattern)
    return plain.replace(_SURROGATES, r"\U00010000-\U0010ffff").replace(r"\z", r"\Z")
