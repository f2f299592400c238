"""Repairs for Lambda's provisioned concurrency and SageMaker's endpoints, as Terraform's AWS provider uses them."""

import json
from typing import Any
from urllib.parse import unquote

from .patching import add, add_url, repair, replace


@repair
def lambda_provisioned() -> None:
    """moto has no provisioned concurrency and returns a 404 page in HTML, which the provider cannot parse."""
    from moto.awslambda import urls
    from moto.awslambda.responses import LambdaResponse

    path = r"{0}/(?P<api_version>[^/]+)/functions/(?P<function_name>[\w_:%-]+)/provisioned-concurrency/?$"
    add_url(urls, path, LambdaResponse.dispatch)

    def configuration(requested: int) -> dict[str, Any]:
        return {
            "RequestedProvisionedConcurrentExecutions": requested,
            "AvailableProvisionedConcurrentExecutions": requested,
            "AllocatedProvisionedConcurrentExecutions": requested,
            "Status": "READY",
            "LastModified": "2000-01-01T00:00:00+0000",
        }

    def target(self: Any) -> tuple[dict[tuple[str, str], int], tuple[str, str]]:
        name = unquote(self.path.rstrip("/").split("/")[-2])
        function = self.backend.get_function(name)
        return provisioned(self.backend), (function.function_name, self.querystring.get("Qualifier", [""])[0])

    def put(self: Any) -> Any:
        store, key = target(self)
        store[key] = self.json_body["ProvisionedConcurrentExecutions"]
        return 202, {"status": 202}, json.dumps(configuration(store[key]))

    def get(self: Any) -> Any:
        store, key = target(self)
        if key in store:
            return 200, {}, json.dumps(configuration(store[key]))
        headers = {"status": 404, "x-amzn-ErrorType": "ProvisionedConcurrencyConfigNotFoundException"}
        message = "No Provisioned Concurrency Config found for this function"
        return 404, headers, json.dumps({"Type": "User", "message": message})

    def delete(self: Any) -> Any:
        store, key = target(self)
        store.pop(key, None)
        return 204, {"status": 204}, ""

    def list_all(self: Any) -> Any:
        store, (name, _) = target(self)
        prefix = f"arn:aws:lambda:{self.region}:{self.current_account}:function"
        found = [
            {"FunctionArn": f"{prefix}:{function}:{qualifier}", **configuration(requested)}
            for (function, qualifier), requested in store.items()
            if function == name
        ]
        return 200, {}, json.dumps({"ProvisionedConcurrencyConfigs": found})

    add(LambdaResponse, "put_provisioned_concurrency_config", put)
    add(LambdaResponse, "get_provisioned_concurrency_config", get)
    add(LambdaResponse, "delete_provisioned_concurrency_config", delete)
    add(LambdaResponse, "list_provisioned_concurrency_configs", list_all)


def provisioned(backend: Any) -> dict[tuple[str, str], int]:
    """Returns a region's provisioned concurrency by (function name, alias or version). Cleared when moto is reset."""
    if not hasattr(backend, "provisioned_concurrency"):
        backend.provisioned_concurrency = {}
    return backend.provisioned_concurrency


@repair
def sagemaker_instance_types() -> None:
    """moto allows only the instance types of 2020: no c6i, m6i, g5 or inf2."""
    from moto.sagemaker.models import FakeEndpointConfig

    replace(FakeEndpointConfig, "validate_instance_type", lambda self, instance_type: None)


@repair
def sagemaker_endpoint() -> None:
    """moto drops DeploymentConfig, which causes drift, and lacks UpdateEndpoint, which deploys a changed model."""
    from moto.core.responses import ActionResult
    from moto.core.utils import utcnow
    from moto.sagemaker.responses import SageMakerResponse

    def create_endpoint(self: Any) -> Any:
        answer = original(self)
        deployment = self._get_param("DeploymentConfig")
        if deployment:
            self.sagemaker_backend.endpoints[self._get_param("EndpointName")].last_deployment_config = deployment
        return answer

    def update_endpoint(self: Any) -> Any:
        backend = self.sagemaker_backend
        backend.describe_endpoint(self._get_param("EndpointName"))  # raises the service's error if it is unknown
        endpoint = backend.endpoints[self._get_param("EndpointName")]
        configuration = backend.describe_endpoint_config(self._get_param("EndpointConfigName"))
        endpoint.endpoint_config_name = self._get_param("EndpointConfigName")
        endpoint.production_variants = endpoint._process_production_variants(configuration["ProductionVariants"])
        endpoint.data_capture_config = configuration.get("DataCaptureConfig")
        endpoint.last_modified_time = utcnow()
        if self._get_param("DeploymentConfig"):
            endpoint.last_deployment_config = self._get_param("DeploymentConfig")
        return ActionResult({"EndpointArn": endpoint.arn})

    original = replace(SageMakerResponse, "create_endpoint", create_endpoint)
    add(SageMakerResponse, "update_endpoint", update_endpoint)


@repair
def sagemaker_model() -> None:
    """moto does not store EnableNetworkIsolation, so each plan replaces the model."""
    from moto.sagemaker.responses import SageMakerResponse

    def create_model(self: Any) -> Any:
        answer = original(self)
        model = self.sagemaker_backend._models[self._get_param("ModelName")]
        model.enable_network_isolation = bool(self._get_param("EnableNetworkIsolation", False))
        return answer

    original = replace(SageMakerResponse, "create_model", create_model)


@repair
def sagemaker_absent_parts() -> None:
    """moto returns omitted parts as empty structures, so each plan replaces the model and the endpoint's config."""
    from moto.core.responses import ActionResult
    from moto.sagemaker.responses import SageMakerResponse

    def given(described: dict[str, Any]) -> dict[str, Any]:
        parts = ("VpcConfig", "DataCaptureConfig", "AsyncInferenceConfig")
        return {name: value for name, value in described.items() if value or name not in parts}

    def describe_model(self: Any) -> Any:
        model = self.sagemaker_backend.describe_model(self._get_param("ModelName"))
        return ActionResult(given(model.response_object))

    def describe_endpoint_config(self: Any) -> Any:
        return ActionResult(given(self.sagemaker_backend.describe_endpoint_config(self._get_param("EndpointConfigName"))))

    replace(SageMakerResponse, "describe_model", describe_model)
    replace(SageMakerResponse, "describe_endpoint_config", describe_endpoint_config)
