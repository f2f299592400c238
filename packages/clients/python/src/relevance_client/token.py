"""Signs tokens that narrow a key."""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
import time
from collections.abc import Mapping
from typing import Any


def sign_token(secret: str, claim: Mapping[str, Any], *, subject: str | None = None, expires_in: int = 3600) -> str:
    """Returns a token that narrows a key, for a browser or an app of one person. Makes no call.

    ``secret`` is the text of the secret ``/relevance/<project>/tokens/<key>``: it stays on the server. ``claim`` has what the
    token leaves of the key: ``filter``, ``indexes``, ``templates``, ``placements``, ``user_id``, ``segments``, ``recommend``.
    """
    read = json.loads(secret)
    now = int(time.time())
    payload: dict[str, Any] = {"aud": read["key"], "iat": now, "exp": now + expires_in, "relevance": dict(claim)}
    if subject is not None:
        payload["sub"] = subject
    header = {"alg": "HS256", "typ": "JWT", "kid": read["current"]}
    content = b".".join(_base64url(json.dumps(part).encode()) for part in (header, payload))
    signature = hmac.new(read["secrets"][read["current"]].encode(), content, hashlib.sha256).digest()
    return b".".join((content, _base64url(signature))).decode()


def _base64url(data: bytes) -> bytes:
    return base64.urlsafe_b64encode(data).rstrip(b"=")
