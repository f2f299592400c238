"""Client of the Relevance search gateway and recommendation service."""

from .aio import AsyncRelevance
from .bulk import Written
from .errors import (
    ConnectionFailedError,
    ForbiddenError,
    InvalidRequestError,
    NotFoundError,
    OutcomeUnknownError,
    RelevanceError,
    ThrottledError,
    TooLargeError,
    UnauthorizedError,
    UnavailableError,
)
from .generated.client import Relevance
from .token import sign_token

__all__ = [
    "AsyncRelevance",
    "ConnectionFailedError",
    "ForbiddenError",
    "InvalidRequestError",
    "NotFoundError",
    "OutcomeUnknownError",
    "Relevance",
    "RelevanceError",
    "ThrottledError",
    "TooLargeError",
    "UnauthorizedError",
    "UnavailableError",
    "Written",
    "sign_token",
]
