"""Evaluates the Condition element of IAM policies. Unsupported operators raise an error and never allow a call. Source:
IAM User Guide, "IAM JSON policy elements: Condition operators" and "Multivalued context keys".
"""

import re
from functools import lru_cache
from typing import Any, Callable, Mapping

# The context of a call: the values of each key, which is in lower case. A key without values is absent.
Context = Mapping[str, tuple[str, ...]]

VARIABLE = re.compile(r"\$\{([^},]+)(?:,\s*'([^']*)')?\}")


class UnsupportedPolicy(Exception):
    """A policy uses something that the local cloud cannot evaluate."""


class MissingVariable(Exception):
    """A policy variable has no value in this call, so its text matches nothing."""


@lru_cache(maxsize=10_000)
def wildcard(pattern: str, flags: int = 0) -> re.Pattern[str]:
    """Compiles a pattern of `*` and `?`. A backslash before a character, as `filled` writes it, makes it literal."""
    parts = re.findall(r"\\.|.", pattern, re.DOTALL)
    text = "".join({"*": ".*", "?": "."}.get(part) or re.escape(part[-1]) for part in parts)
    return re.compile(text, re.DOTALL | flags)


def filled(text: str, context: Context) -> str:
    """Replaces policy variables such as `${aws:username}`. Wildcards of the values are literal, those of the text are not."""
    if "${" not in text:
        return text

    def value(match: re.Match[str]) -> str:
        name, default = match[1].strip(), match[2]
        if name in ("*", "?", "$"):
            return f"\\{name}"
        values = context.get(name.lower(), ())
        if len(values) == 1 or default is not None:
            return re.sub(r"([*?\\])", r"\\\1", values[0] if len(values) == 1 else default)
        raise MissingVariable(name)

    return VARIABLE.sub(value, text)


def arn_matches(pattern: str, arn: str) -> bool:
    """Compares ARNs part by part: no wildcard spans a colon, except in the last part. Missing parts match everything."""
    wanted, actual = pattern.split(":", 5), arn.split(":", 5)
    wanted += ["*"] * (6 - len(wanted))
    return len(actual) == 6 and all(wildcard(one).fullmatch(other) for one, other in zip(wanted, actual))


def _literal(pattern: str) -> str:
    return re.sub(r"\\(.)", r"\1", pattern)


# Operators: each compares one expected value, with variables filled in, with one actual value.
_MATCHES: dict[str, Callable[[str, str], bool]] = {
    "StringEquals": lambda wanted, actual: _literal(wanted) == actual,
    "StringEqualsIgnoreCase": lambda wanted, actual: _literal(wanted).lower() == actual.lower(),
    "StringLike": lambda wanted, actual: wildcard(wanted).fullmatch(actual) is not None,
    "ArnEquals": arn_matches,
    "ArnLike": arn_matches,
    "Bool": lambda wanted, actual: wanted.lower() == actual.lower(),
}
_NEGATED = {re.sub("^(String|Arn)", r"\1Not", name): name for name in _MATCHES if name != "Bool"}


def compiled(condition: Mapping[str, Mapping[str, Any]]) -> list[Callable[[Context], bool]]:
    """Returns one test for each operator and key; all of them must hold. Raises UnsupportedPolicy."""
    return [
        _test(operator, key.lower(), [_text(value) for value in (wanted if isinstance(wanted, list) else [wanted])])
        for operator, keys in condition.items()
        for key, wanted in keys.items()
    ]


def _text(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _test(operator: str, key: str, wanted: list[str]) -> Callable[[Context], bool]:
    quantifier, _, rest = operator.rpartition(":")
    name = rest.removesuffix("IfExists")
    if name == "Null" and name == operator:
        return lambda context: (wanted[0] == "true") == (not context.get(key))
    matches = _MATCHES.get(_NEGATED.get(name, name))
    if matches is None or quantifier not in ("", "ForAllValues", "ForAnyValue"):
        raise UnsupportedPolicy(f"the local cloud cannot evaluate the condition operator {operator}")
    negated = name in _NEGATED

    def holds(actual: str, context: Context) -> bool:
        return any(matches(filled(one, context), actual) for one in wanted) != negated

    def test(context: Context) -> bool:
        values = context.get(key, ())
        if not values:
            return rest != name or quantifier == "ForAllValues" or (negated and quantifier == "")
        # Without a quantifier, a negated operator must hold for all values, another one for any.
        every = quantifier == "ForAllValues" or (negated and quantifier == "")
        return (all if every else any)(holds(one, context) for one in values)

    return test
