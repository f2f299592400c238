"""Prints the bytes of an installed package and of those that it needs, without what is compiled when it runs."""

import sys
from importlib.metadata import distribution

from packaging.requirements import Requirement

sizes: dict[str, int] = {}


def add(requirement: Requirement) -> None:
    if requirement.name in sizes or (requirement.marker and not requirement.marker.evaluate({"extra": ""})):
        return
    package = distribution(requirement.name)
    files = [file for file in package.files or [] if file.suffix != ".pyc"]
    sizes[requirement.name] = sum(file.locate().stat().st_size for file in files)
    for needed in package.requires or []:
        add(Requirement(needed))


add(Requirement(sys.argv[1]))
print(sum(sizes.values()))
