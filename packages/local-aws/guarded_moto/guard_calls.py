"""Parses caller, operation and parameters of a signed request, by botocore's service models."""

import re
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from typing import Any, Mapping
from urllib.parse import parse_qs, parse_qsl, unquote

from .request_models import Unreadable, operation_of, parameters_of

# The models of services with REST protocols, by signing name. Requests in the other protocols contain their operation.
REST_MODELS = {
    "apigateway": ("apigateway",),
    "bedrock": ("bedrock-runtime", "bedrock"),
    "es": ("opensearch",),
    "lambda": ("lambda",),
    "personalize": ("personalize-runtime", "personalize-events"),
    "route53": ("route53",),
    "s3": ("s3",),
    "sagemaker": ("sagemaker-runtime",),
    "scheduler": ("scheduler",),
    "xray": ("xray",),
}


@dataclass(frozen=True)
class Request:
    """The parts of an HTTP request that decide about it. `path` is still encoded, header names are in lower case."""

    method: str
    path: str
    query: str
    headers: Mapping[str, str]
    body: bytes


@dataclass(frozen=True)
class Call:
    """A call to AWS."""

    access_key: str
    region: str
    service: str
    operation: str | None
    protocol: str
    request: "Request"
    # botocore's name of the service and the parameters in the path, of REST protocols.
    model: str | None = None
    labels: Mapping[str, str] = field(default_factory=dict)

    @cached_property
    def parameters(self) -> tuple[dict[str, Any], list[str]]:
        """The parameters by the service's model, and the names of unknown ones. Raises Unreadable."""
        operation = operation_of(self)
        return parameters_of(self, operation) if operation is not None else ({}, [])

    @property
    def params(self) -> Mapping[str, Any]:
        """The parameters; empty if they are unreadable, because the call is refused later."""
        try:
            return self.parameters[0]
        except Unreadable:
            return {}


def credential_of(authorization: str, query: str) -> tuple[str, str, str] | None:
    """Returns access key, region and service of a version 4 signature in the header or, if presigned, in the query."""
    match = re.match(r"AWS4-HMAC-SHA256 Credential=([^,\s]+)", authorization)
    scope = match[1] if match else next(iter(parse_qs(query).get("X-Amz-Credential", [])), "")
    parts = scope.rsplit("/", 4)
    return (parts[0], parts[2], parts[3]) if len(parts) == 5 and parts[4] == "aws4_request" else None


def call_of(credential: tuple[str, str, str], request: Request) -> Call:
    """Returns the call of a request; without an operation if no model knows it."""
    access_key, region, service = credential
    if service in REST_MODELS and "x-amz-target" not in request.headers:
        return _rest_call(credential, request)
    protocol, operation = _read(service, request)
    return Call(access_key, region, service, operation, protocol, request)


def _rest_call(credential: tuple[str, str, str], request: Request) -> Call:
    access_key, region, service = credential
    protocol = "rest-xml" if service in ("s3", "route53") else "rest-json"
    query = dict(parse_qsl(request.query, keep_blank_values=True))
    for route in _routes(service):
        labels = route.labels_of(request, query)
        if labels is not None:
            return Call(access_key, region, service, route.name, protocol, request, route.model, labels)
    return Call(access_key, region, service, None, protocol, request)


def _read(service: str, request: Request) -> tuple[str, str | None]:
    """Returns protocol and operation of a call that contains its operation."""
    target = request.headers.get("x-amz-target")
    cbor = re.fullmatch(r"/service/[^/]+/operation/(\w+)", request.path)
    if target:
        return "json", target.rsplit(".", 1)[-1]
    if cbor:
        return "cbor", cbor[1]
    form = "form" in request.headers.get("content-type", "")
    params = dict(parse_qsl(request.body.decode() if form else request.query, keep_blank_values=True))
    return "ec2" if service == "ec2" else "query", params.get("Action")


class _Route:
    """One operation of a REST protocol, with what a request must have to match it."""

    def __init__(self, model: str, name: str, http: Mapping[str, Any], shape: Any):
        self.model, self.name, self.method = model, name, http["method"]
        path, _, query = http["requestUri"].partition("?")
        # The `x-id` parameter in S3's URLs is only sent by some SDKs.
        self.query = {key: value for key, value in parse_qsl(query, keep_blank_values=True) if key != "x-id"}
        self.labels = [label.rstrip("+") for label in re.findall(r"\{([^}]+)\}", path)]
        self.path = re.compile(
            re.sub(r"\\{([^}+\\]+)(\\\+)?\\}", lambda found: "(.+)" if found[2] else "([^/]+)", re.escape(path.rstrip("/"))) + "/?"
        )
        required = [shape.members[name].serialization for name in (shape.required_members if shape else [])]
        self.needs = {
            kind: {one["name"].lower() if kind == "header" else one["name"] for one in required if one.get("location") == kind}
            for kind in ("querystring", "header")
        }
        self.rank = (len(self.query) + sum(map(len, self.needs.values())), len(re.sub(r"\{[^}]+\}", "", path)))

    def labels_of(self, request: Request, query: Mapping[str, str]) -> dict[str, str] | None:
        """Returns the parameters in the path if the request is a call of this operation."""
        if self.method != request.method or any(query.get(key) != value for key, value in self.query.items()):
            return None
        found = self.path.fullmatch(request.path)
        if found is None:
            return None
        if not (self.needs["querystring"] <= query.keys() and self.needs["header"] <= request.headers.keys()):
            return None
        return {label: unquote(value) for label, value in zip(self.labels, found.groups())}


@lru_cache(maxsize=None)
def _routes(service: str) -> list[_Route]:
    from botocore.session import get_session

    session = get_session()
    routes = []
    for name in REST_MODELS[service]:
        model = session.get_service_model(name)
        for operation in model.operation_names:
            one = model.operation_model(operation)
            if not one.deprecated:
                routes.append(_Route(name, operation, one.http, one.input_shape))
    return sorted(routes, key=lambda route: route.rank, reverse=True)
