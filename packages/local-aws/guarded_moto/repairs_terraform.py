"""Repairs for resources that Terraform's AWS provider 5.100 reads back and that plain moto drops, rejects or answers
with a 500. Without them, a second plan is not empty, or an apply hangs in the provider's retries.
"""

import json
from typing import Any

from .patching import add, add_url, repair, replace


@repair
def s3_delete_marker() -> None:
    """With versioning suspended, deleting a key calls `dispose` on each version. Delete markers lack it: a 500."""
    from moto.s3.models import FakeDeleteMarker

    add(FakeDeleteMarker, "dispose", lambda self, garbage=False: None)


@repair
def s3_policy_conditions() -> None:
    """moto ignores a statement's Condition, so "deny unless TLS" denies every call to the bucket."""
    from moto.iam.access_control import IAMPolicy, PermissionResult
    from moto.s3.models import FakeBucket

    def get_permission(self: Any, action: str, resource: str) -> Any:
        if self.policy is None:
            return PermissionResult.NEUTRAL
        document = json.loads(self.policy.decode())
        statements = document["Statement"] if isinstance(document["Statement"], list) else [document["Statement"]]
        unconditional = [statement for statement in statements if "Condition" not in statement]
        if not unconditional:
            return PermissionResult.NEUTRAL
        return IAMPolicy(json.dumps({**document, "Statement": unconditional})).is_action_permitted(action, resource)

    replace(FakeBucket, "get_permission", get_permission)


@repair
def s3_eventbridge() -> None:
    """GetBucketNotification omits EventBridgeConfiguration, so every plan sets `eventbridge = true` again."""
    from moto.core.responses import ActionResult
    from moto.s3.responses import S3Response

    def get_bucket_notification(self: Any) -> Any:
        configuration = self.backend.get_bucket_notification_configuration(self.bucket_name)
        if not configuration or configuration.event_bridge is None:
            return original(self)
        serialized = self.serialized
        self.serialized = lambda answer: serialized(ActionResult({**answer.result, "EventBridgeConfiguration": {}}))
        try:
            return original(self)
        finally:
            del self.serialized

    original = replace(S3Response, "get_bucket_notification", get_bucket_notification)


@repair
def sg_rule_description() -> None:
    """moto stores a security group rule's description with the referenced group, and does not return it."""
    from moto.ec2.models.security_groups import SecurityGroupRule

    def description(self: Any) -> str | None:
        return self.ip_range.get("Description") or self.source_group.get("Description")

    replace(SecurityGroupRule, "description", property(description))


@repair
def endpoint_services_by_filter() -> None:
    """moto fails on a filter for endpoint services whose values are in the member `Values`, as in EC2's API."""
    from moto.ec2.models.vpcs import VPCBackend

    def filtered(names: list[str], filters: list[dict[str, Any]], services: list[dict[str, Any]]) -> list[Any]:
        return original(names, [{**one, "Value": one.get("Values", [])} for one in filters], services)

    original = replace(VPCBackend, "_filter_endpoint_services", staticmethod(filtered))


@repair
def lambda_configuration() -> None:
    """moto drops LoggingConfig and updates of tracing, ephemeral storage and KMS key: drift and new versions."""
    from moto.awslambda.models import LambdaFunction

    def initialize(self: Any, account_id: str, spec: dict[str, Any], *rest: Any, **named: Any) -> None:
        original_initialize(self, account_id, spec, *rest, **named)
        self.logging_config = spec.get("LoggingConfig")

    def get_configuration(self: Any, *rest: Any, **named: Any) -> dict[str, Any]:
        return {**original_get(self, *rest, **named), "LoggingConfig": logging_config(self)}

    def update_configuration(self: Any, updates: dict[str, Any]) -> dict[str, Any]:
        names = {"LoggingConfig": "logging_config", "TracingConfig": "tracing_config", "KMSKeyArn": "kms_key_arn"}
        vars(self).update({names[key]: value for key, value in updates.items() if key in names})
        if "EphemeralStorage" in updates:
            self.ephemeral_storage = updates["EphemeralStorage"]["Size"]
        return original_update(self, updates)

    original_initialize = replace(LambdaFunction, "__init__", initialize)
    original_get = replace(LambdaFunction, "get_configuration", get_configuration)
    original_update = replace(LambdaFunction, "update_configuration", update_configuration)


def logging_config(function: Any) -> dict[str, str]:
    """Returns a function's logging configuration with Lambda's defaults, except for the levels of the JSON format.

    The provider treats levels that it did not set as a change of the function and plans a new version each time.
    """
    given = getattr(function, "logging_config", None) or {}
    return {"LogFormat": "Text", "LogGroup": f"/aws/lambda/{function.function_name}", **given}


@repair
def appautoscaling_tags() -> None:
    """ListTagsForResource returns a 500, which the provider retries for minutes, and moto does not store tags."""
    from moto.applicationautoscaling.responses import ApplicationAutoScalingResponse as Response

    def tags_of(self: Any, arn: str) -> dict[str, str]:
        # Stored on the backend, so that a reset of moto also clears the tags.
        backend = self.applicationautoscaling_backend
        if not hasattr(backend, "tags_by_arn"):
            backend.tags_by_arn = {}
        return backend.tags_by_arn.setdefault(arn, {})

    def register_scalable_target(self: Any) -> str:
        answer = original(self)
        tags_of(self, json.loads(answer)["ScalableTargetARN"]).update(self._get_param("Tags") or {})
        return answer

    def list_tags_for_resource(self: Any) -> str:
        return json.dumps({"Tags": tags_of(self, self._get_param("ResourceARN"))})

    def tag_resource(self: Any) -> str:
        tags_of(self, self._get_param("ResourceARN")).update(self._get_param("Tags"))
        return "{}"

    def untag_resource(self: Any) -> str:
        for key in self._get_param("TagKeys"):
            tags_of(self, self._get_param("ResourceARN")).pop(key, None)
        return "{}"

    original = replace(Response, "register_scalable_target", register_scalable_target)
    add(Response, "list_tags_for_resource", list_tags_for_resource)
    add(Response, "tag_resource", tag_resource)
    add(Response, "untag_resource", untag_resource)


@repair
def sqs_redrive() -> None:
    """moto returns RedrivePolicy with spaces after commas and colons: "whitespace changes" in each plan."""
    from moto.sqs.models import Queue

    def attributes(self: Any) -> dict[str, Any]:
        found = original.fget(self)
        for name in ("RedrivePolicy", "RedriveAllowPolicy"):
            if isinstance(found.get(name), str):
                found[name] = json.dumps(json.loads(found[name]), separators=(",", ":"))
        return found

    original = replace(Queue, "attributes", property(attributes))


@repair
def opensearch_vpc() -> None:
    """moto omits VPCId and AvailabilityZones of a domain in a VPC, which AWS derives from the subnets."""
    from moto.ec2.models import ec2_backends
    from moto.opensearch.models import OpenSearchDomain

    def complete(self: Any) -> None:
        subnet_ids = (self.vpc_options or {}).get("SubnetIds")
        if not subnet_ids:
            return
        account_id, region = self.arn.split(":")[4], self.arn.split(":")[3]
        ec2 = ec2_backends[account_id][region]
        subnets = [subnet for subnet_id in subnet_ids for subnet in ec2.describe_subnets(subnet_ids=[subnet_id])]
        self.vpc_options = {
            **self.vpc_options,
            "VPCId": subnets[0].vpc_id,
            "AvailabilityZones": sorted({subnet.availability_zone for subnet in subnets}),
        }

    def initialize(self: Any, *rest: Any, **named: Any) -> None:
        original_initialize(self, *rest, **named)
        complete(self)

    def update(self: Any, *rest: Any, **named: Any) -> None:
        original_update(self, *rest, **named)
        complete(self)

    original_initialize = replace(OpenSearchDomain, "__init__", initialize)
    original_update = replace(OpenSearchDomain, "update", update)


@repair
def api_gateway_document() -> None:
    """moto ignores keys, authorizers and `ANY` in an OpenAPI document, rejects mocks, and does not convert upper and
    lower case.
    """
    from moto.apigateway.models import APIGatewayBackend

    def put_rest_api(self: Any, function_id: str, api_doc: dict[str, Any], *args: Any, **kwargs: Any) -> Any:
        api = original(self, function_id, api_doc, *args, **kwargs)
        schemes = api_doc.get("components", {}).get("securitySchemes", {})
        kinds = {name: authorization_type(scheme) for name, scheme in schemes.items()}
        for path, document in api_doc["paths"].items():
            methods = api.get_resource_for_path(path).resource_methods
            for name, described in document.items():
                method = methods[name.upper()]
                needed = [kinds[one] for each in described.get("security", []) for one in each]
                method.api_key_required = "API_KEY" in needed
                method.authorization_type = next((one for one in needed if one != "API_KEY"), "NONE")
                if method.method_integration:
                    imported(method.method_integration)
                if name == "x-amazon-apigateway-any-method":
                    method.http_method = "ANY"
                    methods["ANY"] = methods.pop(name.upper())
        return api

    def build_integration_args(self: Any, integration: dict[str, Any]) -> dict[str, Any]:
        # A mock integration has neither, and moto requires both.
        return original_args(self, {"uri": "", "httpMethod": "", **integration})

    original = replace(APIGatewayBackend, "put_rest_api", put_rest_api)
    original_args = replace(APIGatewayBackend, "_build_integration_args", build_integration_args)


def authorization_type(scheme: dict[str, Any]) -> str:
    """Returns the authorization type of a method with this security scheme, or API_KEY."""
    given = scheme.get("x-amazon-apigateway-authtype", "").lower()
    if given == "awssigv4":
        return "AWS_IAM"
    return "CUSTOM" if "x-amazon-apigateway-authorizer" in scheme else "API_KEY"


def imported(integration: Any) -> None:
    """Converts lower-case values of the document to the case in which API Gateway returns them."""
    integration.integration_type = integration.integration_type.upper()
    integration.passthrough_behaviour = (integration.passthrough_behaviour or "when_no_match").upper()


@repair
def api_gateway_tags() -> None:
    """moto supports tags of stages only: for other resources it takes the ARN for an API and the id for a stage."""
    from moto.apigateway import urls
    from moto.apigateway.models import APIGatewayBackend
    from moto.apigateway.responses import APIGatewayResponse

    def get_stage(self: Any, function_id: str, stage_name: str) -> Any:
        if not function_id.startswith("arn:"):
            return original(self, function_id, stage_name)
        tagged = (self.apis, self.keys, self.usage_plans, self.domain_names)
        return next(some[stage_name] for some in tagged if stage_name in some)

    original = replace(APIGatewayBackend, "get_stage", get_stage)
    add_url(urls, r"{0}/tags/(?P<arn>[^/]+)/(?P<kind>[^/]+)/(?P<resource_id>[^/]+)$", APIGatewayResponse.dispatch)


@repair
def api_base_path_conflict() -> None:
    """moto replaces a domain's existing mapping without a path. API Gateway refuses a second one, as for every path."""
    from moto.apigateway.exceptions import BasePathConflictException
    from moto.apigateway.models import APIGatewayBackend

    def create(self: Any, domain_name: str, rest_api_id: str, base_path: str, stage: str) -> Any:
        if not base_path and "(none)" in (self.base_path_mappings.get(domain_name) or {}):
            raise BasePathConflictException
        return original(self, domain_name, rest_api_id, base_path, stage)

    original = replace(APIGatewayBackend, "create_base_path_mapping", create)


@repair
def endpoint_private_names() -> None:
    """moto allows two interface endpoints with the same service's private DNS names in one VPC. AWS: InvalidParameter.
    """
    from moto.ec2.exceptions import EC2ClientError
    from moto.ec2.models.vpcs import VPCBackend

    def interface(endpoint_type: str | None) -> bool:
        return (endpoint_type or "").lower() == "interface"

    def create(self: Any, **given: Any) -> Any:
        place = given["vpc_id"], given["service_name"]
        taken = any(
            (one.vpc_id, one.service_name) == place and one.private_dns_enabled and one.state != "deleted"
            for one in self.vpc_end_points.values()
            if interface(one.vpc_endpoint_type)
        )
        if taken and given["private_dns_enabled"] and interface(given["endpoint_type"]):
            _, _, region, service = place[1].split(".", 3)
            host = ".".join([*reversed(service.split(".")), region, "amazonaws.com"])
            message = f"private-dns-enabled cannot be set because there is already a conflicting DNS domain for {host} in the VPC {place[0]}"
            raise EC2ClientError("InvalidParameter", message)
        return original(self, **given)

    original = replace(VPCBackend, "create_vpc_endpoint", create)
