"""Applies repairs to moto, and fails with a clear message if one no longer fits.

moto's internals may change at any time. So every repair changes them through `replace`, which requires that the name
exists, or `add`, which requires that it does not: if a new moto adds it, the repair is probably no longer needed.
"""

from importlib.metadata import version
from typing import Any, Callable

MOTO_VERSION = "5.2.5"

_repairs: dict[str, Callable[[], None]] = {}


class RepairError(Exception):
    """A repair does not fit the installed moto."""


def repair(function: Callable[[], None]) -> Callable[[], None]:
    """Registers a repair. Its docstring says why it exists."""
    if not function.__doc__:
        raise RepairError(f"the repair {function.__name__} has no docstring: say why it exists")
    if function.__name__ in _repairs:
        raise RepairError(f"two repairs are called {function.__name__}")
    _repairs[function.__name__] = function
    return function


def replace(owner: Any, name: str, new: Any) -> Any:
    """Replaces an existing attribute with `new` and returns the old one."""
    if not hasattr(owner, name):
        raise RepairError(f"moto has no {_label(owner)}.{name}")
    old = getattr(owner, name)
    setattr(owner, name, new)
    return old


def add(owner: Any, name: str, new: Any) -> None:
    """Adds an attribute that moto lacks."""
    if hasattr(owner, name):
        raise RepairError(f"moto has its own {_label(owner)}.{name} now: see whether the repair is still needed")
    setattr(owner, name, new)


def add_url(urls: Any, pattern: str, handler: Any) -> None:
    """Adds a handler for a path that moto does not know."""
    if pattern in urls.url_paths:
        raise RepairError(f"moto serves {pattern} itself now: see whether the repair is still needed")
    urls.url_paths[pattern] = handler


def apply_all(without: frozenset[str] = frozenset()) -> None:
    """Applies every registered repair except those in `without`."""
    installed = version("moto")
    if installed != MOTO_VERSION:
        raise RepairError(
            f"the repairs are written for moto {MOTO_VERSION}, but {installed} is installed. "
            "Install local/cloud/requirements.txt, or go through the repairs and change MOTO_VERSION"
        )
    unknown = without - _repairs.keys()
    if unknown:
        raise RepairError(f"no such repair: {', '.join(sorted(unknown))}. There are: {', '.join(sorted(_repairs))}")
    for name, function in _repairs.items():
        if name in without:
            continue
        try:
            function()
        except (RepairError, ImportError, AttributeError) as error:
            raise RepairError(f"the repair {name} does not fit moto {installed}: {error}") from error


def _label(owner: Any) -> str:
    module = getattr(owner, "__module__", "")
    name = getattr(owner, "__qualname__", getattr(owner, "__name__", repr(owner)))
    return f"{module}.{name}" if module else name
