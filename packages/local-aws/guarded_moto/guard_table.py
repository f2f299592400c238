"""The IAM actions and resources of the operations that functions, tool and Terraform call. Others are refused.

Each entry of `operations` in `guard_table.json` names a resource and the operations that act on it, by signing name. Unless it
is `*` or an ARN, `arn:aws:<service>:<region>:<account>:` comes before it. `{Name}` is a parameter of the call; a parameter that
is an ARN stands for the whole resource, and one with several values for several resources. A missing one is `*`. `@kind Name`
is looked up, see `guard_resources.py`. `Operation=Action` where IAM's action has another name. An entry may need several
resources: ` & `. API Gateway has none: its actions are HTTP methods, its resources paths.
Source: Service Authorization Reference.
"""

import json
from pathlib import Path

_TABLE = json.loads((Path(__file__).parent / "guard_table.json").read_text())

OPERATIONS: dict[str, dict[str, list[str]]] = _TABLE["operations"]

# IAM's name of a service where it differs from the name that its requests are signed for.
PREFIXES = {"monitoring": "cloudwatch"}

# By `service:operation`: the service that is passed a role, and the parameters with the role.
PASSED_ROLES: dict[str, tuple[str, str]] = {name: tuple(value) for name, value in _TABLE["passedRoles"].items()}

# The action that a call with tags needs too, on the resource that it creates, where it is not TagResource, and the
# parameter with the tags where it is not Tags or tags. Source: Service Authorization Reference, dependent actions.
TAGGING: dict[str, str] = _TABLE["tagging"]
TAGS = {"ec2": ("TagSpecifications",)}

# By `service:operation`: the tagged resource, if it is not the first resource of the call.
TAGGED_RESOURCES: dict[str, str] = _TABLE["taggedResources"]

# Calls that need no permission.
FREE = {"sts:GetCallerIdentity"}
