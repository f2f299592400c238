"""Calls that AWS accepts although botocore's model says otherwise, each with its reason."""

import re

from guard_calls import Call

# Service and operation, path of the parameter, and why AWS accepts it.
EXCEPTIONS: tuple[tuple[str, str, str], ...] = ()


def accepted(call: Call, path: str) -> bool:
    """Whether AWS accepts what the model refuses at this path."""
    name = f"{call.service}:{call.operation}"
    return any(re.fullmatch(call_pattern, name) and re.fullmatch(path_pattern, path) for call_pattern, path_pattern, _ in EXCEPTIONS)
