"""Compiles filter patterns of CloudWatch Logs: terms, and conditions on JSON fields.

    ERROR "exact phrase" -debug ?one ?other        terms: all of the plain ones, none of the `-`, any of the `?`
    { $.kind = "search" && ($.ms > 200 || $.degraded IS TRUE) }

Other kinds of patterns (space-delimited fields in brackets, regular expressions) raise UnsupportedPattern.
"""

import json
import operator
import re
from fnmatch import fnmatchcase
from typing import Any, Callable, Iterable

Matcher = Callable[[str], bool]
Condition = Callable[[Any], bool]

_MISSING = object()
_TERM = re.compile(r'\s*([-?]?)(?:"((?:[^"\\]|\\.)*)"|([^\s"]+))')
_TOKEN = re.compile(r'\s*(&&|\|\||!=|<=|>=|[=<>()]|"(?:[^"\\]|\\.)*"|[^\s=<>()!&|]+)')
_COMPARE = {"<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge}


class UnsupportedPattern(ValueError):
    """The pattern is invalid, or of a kind that the local cloud does not support."""


def compile_pattern(pattern: str | None) -> Matcher:
    """Returns a function that tests whether a log message matches. An empty pattern matches every message."""
    text = (pattern or "").strip()
    if not text:
        return lambda message: True
    if text.startswith("{") and text.endswith("}"):
        condition = _Parser(text[1:-1]).parse()
        return lambda message: _matches_json(condition, message)
    if text.startswith("[") or text.startswith("%"):
        raise UnsupportedPattern(f"the local cloud knows patterns of terms and {{ $.field = value }}, not {text!r}")
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


def _matches_json(condition: Condition, message: str) -> bool:
    try:
        document = json.loads(message)
    except ValueError:
        return False
    return isinstance(document, dict) and condition(document)


class _Parser:
    def __init__(self, text: str):
        self._text = text
        self._tokens = self._tokenize(text)
        self._next = 0

    def parse(self) -> Condition:
        condition = self._either()
        if self._peek() is not None:
            raise self._error(f"{self._peek()!r} is not expected")
        return condition

    def _tokenize(self, text: str) -> list[str]:
        tokens, position = [], 0
        while text[position:].strip():
            match = _TOKEN.match(text, position)
            if not match:
                raise self._error(f"cannot read {text[position:]!r}")
            tokens.append(match.group(1))
            position = match.end()
        return tokens

    def _peek(self) -> str | None:
        return self._tokens[self._next] if self._next < len(self._tokens) else None

    def _take(self) -> str:
        token = self._peek()
        if token is None:
            raise self._error("it ends too early")
        self._next += 1
        return token

    def _either(self) -> Condition:
        return self._chain("||", any, self._both)

    def _both(self) -> Condition:
        return self._chain("&&", all, self._one)

    def _chain(self, sign: str, combine: Callable[[Iterable[bool]], bool], operand: Callable[[], Condition]) -> Condition:
        parts = [operand()]
        while self._peek() == sign:
            self._take()
            parts.append(operand())
        return lambda document: combine(part(document) for part in parts)

    def _one(self) -> Condition:
        if self._peek() == "(":
            self._take()
            inner = self._either()
            if self._take() != ")":
                raise self._error("a parenthesis is not closed")
            return inner
        path = self._path(self._take())
        sign = self._take()
        if sign in ("IS", "NOT"):
            return self._state(path, sign, self._take())
        if sign not in ("=", "!=", *_COMPARE):
            raise self._error(f"{sign!r} is no comparison")
        return self._comparison(path, sign, self._take())

    def _state(self, path: list[str | int], sign: str, state: str) -> Condition:
        wanted = {"IS TRUE": True, "IS FALSE": False, "IS NULL": None, "NOT EXISTS": _MISSING}
        if f"{sign} {state}" not in wanted:
            raise self._error(f"{sign} {state} is no condition")
        return lambda document: _find(document, path) is wanted[f"{sign} {state}"]

    def _comparison(self, path: list[str | int], sign: str, operand: str) -> Condition:
        if operand.startswith("%"):
            raise self._error("regular expressions are not supported by the local cloud")
        number = None if operand.startswith('"') else _number(operand)
        if sign in _COMPARE:
            if number is None:
                raise self._error(f"{operand} is no number")
            return lambda document: _is_number(_find(document, path)) and _COMPARE[sign](_find(document, path), number)
        text = json.loads(operand) if operand.startswith('"') else operand
        # The asterisk is the only wildcard in a pattern's text.
        glob = re.sub(r"([\[?])", r"[\1]", text)

        def equal(document: Any) -> bool:
            value = _find(document, path)
            if number is not None and _is_number(value):
                return value == number
            return isinstance(value, str) and fnmatchcase(value, glob)

        return equal if sign == "=" else lambda document: _find(document, path) is not _MISSING and not equal(document)

    def _path(self, token: str) -> list[str | int]:
        if not re.fullmatch(r"\$(\.[\w-]+|\[\d+\]|\[\"[^\"]+\"\])+", token):
            raise self._error(f"{token!r} is no path such as $.field, $.outer.inner or $.list[0]")
        parts = re.findall(r"\.([\w-]+)|\[(\d+)\]|\[\"([^\"]+)\"\]", token)
        return [int(index) if index else name or quoted for name, index, quoted in parts]

    def _error(self, reason: str) -> UnsupportedPattern:
        return UnsupportedPattern(f"the filter pattern {{{self._text}}} cannot be read: {reason}")


def _find(document: Any, path: list[str | int]) -> Any:
    for part in path:
        if isinstance(part, int) and isinstance(document, list) and part < len(document):
            document = document[part]
        elif isinstance(part, str) and isinstance(document, dict) and part in document:
            document = document[part]
        else:
            return _MISSING
    return document


def _number(text: str) -> float | None:
    try:
        return float(text)
    except ValueError:
        return None


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)
