"""Evaluates IAM policies as AWS does within one account.

Source: IAM User Guide, "Policy evaluation logic" and "Evaluating identity-based policies with resource-based policies".
"""

import json
import re
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Iterable

from .policy_conditions import Context, MissingVariable, UnsupportedPolicy, arn_matches, compiled, filled, wildcard

_ELEMENTS = {"Sid", "Effect", "Action", "NotAction", "Resource", "NotResource", "Principal", "NotPrincipal", "Condition"}

# How closely a statement of a resource policy names the caller.
NAMED, ROLE_NAMED, ACCOUNT_NAMED = "named", "role", "account"


@dataclass(frozen=True)
class Principal:
    """A caller: a user or role session by its ARN, or a service by its name."""

    arn: str
    account: str
    role_arn: str | None = None
    service: str | None = None

    def named_by(self, element: Any) -> str | None:
        """Returns how a Principal element names this principal, or None."""
        if element == "*":
            return NAMED
        names = {kind: _list(values) for kind, values in element.items()}
        unknown = names.keys() - {"AWS", "Service", "Federated"}
        if unknown:
            raise UnsupportedPolicy(f"the local cloud does not know principals of the kind {', '.join(unknown)}")
        if self.service is not None:
            return NAMED if self.service in names.get("Service", []) else None
        given = names.get("AWS", [])
        if self.arn in given or "*" in given:
            return NAMED
        if self.role_arn in given:
            return ROLE_NAMED
        root = f"arn:{self.arn.split(':')[1]}:iam::{self.account}:root"
        return ACCOUNT_NAMED if root in given or self.account in given else None


@dataclass(frozen=True)
class Policies:
    """The policy documents, as JSON text, that decide about one call."""

    identity: tuple[str, ...] = ()
    boundary: str | None = None
    resource: str | None = None
    # Whether the resource's policy must allow the call, directly or by naming the account: keys and trust policies.
    resource_decides: bool = False


@dataclass(frozen=True)
class Decision:
    """The decision about a call. If it is refused, `reason` ends AWS's message."""

    allowed: bool
    reason: str = ""


class Statement:
    """One compiled statement."""

    def __init__(self, element: dict[str, Any]):
        unknown = element.keys() - _ELEMENTS
        if unknown or element.get("Effect") not in ("Allow", "Deny"):
            raise UnsupportedPolicy(f"not a statement of a policy: {json.dumps(element)}")
        self.denies = element["Effect"] == "Deny"
        self.other_actions = "NotAction" in element
        actions = _list(element["NotAction"] if self.other_actions else element["Action"])
        self.actions = re.compile("|".join(f"(?:{wildcard(action).pattern})" for action in actions), re.IGNORECASE)
        self.other_resources = "NotResource" in element
        # Trust policies have no Resource: it is the role.
        self.resources = _list(element.get("NotResource", element.get("Resource", "*")))
        self.principal, self.not_principal = element.get("Principal"), element.get("NotPrincipal")
        self.conditions = compiled(element.get("Condition") or {})

    def applies(self, action: str, resource: str, context: Context) -> bool:
        """Whether action, resource and conditions match."""
        if (self.actions.fullmatch(action) is not None) == self.other_actions:
            return False
        try:
            matched = any(_covers(filled(one, context), resource) for one in self.resources)
            return matched != self.other_resources and all(test(context) for test in self.conditions)
        except MissingVariable:
            return False

    def names(self, principal: Principal) -> str | None:
        """Returns how a statement of a resource policy names the principal, or None."""
        if self.not_principal is not None:
            if not self.denies:
                raise UnsupportedPolicy("the local cloud evaluates NotPrincipal in Deny statements only")
            return None if principal.named_by(self.not_principal) else NAMED
        return principal.named_by(self.principal or {})


def _covers(pattern: str, resource: str) -> bool:
    # Only "*" covers a call without a resource.
    return pattern == "*" or (resource != "*" and arn_matches(pattern, resource))


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [value]


@lru_cache(maxsize=5_000)
def parsed(document: str) -> tuple[Statement, ...]:
    """Compiles a document. Equal documents share the result, so each distinct policy is compiled once."""
    return tuple(Statement(one) for one in _list(json.loads(document)["Statement"]))


def decide(principal: Principal, action: str, resource: str, context: Context, policies: Policies) -> Decision:
    """Decides about one action on one resource, `*` for actions without one. Raises UnsupportedPolicy."""

    def applying(documents: Iterable[str | None]) -> list[Statement]:
        statements = [one for document in documents if document is not None for one in parsed(document)]
        return [one for one in statements if one.applies(action, resource, context)]

    identity = applying(policies.identity)
    boundary = applying([policies.boundary])
    named = [(one, how) for one in applying([policies.resource]) if (how := one.names(principal))]
    for statements, kind in (
        (identity, "an identity-based policy"),
        ([one for one, _ in named], "a resource-based policy"),
        (boundary, "a permissions boundary"),
    ):
        if any(one.denies for one in statements):
            return Decision(False, f"with an explicit deny in {kind}")
    granted = {how for _, how in named}
    if NAMED in granted:
        return Decision(True)
    no_resource_policy = Decision(False, f"because no resource-based policy allows the {action} action")
    if principal.service is not None or (policies.resource_decides and not granted):
        return no_resource_policy
    # Within the account, an allow by the resource's policy or the caller's is enough. A resource policy that names the
    # role is still subject to the boundary.
    if policies.boundary is not None and not boundary:
        return Decision(False, f"because no permissions boundary allows the {action} action")
    if identity or ROLE_NAMED in granted:
        return Decision(True)
    return Decision(False, f"because no identity-based policy allows the {action} action")
