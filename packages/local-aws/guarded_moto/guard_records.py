"""Records every decision and every policy of a principal, and reports which permissions a run needed. A permission is
one action of one statement. It is needed if without it an allowed call would have been refused.
"""

import json
import threading
from collections import Counter, defaultdict
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Iterable, Iterator

from .guard_principals import documents_of, holders
from .policy import Policies, Principal, Statement, decide
from .policy_conditions import Context


@dataclass(frozen=True)
class Record:
    """One decision with all its inputs."""

    who: str
    principal: Principal
    action: str
    resource: str
    context: frozenset[tuple[str, tuple[str, ...]]]
    policies: Policies
    allowed: bool


_records: Counter[Record] = Counter()
_granted: defaultdict[str, set[str]] = defaultdict(set)
_lock = threading.Lock()


def record(who: str, principal: Principal, action: str, resource: str, context: Context, policies: Policies, allowed: bool) -> None:
    """Records a decision."""
    one = Record(who, principal, action, resource, frozenset(context.items()), policies, allowed)
    with _lock:
        _records[one] += 1


def remember_grants(account: str) -> None:
    """Records the policies of all roles and users. Called before each call to IAM, which may delete one."""
    with _lock:
        for holder in holders(account):
            _granted[holder.arn].update(documents_of(holder))


def decisions() -> list[dict[str, Any]]:
    """Returns the distinct decisions so far, with their counts."""
    counted: Counter[tuple[str, str, str, bool]] = Counter()
    for one, count in _snapshot().items():
        counted[one.who, one.action, one.resource, one.allowed] += count
    names = ("principal", "action", "resource", "allowed")
    return [{**dict(zip(names, decision)), "count": count} for decision, count in sorted(counted.items())]


def report(account: str) -> list[dict[str, Any]]:
    """Returns for each role and user that ever had a policy: its permissions, the unneeded ones, and the refused calls.
    """
    remember_grants(account)
    needed: defaultdict[str, set[str]] = defaultdict(set)
    refused: defaultdict[str, set[str]] = defaultdict(set)
    for one in _snapshot():
        if not one.allowed:
            refused[one.who].add(f"{one.action} {one.resource}")
        elif (permission := _sole_grant(one)) is not None:
            needed[one.who].add(permission)
    with _lock:
        granted = {arn: set(_permissions(documents)) for arn, documents in _granted.items() if documents}
    return [
        {
            "principal": arn,
            "granted": sorted(permissions),
            "unneeded": sorted(permissions - needed[arn]),
            "refused": sorted(refused[arn]),
        }
        for arn, permissions in sorted(granted.items())
    ]


def _snapshot() -> Counter[Record]:
    with _lock:
        return Counter(_records)


def _sole_grant(one: Record) -> str | None:
    """Returns the permission without which an allowed call would have been refused, if there is exactly one."""
    context = dict(one.context)
    others = Policies((), one.policies.boundary, one.policies.resource, one.policies.resource_decides)
    if decide(one.principal, one.action, one.resource, context, others).allowed:
        return None
    found = [
        name
        for document in one.policies.identity
        for name, statement in _single(document)
        if statement.applies(one.action, one.resource, context)
    ]
    return found[0] if len(found) == 1 else None


def _permissions(documents: Iterable[str]) -> Iterator[str]:
    for document in documents:
        yield from (name for name, _ in _single(document))


@lru_cache(maxsize=5_000)
def _single(document: str) -> tuple[tuple[str, Statement], ...]:
    """Returns each action of each statement that allows, as a statement of its own named `Sid action`."""
    statements = json.loads(document)["Statement"]
    return tuple(
        (f"{statement.get('Sid', '-')} {action}", Statement({**statement, "Action": action}))
        for statement in (statements if isinstance(statements, list) else [statements])
        if statement["Effect"] == "Allow" and "Action" in statement
        for action in _list(statement["Action"])
    )


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [value]
