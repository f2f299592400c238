"""Lets moto answer several requests to IAM at the same time."""

from typing import Any

from .patching import repair, replace


class _Copied(dict[str, Any]):
    """A map whose iteration uses a snapshot."""

    def values(self) -> Any:
        return list(super().values())

    def items(self) -> Any:
        return list(super().items())


@repair
def iam_side_by_side() -> None:
    """moto and the guard iterate over the account's roles and users while other threads add some, which Python refuses.
    """
    from moto.iam.models import IAMBackend

    def __init__(self: Any, *args: Any, **named: Any) -> None:
        original(self, *args, **named)
        for name in ("roles", "users", "groups", "managed_policies"):
            setattr(self, name, _Copied(getattr(self, name)))

    original = replace(IAMBackend, "__init__", __init__)
