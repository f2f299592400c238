"""AWS-like faults for tests: delays of IAM and KMS, functions that are not ready, throttling. Settings, by name:
`roleSeconds`, `policySeconds`, `kmsAliasSeconds`, `functionSeconds` (delays in seconds), `throttled` ({"s3": 3}:
every third call to a service, by signing name).
"""

import threading
import time
from collections import Counter, defaultdict
from typing import Any, Callable

from .guard_calls import Call

_NONE: dict[str, Any] = {"roleSeconds": 0, "policySeconds": 0, "kmsAliasSeconds": 0, "functionSeconds": 0, "throttled": {}}

_settings = dict(_NONE)
_lock = threading.Lock()
_calls: Counter[str] = Counter()
_history: defaultdict[tuple[str, str], list[tuple[float, Any]]] = defaultdict(list)
_since: dict[str, float] = {}
# Replaced by tests of this module.
clock: Callable[[], float] = time.monotonic


def set_faults(given: dict[str, Any]) -> None:
    """Turns on exactly these faults. Raises ValueError for unknown ones."""
    unknown = given.keys() - _NONE.keys()
    if unknown:
        raise ValueError(f"no such fault: {', '.join(sorted(unknown))}. There are: {', '.join(sorted(_NONE))}")
    _settings.update({**_NONE, **given})


def throttled(call: Call) -> bool:
    """Whether this call to a service must be throttled."""
    every = _settings["throttled"].get(call.service)
    if not every:
        return False
    with _lock:
        _calls[call.service] += 1
        return _calls[call.service] % every == 0


def note_changes(read: Callable[[], dict[tuple[str, str], Any]]) -> None:
    """Records the current state of roles: trust or policies, by ARN and the setting that delays it. Called after each
    call to IAM. `read` returns the state and runs under the lock, so that an older state never replaces a newer one.
    """
    with _lock:
        current = read()
        now = clock()
        for gone in _history.keys() - current.keys():
            del _history[gone]
        for key, value in current.items():
            if not _history[key] or _history[key][-1][1] != value:
                _history[key].append((now, value))


def visible(arn: str, setting: str, current: Any, nothing: Any) -> Any:
    """Returns a role's state as other services see it: delayed, or `nothing` if the role is too new."""
    with _lock:
        history = list(_history.get((arn, setting), ()))
    if not _settings[setting] or not history:
        return current
    old = [value for changed, value in history if changed <= clock() - _settings[setting]]
    return old[-1] if old else nothing


def note_birth(name: str) -> None:
    """Records when a key's alias or a function was created."""
    _since[name] = clock()


def is_new(name: str, setting: str) -> bool:
    """Whether a key's alias or a function is younger than the delay with this name."""
    return name in _since and clock() - _since[name] < _settings[setting]
