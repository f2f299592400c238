"""Requests and answers of both services, generated from their OpenAPI documents when the package is built."""

from .generated import recommendation as _recommendation
from .generated.gateway import *  # noqa: F403

RecommendToUserRequest = _recommendation.RecommendToUserRequest
RecommendToUserAnswer = _recommendation.RecommendToUserAnswer
RecommendToItemRequest = _recommendation.RecommendToItemRequest
RecommendToItemAnswer = _recommendation.RecommendToItemAnswer
RecommendForPlacementRequest = _recommendation.RecommendForPlacementRequest
RecommendForPlacementAnswer = _recommendation.RecommendForPlacementAnswer
RankItemsRequest = _recommendation.RankItemsRequest
RankItemsAnswer = _recommendation.RankItemsAnswer
DeleteItemsRequest = _recommendation.DeleteItemsRequest
UpdateItemsRequest = _recommendation.UpdateItemsRequest
UpdateUsersRequest = _recommendation.UpdateUsersRequest
LogEventRequest = _recommendation.LogEventRequest
UploadAnswer = _recommendation.UploadAnswer
ItemRecord = _recommendation.ItemRecord
UserRecord = _recommendation.UserRecord
EventRecord = _recommendation.EventRecord
Item = _recommendation.Item
