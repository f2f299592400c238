"""Compares what roles and users were granted with what they did: actions never used, and calls that were refused."""

import json
from typing import Any, Iterator

from guard import ACCOUNT, decisions
from guard_principals import documents_of, holders
from policy_conditions import wildcard


def report() -> list[dict[str, Any]]:
    """Returns, for each role and user with policies, its unused actions and the calls that it was refused."""
    made = decisions()
    return [
        {
            "principal": holder.arn,
            "unused": sorted(_unused(holder, [one["action"] for one in made if one["principal"] == holder.arn and one["allowed"]])),
            "denied": sorted(
                f"{one['action']} {one['resource']}" for one in made if one["principal"] == holder.arn and not one["allowed"]
            ),
        }
        for holder in holders(ACCOUNT)
        if documents_of(holder)
    ]


def _unused(holder: Any, used: list[str]) -> set[str]:
    granted = {action for document in documents_of(holder) for action in _granted(document)}
    return {action for action in granted if not any(wildcard(action.lower()).fullmatch(one.lower()) for one in used)}


def _granted(document: str) -> Iterator[str]:
    statements = json.loads(document)["Statement"]
    for statement in statements if isinstance(statements, list) else [statements]:
        if statement["Effect"] == "Allow":
            actions = statement.get("Action", [])
            yield from [actions] if isinstance(actions, str) else actions
