"""Checks the permissions of roles that services assume."""

from .guard import require
from .guard_principals import caller_of, open_session
from .guard_resources import Need


def require_of_role(role_arn: str, service: str, *needs: Need, **trust: str) -> None:
    """Checks that a service may assume a role, and that the role may do these actions. Raises Denied or CannotAssume.
    """
    key, _, _ = open_session(role_arn, f"{service}.amazonaws.com", service, **trust)
    for need in needs:
        require(caller_of(key, role_arn.split(":")[4]), need)
