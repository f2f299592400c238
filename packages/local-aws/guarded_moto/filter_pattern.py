"""Compiles filter patterns of CloudWatch Logs: terms, and JSON fields that are equal to a text.

    ERROR "exact phrase" -debug ?one ?other        terms: all of the plain ones, none of the `-`, any of the `?`
    { $.kind = "search" || $.outer.level != "info" && $.kind = "rank" }

Other kinds of patterns (numbers, parentheses, fields in brackets, regular expressions) raise UnsupportedPattern.
"""

import json
import re
from typing import Any, Callable

Matcher = Callable[[str], bool]

_TERM = re.compile(r'\s*([-?]?)(?:"((?:[^"\\]|\\.)*)"|([^\s"]+))')
_CONDITION = re.compile(r'\s*\$((?:\.[\w-]+)+)\s*(!?=)\s*("(?:[^"\\]|\\.)*")\s*')


class UnsupportedPattern(ValueError):
    """The pattern is invalid, or of a kind that the local cloud does not support."""


def compile_pattern(pattern: str | None) -> Matcher:
    """Returns a function that tests whether a log message matches. An empty pattern matches every message."""
    text = (pattern or "").strip()
    if not text:
        return lambda message: True
    if text.startswith("{") and text.endswith("}"):
        return _conditions(text)
    if text.startswith("[") or text.startswith("%"):
        raise UnsupportedPattern(f'the local cloud knows patterns of terms and {{ $.field = "text" }}, not {text!r}')
    return _terms(text)


def _terms(text: str) -> Matcher:
    required: list[str] = []
    excluded: list[str] = []
    optional: list[str] = []
    position = 0
    while position < len(text):
        match = _TERM.match(text, position)
        if not match:
            raise UnsupportedPattern(f"cannot read the pattern {text!r} at {text[position:]!r}")
        sign, quoted, plain = match.groups()
        term = plain if quoted is None else re.sub(r"\\(.)", r"\1", quoted)
        {"": required, "-": excluded, "?": optional}[sign].append(term)
        position = match.end()
    return lambda message: (
        all(term in message for term in required)
        and not any(term in message for term in excluded)
        # AWS ignores the optional terms if there are required ones.
        and (bool(required) or not optional or any(term in message for term in optional))
    )


def _conditions(text: str) -> Matcher:
    either = [[_condition(one, text) for one in part.split("&&")] for part in text[1:-1].split("||")]

    def matches(message: str) -> bool:
        try:
            document = json.loads(message)
        except ValueError:
            return False
        return any(all(condition(document) for condition in both) for both in either)

    return matches


def _condition(text: str, pattern: str) -> Callable[[Any], bool]:
    match = _CONDITION.fullmatch(text)
    if not match:
        raise UnsupportedPattern(f'the local cloud knows conditions like $.field = "text", not {text!r} of {pattern!r}')
    path, sign, value = match[1].split(".")[1:], match[2], json.loads(match[3])

    def condition(document: Any) -> bool:
        for name in path:
            if not isinstance(document, dict) or name not in document:
                return False
            document = document[name]
        return (document == value) is (sign == "=")

    return condition
