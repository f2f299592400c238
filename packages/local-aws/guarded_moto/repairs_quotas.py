"""Adds the account's quotas, which moto does not have.

CLOUD_QUOTAS replaces them: {"concurrency": 10, "instances": {"ml.g5.xlarge": 0}, "named": {"Usage plans": 1}}.
"""

import json
import os
from typing import Any

from .patching import add, add_url, repair

# Lambda's concurrency quota of an established account, and a common value for small endpoint instances.
_CONCURRENCY = 1_000
_INSTANCES = 4

# Quotas by service, named as in Service Quotas. Source: AWS General Reference, and Personalize Developer Guide,
# "Requesting a quota increase". The guide lacks the name of the quota of schemas, which comes from public tools that
# read Service Quotas.
_NAMED = {
    "apigateway": {"Throttle rate": 10_000, "Regional APIs": 600, "Usage plans": 300, "API keys": 10_000},
    "personalize": {"Active dataset groups": 5, "Number of schemas": 500, "Active filters per dataset group": 30},
}


def _quotas() -> dict[str, Any]:
    return json.loads(os.environ["CLOUD_QUOTAS"])


def account_concurrency() -> int:
    """Returns the quota of concurrent functions."""
    return int(_quotas().get("concurrency", _CONCURRENCY))


@repair
def lambda_account_settings() -> None:
    """moto has no GetAccountSettings and returns a 404 page in HTML."""
    from moto.awslambda import urls
    from moto.awslambda.responses import LambdaResponse

    def get_account_settings(self: Any) -> Any:
        return 200, {}, json.dumps({"AccountLimit": {"ConcurrentExecutions": account_concurrency()}, "AccountUsage": {}})

    add(LambdaResponse, "get_account_settings", get_account_settings)
    add_url(urls, r"{0}/(?P<api_version>[^/]+)/account-settings/?$", LambdaResponse.dispatch)


@repair
def service_quotas_of_endpoints() -> None:
    """moto knows quotas of VPCs alone and answers ListServiceQuotas with 501."""
    from moto.core.utils import get_service_model
    from moto.servicequotas.responses import ServiceQuotasResponse

    types = get_service_model("sagemaker").shape_for("ProductionVariantInstanceType").enum

    def list_service_quotas(self: Any) -> str:
        code = json.loads(self.body)["ServiceCode"]
        if code != "sagemaker":
            named = {**_NAMED.get(code, {}), **_quotas().get("named", {})}
            quotas = [
                {"ServiceCode": code, "QuotaName": name, "Value": named[name]} for name in _NAMED.get(code, {})
            ]
            return json.dumps({"Quotas": quotas})
        instances = _quotas().get("instances", {})
        quotas = [
            {
                "ServiceCode": "sagemaker",
                "QuotaCode": f"L-{index:08X}",
                "QuotaName": f"{name} for endpoint usage",
                "Value": instances.get(name, _INSTANCES),
            }
            for index, name in enumerate(types)
        ]
        return json.dumps({"Quotas": quotas})

    add(ServiceQuotasResponse, "list_service_quotas", list_service_quotas)
