"""Tells attribute values of DynamoDB that are as they should be, which most of a call to it consists of."""

from typing import Any

# As DynamoDB's model has it.
_LONGEST_NAME = 65_535


def is_plain(value: Any) -> bool:
    """Whether the model has nothing to convert or to refuse in an attribute value: one with bytes is not plain."""
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
    """Whether a value has the shape of attribute values and is a plain one."""
    return shape.name == "AttributeValue" and is_plain(value)
