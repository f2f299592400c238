"""Finds the signer of a request with its current policies in moto, and opens role sessions for services."""

import hashlib
import json
from dataclasses import dataclass, field
from typing import Any

from . import faults
from .guard_finders import PARTITION, backend
from .policy import Policies, Principal, decide
from .policy_conditions import Context

# The account's root user, not limited by policies: for tests, seeding and inspection.
ROOT_KEY = "test"


class UnknownKey(Exception):
    """The access key is unknown."""


class CannotAssume(Exception):
    """A role does not exist or does not trust the service that wants to assume it."""


@dataclass(frozen=True)
class Caller:
    """A principal with the documents of its policies and the condition keys that describe it."""

    principal: Principal
    identity: tuple[str, ...] = ()
    boundary: str | None = None
    context: Context = field(default_factory=dict)


@dataclass(frozen=True)
class Session:
    """A role that a service has assumed."""

    role_arn: str
    name: str
    context: Context


_sessions: dict[str, Session] = {}
_TRUST_KEYS = {"source_arn": "aws:sourcearn", "external_id": "sts:externalid"}


def service_caller(service: str, account: str, context: Context) -> Caller:
    """Returns a service as principal that calls by itself: only the resource's policy can allow that."""
    source = {"aws:sourceaccount": (account,), **context}
    return Caller(Principal(arn=service, account=account, service=service), context=source)


def open_session(role_arn: str, service: str, name: str, context: Context | None = None, **trust: str) -> tuple[str, str, str]:
    """Returns access key, secret and token with which a service acts for a role; the same for the same role and name.
    `context` has the condition keys of the session's calls, `trust` (source_arn, external_id) those of opening it.
    Raises CannotAssume.
    """
    account = role_arn.split(":")[4]
    role = _role(role_arn)
    source = {_TRUST_KEYS[key]: (value,) for key, value in trust.items()}
    caller = service_caller(service, account, source)
    # A service cannot assume a role that it does not know yet.
    policies = Policies(resource=_known(role)[1], resource_decides=True)
    if role is None or not decide(caller.principal, "sts:AssumeRole", role_arn, caller.context, policies).allowed:
        raise CannotAssume(f"{service} is not allowed to assume {role_arn}")
    key = f"ASIA{hashlib.sha256(f'{role_arn} {name}'.encode()).hexdigest()[:16].upper()}"
    _sessions[key] = Session(role_arn, name, context or {})
    return key, "secret", "token"


def caller_of(access_key: str, account: str) -> Caller:
    """Returns the principal with an access key. Raises UnknownKey."""
    session = _sessions.get(access_key) or _assumed(access_key, account)
    if session is not None:
        return session_caller(session)
    for user in _iam(account).users.values():
        if any(key.access_key_id == access_key for key in user.access_keys):
            return _user_caller(user, account)
    raise UnknownKey(access_key)


def session_caller(session: Session) -> Caller:
    """Returns the session of a role. A deleted role has no policies."""
    account, name = session.role_arn.split(":")[4], session.role_arn.split("/")[-1]
    arn = f"arn:{PARTITION}:sts::{account}:assumed-role/{name}/{session.name}"
    role = _role(session.role_arn)
    context = {**_described(arn, account), **session.context}
    context["aws:principalarn"] = (session.role_arn,)
    principal = Principal(arn=arn, account=account, role_arn=session.role_arn)
    return Caller(principal, _known(role)[0], _boundary(role), context)


def _user_caller(user: Any, account: str) -> Caller:
    groups = _iam(account).get_groups_for_user(user.name)
    documents = tuple(document for holder in (user, *groups) for document in documents_of(holder))
    arn = f"arn:{PARTITION}:iam::{account}:user{user.path}{user.name}"
    context = {**_described(arn, account), "aws:username": (user.name,)}
    return Caller(Principal(arn=arn, account=account), documents, None, context)


def _described(arn: str, account: str) -> dict[str, tuple[str, ...]]:
    return {"aws:principalarn": (arn,), "aws:principalaccount": (account,)}


def holders(account: str) -> list[Any]:
    """Returns all roles and users of the account."""
    return [*_iam(account).roles.values(), *_iam(account).users.values()]


def documents_of(holder: Any) -> tuple[str, ...]:
    """Returns the policies of a role, user or group, as JSON text."""
    if holder is None:
        return ()
    # A user's inline policies are texts, a group's are maps.
    inline = [one if isinstance(one, str) else json.dumps(one) for one in list(holder.policies.values())]
    return (*inline, *(_default_version(policy) for policy in list(holder.managed_policies.values())))


def note_roles(account: str) -> None:
    """Records the state of roles after a call to IAM. Other services see it with a delay."""
    faults.note_changes(
        lambda: {
            key: value
            for role in _iam(account).roles.values()
            for key, value in (((role.arn, "roleSeconds"), _trust(role)), ((role.arn, "policySeconds"), documents_of(role)))
        }
    )


def is_unknown(role_arn: str) -> bool:
    """Whether a role exists that other services do not know yet."""
    role = _role(role_arn)
    return role is not None and _known(role)[1] is None


def _known(role: Any) -> tuple[tuple[str, ...], str | None]:
    """Returns the policies and the trust policy of a role, as services other than IAM know them."""
    if role is None:
        return (), None
    policies = faults.visible(role.arn, "policySeconds", documents_of(role), ())
    return policies, faults.visible(role.arn, "roleSeconds", _trust(role), None)


def _default_version(policy: Any) -> str:
    return next(version.document for version in policy.versions if version.is_default)


def _boundary(role: Any) -> str | None:
    arn = role.permissions_boundary_arn if role is not None else None
    if not arn:
        return None
    policy = _iam(role.account_id).managed_policies.get(arn)
    # A missing permissions boundary allows nothing.
    return _default_version(policy) if policy else json.dumps({"Statement": []})


def _trust(role: Any) -> str | None:
    document = role.assume_role_policy_document if role is not None else None
    return document if document is None or isinstance(document, str) else json.dumps(document)


def _assumed(access_key: str, account: str) -> Session | None:
    found = backend("sts", account).get_assumed_role_from_access_key(access_key)
    if found is None:
        return None
    _sessions[access_key] = Session(found.role_arn, found.session_name, {})
    return _sessions[access_key]


def _role(arn: str) -> Any:
    roles = _iam(arn.split(":")[4]).roles.values()
    return next((role for role in roles if role.arn == arn), None)


def _iam(account: str) -> Any:
    return backend("iam", account)
