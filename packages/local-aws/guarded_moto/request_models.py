"""Parses a call's parameters by botocore's model of the service, and lists parameters that the model does not have."""

import base64
import json
from functools import lru_cache
from io import BytesIO
from typing import Any, Iterable, Iterator, Mapping, Protocol
from urllib.parse import parse_qsl
from xml.etree import ElementTree

from .attribute_values import is_plain_attribute

# botocore's name of a service where it differs from the name that its requests are signed for.
_NAMES = {"es": "opensearch", "monitoring": "cloudwatch", "servicequotas": "service-quotas", "states": "stepfunctions"}
_QUERY_FRAME = {"Action", "Version"}
# Prefixes of query parameters that belong to the signature or the SDK, not to the operation.
_ADDRESS_FRAME = ("x-amz-", "x-id")


class Request(Protocol):
    """The members of a request that this file reads."""

    method: str
    path: str
    query: str
    headers: Mapping[str, str]
    body: bytes


class Call(Protocol):
    """The members of a call that this file reads; `guard_calls.Call` has them."""

    service: str
    operation: str | None
    protocol: str
    request: Request
    model: str | None
    labels: Mapping[str, str]


class Unreadable(Exception):
    """The body does not follow the protocol."""


def operation_of(call: Call) -> Any:
    """Returns the model of the call's operation, or None if botocore has none."""
    model = _service(call.model or _NAMES.get(call.service, call.service))
    return model.operation_model(call.operation) if model and call.operation in model.operation_names else None


@lru_cache(maxsize=None)
def _service(name: str) -> Any:
    from botocore.exceptions import UnknownServiceError
    from moto.core.utils import get_service_model

    try:
        return get_service_model(name)
    except UnknownServiceError:
        return None


def parameters_of(call: Call, operation: Any) -> tuple[dict[str, Any], list[str]]:
    """Returns the parameters, named and typed as in the model, and the names of unknown ones. Raises Unreadable."""
    shape = operation.input_shape
    if shape is None:
        return {}, []
    try:
        if call.protocol == "json":
            return _typed_structure(_json(call.request.body), shape, "")
        if call.protocol == "cbor":
            return _typed_structure(_cbor(call.request.body), shape, "")
        return _parsed(call, operation, shape)
    except (ValueError, TypeError, AttributeError, ElementTree.ParseError) as error:
        raise Unreadable(f"the request is not one of {operation.name}: {error}") from error


def _json(body: bytes) -> Any:
    return json.loads(body) if body.strip() else {}


def _cbor(body: bytes) -> Any:
    from botocore.parsers import RpcV2CBORParser

    return RpcV2CBORParser().parse_data_item(BytesIO(body)) if body else {}


def _typed_structure(value: Any, shape: Any, path: str, bound: Iterable[str] = ()) -> tuple[dict[str, Any], list[str]]:
    """Returns the members of a structure in JSON. Members that are `bound` to other parts of the request are left out."""
    if not isinstance(value, dict):
        raise ValueError(f"{path or 'the body'} is no object")
    names = {member.serialization.get("name", name): name for name, member in shape.members.items() if name not in bound}
    known: dict[str, Any] = {}
    unknown = []
    for key, one in value.items():
        if one is None:  # as absent, in every JSON protocol
            continue
        if key not in names:
            unknown.append(f"{path}{key}")
            continue
        known[names[key]], more = _typed(one, shape.members[names[key]], f"{path}{key}")
        unknown += more
    return known, unknown


def _typed(value: Any, shape: Any, path: str) -> tuple[Any, list[str]]:
    if is_plain_attribute(value, shape):
        return value, []
    kind = shape.type_name
    if kind == "structure" and not shape.is_document_type:
        return _typed_structure(value, shape, f"{path}.")
    if kind == "list" and isinstance(value, list):
        found = [_typed(one, shape.member, f"{path}[{index}]") for index, one in enumerate(value)]
        return [one for one, _ in found], [name for _, names in found for name in names]
    if kind == "map" and isinstance(value, dict):
        pairs = {key: _typed(one, shape.value, f"{path}.{key}") for key, one in value.items() if one is not None}
        return {key: one for key, (one, _) in pairs.items()}, [name for _, names in pairs.values() for name in names]
    if kind == "blob" and isinstance(value, str):
        return base64.b64decode(value, validate=True), []
    return value, []


def _parsed(call: Call, operation: Any, shape: Any) -> tuple[dict[str, Any], list[str]]:
    """Lets moto's parsers read the other protocols, whose requests are flat or XML."""
    from moto.core.parse import PROTOCOL_PARSERS
    from werkzeug.datastructures import Headers, MultiDict

    request = call.request
    rest = call.protocol.startswith("rest")
    pairs = parse_qsl(request.query if rest or not request.body else request.body.decode(), keep_blank_values=True)
    described = {
        "body": request.body,
        "headers": Headers(list(request.headers.items())),
        "method": request.method,
        "url_params": call.labels,
        "url_path": request.path,
        "values": MultiDict(pairs),
    }
    if call.protocol == "rest-json" and "payload" not in shape.serialization:
        described["body"] = b""
    params = PROTOCOL_PARSERS[call.protocol](operation).parse(described)
    if _has_raw_body(operation):
        name = shape.serialization["payload"]
        params[name] = request.body if shape.members[name].type_name == "blob" else request.body.decode()
    if not rest:
        return params, sorted(_flat_names(pairs) - _flat_names(_serialized(call, operation, params)["body"].items()))
    unknown = [f"?{name}" for name in sorted(_unknown_in_address(pairs, operation))]
    if call.protocol == "rest-json" and "payload" not in shape.serialization:
        bound = [name for name, member in shape.members.items() if "location" in member.serialization]
        body, more = _typed_structure(_json(request.body), shape, "", bound)
        return {**params, **body}, unknown + more
    if call.protocol == "rest-xml" and request.body and not _has_raw_body(operation):
        given, known = (set(_tags(body)) for body in (request.body, _serialized(call, operation, params)["body"]))
        unknown += sorted(given - known)
    return params, unknown


def _has_raw_body(operation: Any) -> bool:
    """Whether the body is raw bytes instead of a structure, such as an object of S3."""
    shape = operation.input_shape
    payload = shape.members[shape.serialization["payload"]] if shape and "payload" in shape.serialization else None
    return payload is not None and payload.type_name in ("blob", "string")


def _serialized(call: Call, operation: Any, params: Mapping[str, Any]) -> dict[str, Any]:
    from botocore.serialize import create_serializer

    # If a service has several protocols, uses the caller's.
    return create_serializer(call.protocol, False).serialize_to_request(dict(params), operation)


def _flat_names(pairs: Iterable[tuple[str, Any]]) -> set[str]:
    # botocore serializes an empty list as a name without a value, which is ignored.
    return {name for name, value in pairs if name not in _QUERY_FRAME and value != ""}


def _unknown_in_address(pairs: list[tuple[str, str]], operation: Any) -> set[str]:
    given = {name for name, _ in pairs if not name.lower().startswith(_ADDRESS_FRAME)}
    fixed = {name for name, _ in parse_qsl(operation.http["requestUri"].partition("?")[2], keep_blank_values=True)}
    members = operation.input_shape.members.values()
    located = [one for one in members if one.serialization.get("location") == "querystring"]
    if any(one.type_name == "map" for one in located):
        return set()
    return given - fixed - {one.serialization["name"] for one in located}


def _tags(body: bytes | str) -> Iterator[str]:
    def below(node: ElementTree.Element, path: str) -> Iterator[str]:
        for child in node:
            name = f"{path}{child.tag.partition('}')[2] or child.tag}"
            yield name
            yield from below(child, f"{name}.")

    if body:
        yield from below(ElementTree.fromstring(body), "")
