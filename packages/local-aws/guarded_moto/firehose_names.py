"""Keys and contents of the objects that Firehose writes."""

import gzip
import re
import secrets
from datetime import datetime
from typing import Any
from uuid import uuid4

# The fields of Java's DateTimeFormatter that AWS documents for prefixes, with their equivalents in Python's strftime.
_DATE_LETTERS = {"yyyy": "%Y", "yy": "%y", "MM": "%m", "dd": "%d", "DDD": "%j", "HH": "%H", "mm": "%M", "ss": "%S"}
_EXPRESSION = re.compile(r"!\{([\w-]+):([^}]*)\}")


def object_key(stream: str, version: str, destination: dict[str, Any], now: datetime) -> str:
    """Returns the key of one object. Evaluates expressions in the prefix; if there are none, appends the hour to it."""
    prefix = destination.get("Prefix") or ""
    if _EXPRESSION.search(prefix):
        folder = _EXPRESSION.sub(lambda match: _evaluate(match.group(1), match.group(2), now), prefix)
    else:
        folder = f"{prefix}{now:%Y/%m/%d/%H}/"
    extension = destination.get("FileExtension") or (".gz" if is_gzip(destination) else "")
    return f"{folder}{stream}-{version}-{now:%Y-%m-%d-%H-%M-%S}-{uuid4()}{extension}"


def object_body(records: list[bytes], destination: dict[str, Any]) -> bytes:
    """Returns the concatenated records, compressed as the destination says."""
    body = b"".join(records)
    return gzip.compress(body) if is_gzip(destination) else body


def is_gzip(destination: dict[str, Any]) -> bool:
    """Returns whether the destination asks for gzip."""
    return destination.get("CompressionFormat") == "GZIP"


def _evaluate(namespace: str, argument: str, now: datetime) -> str:
    if namespace == "timestamp":
        return _format_date(argument, now)
    if namespace == "firehose" and argument == "random-string":
        return secrets.token_urlsafe(8)[:11]
    raise ValueError(f"the local Firehose does not know !{{{namespace}:{argument}}}")


def _format_date(pattern: str, now: datetime) -> str:
    # A run of one letter is a field. Quoted text and all other characters are literal.
    return re.sub(r"'([^']*)'|(([A-Za-z])\3*)", lambda match: _date_part(match, pattern, now), pattern)


def _date_part(match: re.Match[str], pattern: str, now: datetime) -> str:
    literal, field = match.group(1), match.group(2)
    if literal is not None:
        return literal
    if field not in _DATE_LETTERS:
        raise ValueError(f"the local Firehose does not know the date pattern {field!r} of {pattern!r}")
    return now.strftime(_DATE_LETTERS[field])
