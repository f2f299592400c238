"""Lets botocore and moto share what they read."""

from functools import cache

from patching import repair, replace


@repair
def shared_models() -> None:
    """botocore and moto parse a service's model, which is megabytes of JSON, again for each session and client."""
    import botocore.session
    import moto.core.utils

    for module in (botocore.session, moto.core.utils):
        replace(module, "create_loader", cache(module.create_loader))
