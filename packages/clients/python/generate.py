"""Generates, before the package is built, the types from the OpenAPI documents and the synchronous client."""

import re
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).parent
DOCUMENTS = {"gateway": "openapi.json", "recommendation": "openapi-recommendation.json"}
OPTIONS = [
    "--input-file-type=openapi",
    "--output-model-type=typing.TypedDict",
    "--target-python-version=3.10",
    "--use-union-operator",
    "--use-standard-collections",
    "--special-field-name-prefix=",
    "--no-alias",
    "--disable-timestamp",
    "--formatters=builtin",
]

#: The types that contain documents: each is generic in the type of a document.
WITH_DOCUMENTS = "Hit|Hits|SearchResult|HybridSearchResult|SearchAnswer|HybridSearchAnswer"

#: What the synchronous client has in the place of the asynchronous one's words, in this order.
SYNCHRONOUS = [
    (r"The asynchronous client\..*", 'The synchronous client, generated from the asynchronous one."""'),
    (r"\basync (def|for|with)\b", r"\1"),
    (r"\bawait ", ""),
    (r"import asyncio", "import time"),
    (r"asyncio\.sleep", "time.sleep"),
    (r"AsyncIterable, AsyncIterator, Awaitable, Callable, Iterable", "Callable, Iterable, Iterator"),
    (r"Iterable\[t\.BulkOperation\] \| AsyncIterable", "Iterable"),
    (r"Awaitable\[(\w+)\]", r"\1"),
    (r"\bAsync(Iterator|Relevance|BaseTransport|Client)\b", r"\1"),
    (r"\baclose\b", "close"),
    (r"__a(enter|exit)__", r"__\1__"),
    (r"each_async", "each"),
    (r"from \.", "from .."),
]


def main() -> None:
    """Writes the synchronous client, and one module of types for each document."""
    folder = HERE / "src/relevance_client/generated"
    folder.mkdir(exist_ok=True)
    (folder / "__init__.py").write_text("")
    source = (HERE / "src/relevance_client/aio.py").read_text()
    for pattern, replacement in SYNCHRONOUS:
        source = re.sub(pattern, replacement, source)
    (folder / "client.py").write_text(source)
    for name, document in DOCUMENTS.items():
        described = HERE.parent.parent.parent / "docs/reference" / document
        target = folder / f"{name}.py"
        command = [sys.executable, "-m", "datamodel_code_generator", f"--input={described}", f"--output={target}", *OPTIONS]
        subprocess.run(command, check=True)
        text = target.read_text()
        # An object without declared properties takes any: a document, a search body.
        text = re.sub(r"class (\w+)\(TypedDict\):\n    pass\n", r"\1: TypeAlias = dict[str, Any]\n", text)
        # Type checkers do not know `closed` and `extra_items` yet (PEP 728).
        text = re.sub(r"class (\w+)\(TypedDict, extra_items=(.+)\):\n(?:    .*\n)+", r"\1: TypeAlias = dict[str, \2]\n", text)
        text = text.replace("(TypedDict, closed=True)", "(TypedDict)")
        if name == "gateway":
            text = with_documents(text)
        target.write_text(text)


def with_documents(text: str) -> str:
    """Returns a module of types in which the hits' documents have a type of the caller's."""
    text = text.replace("Any, Literal", "Any, Generic, Literal").replace("NotRequired, TypedDict", "NotRequired, TypedDict, TypeVar", 1)
    text = re.sub(rf"((?:hits|search_response): (?:list\[)?)({WITH_DOCUMENTS})\b", r"\1\2[Doc]", text)
    text = re.sub(rf"class ({WITH_DOCUMENTS})\(TypedDict\)", r"class \1(TypedDict, Generic[Doc])", text)
    text = text.replace("_source: NotRequired[Document]", "_source: NotRequired[Doc]")
    declared = "Document: TypeAlias = dict[str, Any]\n"
    return text.replace(declared, f'{declared}\n\nDoc = TypeVar("Doc", default=Document)\n')


if __name__ == "__main__":
    main()
