"""Repairs for how a REST API of API Gateway is reached: its policy, its endpoint type and its execute-api URL.

Sources: API Gateway Developer Guide, "API Gateway resource policies" and "Private REST APIs"; terraform-provider-aws,
rest_api.go and its issues 14269, 42169 (VPC endpoints of an API that is no longer private) and 49672 (the policy is gone
after an import).
"""

import json
from typing import Any

from .patching import repair, replace

POLICY = "/policy"
TYPES = "/endpointConfiguration/types"
ENDPOINTS = "/endpointConfiguration/vpcEndpointIds"


@repair
def api_gateway_reach() -> None:
    """moto stores a short policy as given, reads "false" as true, ignores VPC endpoints, and keeps the policy on import."""
    from moto.apigateway.models import APIGatewayBackend, RestAPI

    def initialize(self: Any, *args: Any, **kwargs: Any) -> None:
        original_initialize(self, *args, **kwargs)
        self.policy = expanded(self, self.policy)

    def apply(self: Any, operations: list[dict[str, Any]]) -> None:
        known = [one for one in operations if not one["path"].startswith((POLICY, ENDPOINTS))]
        original_apply(self, known)
        for one in operations:
            path, value = one["path"], one.get("value")
            if path.startswith(POLICY):
                self.policy = expanded(self, value)
            elif path.startswith(TYPES) and value != "PRIVATE":
                self.endpoint_configuration.pop("vpcEndpointIds", None)
            elif path.startswith(ENDPOINTS):
                associate(self, one["op"], str(value))
            elif path == "/disableExecuteApiEndpoint":
                self.disableExecuteApiEndpoint = value == "true"

    def to_dict(self: Any) -> dict[str, Any]:
        found = original_to_dict(self)
        # API Gateway returns the text of a JSON string.
        return {**found, "policy": json.dumps(self.policy)[1:-1]} if self.policy else found

    def put_rest_api(self: Any, function_id: str, api_doc: dict[str, Any], *args: Any, **kwargs: Any) -> Any:
        api = original_put(self, function_id, api_doc, *args, **kwargs)
        if kwargs.get("mode") == "overwrite":
            policy = api_doc.get("x-amazon-apigateway-policy")
            api.policy = expanded(api, json.dumps(policy) if policy else None)
        return api

    def create_deployment(self: Any, function_id: str, *args: Any, **kwargs: Any) -> Any:
        api = self.get_rest_api(function_id)
        if api.endpoint_configuration["types"] == ["PRIVATE"] and not api.policy:
            raise bad_request("Private REST API doesn't have a resource policy attached to it")
        return original_deploy(self, function_id, *args, **kwargs)

    original_initialize = replace(RestAPI, "__init__", initialize)
    original_apply = replace(RestAPI, "apply_patch_operations", apply)
    original_to_dict = replace(RestAPI, "to_dict", to_dict)
    original_put = replace(APIGatewayBackend, "put_rest_api", put_rest_api)
    original_deploy = replace(APIGatewayBackend, "create_deployment", create_deployment)


def expanded(api: Any, policy: str | None) -> str | None:
    """Returns a policy as API Gateway stores it: `execute-api:/*` becomes the ARN of all calls of the API."""
    arn = f"arn:aws:execute-api:{api.region_name}:{api.account_id}:{api.id}/"
    return policy.replace('"execute-api:/', f'"{arn}') if policy else None


def associate(api: Any, operation: str, endpoint: str) -> None:
    """Adds or removes a VPC endpoint of a private API."""
    if api.endpoint_configuration["types"] != ["PRIVATE"]:
        raise bad_request("VPCEndpoints can only be specified with PRIVATE apis.")
    ids = [one for one in api.endpoint_configuration.get("vpcEndpointIds", []) if one != endpoint]
    api.endpoint_configuration["vpcEndpointIds"] = [*ids, *([endpoint] if operation == "add" else [])]


def bad_request(message: str) -> Exception:
    """Returns API Gateway's answer to a call that it refuses."""
    from moto.apigateway.exceptions import BadRequestException

    return BadRequestException(message)
