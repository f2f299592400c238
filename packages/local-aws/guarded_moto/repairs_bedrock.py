"""Adds Bedrock's information about models, which moto lacks."""

import json
import re
from typing import Any
from urllib.parse import unquote

from .patching import add, repair


@repair
def bedrock_foundation_models() -> None:
    """moto has no GetFoundationModel. Here every model is active, except that a version with `legacy` in its name has
    an end date.
    """
    from moto.bedrock.responses import BedrockResponse

    def get_foundation_model(self: Any) -> Any:
        model = unquote(self.path.rsplit("/", 1)[1])
        if not re.fullmatch(r"[a-z0-9-]+\.[a-z0-9.:-]+", model):
            body = {"message": "The provided model identifier is invalid."}
            return 400, {"status": 400, "x-amzn-ErrorType": "ValidationException"}, json.dumps(body)
        ends = {"legacyTime": "2026-09-01T00:00:00Z", "endOfLifeTime": "2027-03-01T00:00:00Z"}
        lifecycle = {"status": "LEGACY", **ends} if "legacy" in model else {"status": "ACTIVE"}
        arn = f"arn:aws:bedrock:{self.region}::foundation-model/{model}"
        return json.dumps({"modelDetails": {"modelArn": arn, "modelId": model, "modelLifecycle": lifecycle}})

    add(BedrockResponse, "get_foundation_model", get_foundation_model)
