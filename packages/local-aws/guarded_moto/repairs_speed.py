"""Caches results that moto computes again for each call: a fifth of its time for a small call."""

from functools import lru_cache
from typing import Any, BinaryIO

from .attribute_values import is_plain_attribute
from .patching import repair, replace


@repair
def known_hosts() -> None:
    """moto lists its packages' folders and matches the patterns of all services while it holds a lock."""
    from moto.moto_server.werkzeug_app import DomainDispatcherApplication

    own = DomainDispatcherApplication.get_backend_for_host
    replace(DomainDispatcherApplication, "get_backend_for_host", lru_cache(maxsize=1_000)(own))


@repair
def plain_headers() -> None:
    """Python parses request headers with its mail parser, which takes longer than a small call."""
    import http.client

    def parse_headers(stream: BinaryIO, _class: type[http.client.HTTPMessage] = http.client.HTTPMessage) -> Any:
        message = _class()
        for line in iter(stream.readline, b"\r\n"):
            name, colon, value = line.decode("iso-8859-1").partition(":")
            if not colon:
                raise http.client.HTTPException(f"this is not a header: {line!r}")
            message[name] = value.strip()
        return message

    replace(http.client, "parse_headers", parse_headers)


@repair
def known_operations() -> None:
    """moto searches all members of a service's class for the names of its operations."""
    from moto.core import responses

    replace(responses, "method_names_from_class", lru_cache(responses.method_names_from_class))


@repair
def plain_attributes() -> None:
    """moto walks through each DynamoDB attribute value by the service's model without using the result."""
    from moto.core.parse import BaseJSONParser

    def parse_structure(self: Any, shape: Any, value: Any) -> Any:
        return value if is_plain_attribute(value, shape) else original(self, shape, value)

    original = replace(BaseJSONParser, "_parse_structure", parse_structure)


@repair
def dynamodb_copies() -> None:
    """moto copies items in responses with Python's generic deepcopy, and copies maps to compute their size."""
    from moto.dynamodb.models.dynamo_type import DynamoType
    from moto.dynamodb.models.utilities import bytesize

    def copied(self: Any, _memo: Any = None) -> Any:
        copy = DynamoType.__new__(DynamoType)
        copy.type = self.type
        match self.type:
            case "L":
                copy.value = [copied(one) for one in self.value]
            case "M":
                copy.value = {name: copied(one) for name, one in self.value.items()}
            case "SS" | "NS" | "BS":
                copy.value = list(self.value)
            case _:
                copy.value = self.value
        return copy

    def size(self: Any) -> int:
        if self.type == "M":
            return sum(bytesize(name) + one.size() for name, one in self.value.items())
        return original(self)

    replace(DynamoType, "__deepcopy__", copied)
    original = replace(DynamoType, "size", size)


@repair
def dynamodb_results() -> None:
    """moto imports the class of attribute values again for each value in a response: a third of a scan."""
    from moto.dynamodb import responses
    from moto.dynamodb.models import utilities
    from moto.dynamodb.models.dynamo_type import DynamoType

    def to_dict(value: Any) -> Any:
        if type(value) is DynamoType and value.type not in ("B", "BS"):
            return {value.type: to_dict(value.value)}
        if type(value) is dict:
            return {name: to_dict(one) for name, one in value.items()}
        if type(value) is list:
            return [to_dict(one) for one in value]
        return value if type(value) in (str, bool, int) else original(value)

    original = replace(utilities, "dynamo_to_dict", to_dict)
    replace(responses, "dynamo_to_dict", to_dict)
