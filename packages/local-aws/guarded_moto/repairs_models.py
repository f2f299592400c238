"""Lets botocore and moto share parsed service models."""

from functools import cache
from typing import Any

from .patching import repair, replace


@repair
def shared_models() -> None:
    """botocore and moto parse a service's model, which is megabytes of JSON, again for each session and client."""
    import botocore.session
    import moto.core.utils

    for module in (botocore.session, moto.core.utils):
        replace(module, "create_loader", cache(module.create_loader))


@repair
def no_instance_types() -> None:
    """moto reads what instances EC2 has in each region, a sixth of its start, and Relevance has no instances."""
    from moto.utilities import utils

    def load_resource(resource: str) -> Any:
        return {} if resource.startswith("ec2/resources/instance_type") else original(resource)

    original = replace(utils, "load_resource", load_resource)
