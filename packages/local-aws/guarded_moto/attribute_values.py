"""Recognizes valid DynamoDB attribute values quickly. They are most of the content of DynamoDB calls."""

from typing import Any

# Limit of DynamoDB's model.
_LONGEST_NAME = 65_535


def is_plain(value: Any) -> bool:
    """Whether an attribute value needs neither conversion nor rejection by the model. Values with bytes are not plain.
    """
    if type(value) is not dict or len(value) != 1:
        return False
    ((kind, content),) = value.items()
    match kind:
        case "S" | "N":
            return type(content) is str
        case "L":
            return type(content) is list and all(map(is_plain, content))
        case "M":
            return (
                type(content) is dict
                and all(len(name) <= _LONGEST_NAME for name in content)
                and all(map(is_plain, content.values()))
            )
        case "BOOL" | "NULL":
            return type(content) is bool
        case "SS" | "NS":
            return type(content) is list and all(type(one) is str for one in content)
        case _:
            return False


def is_plain_attribute(value: Any, shape: Any) -> bool:
    """Whether the shape is AttributeValue and the value is plain."""
    return shape.name == "AttributeValue" and is_plain(value)
