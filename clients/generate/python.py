"""The generated files of the Python client: types, operations, and everything synchronous made of what is asynchronous."""

import keyword
import re
import textwrap

from document import ROOT, header_argument, pascal, reference, type_name, without_links

PACKAGE = "clients/python/src/chancery"
NOTE = "# Made from docs/openapi.json by `python3 clients/generate`; changes belong there.\n"
ASYNC_NOTE = "# Made from ../_async/{} by `python3 clients/generate`; changes belong there.\n"
SCALARS = {"string": "str", "integer": "int", "boolean": "bool", "number": "float", "null": "None"}

# In the order of their replacement: the longer ones first.
SYNCHRONOUS = [
    (r"\basync def\b", "def"),
    (r"\basync with\b", "with"),
    (r"\basync for\b", "for"),
    (r"\bawait ", ""),
    (r"\banyio\.Lock\b", "threading.Lock"),
    (r"\banyio\.sleep\b", "time.sleep"),
    (r"\bimport anyio\n", "import threading\nimport time\n"),
    (r"\bAsyncIterator\b", "Iterator"),
    (r"\bAwaitable\[(\w+)\]", r"\1"),
    (r"\bAsync(?=[A-Z])", ""),
    (r"\baclose\b", "close"),
    (r"\baiter_bytes\b", "iter_bytes"),
    (r"\b__aenter__\b", "__enter__"),
    (r"\b__aexit__\b", "__exit__"),
    (r"\b_async\b", "_sync"),
    (r"\ban? asynchronous\b", "a"),
]


def files(document):
    made = {f"{PACKAGE}/types.py": types(document), f"{PACKAGE}/_async/operations.py": operations(document)}
    written = {path.name: path.read_text(encoding="utf-8") for path in sorted((ROOT / PACKAGE / "_async").glob("*.py"))}
    written["operations.py"] = made[f"{PACKAGE}/_async/operations.py"]
    for name, text in written.items():
        made[f"{PACKAGE}/_sync/{name}"] = ASYNC_NOTE.format(name) + synchronous(text.removeprefix(NOTE))
    return made


def synchronous(text):
    for found, instead in SYNCHRONOUS:
        text = re.sub(found, instead, text)
    return text


def types(document):
    head = f'''{NOTE}"""The bodies and answers of the interface, member by member as docs/INTERFACE.md has them."""

from __future__ import annotations

from typing import Any, Literal, NotRequired, TypeAlias, TypedDict
'''
    return head + "".join(declaration(type_name(name), schema) for name, schema in document.schemas.items())


def declaration(name, schema):
    text = docstring(schema.get("description", ""), 4)
    if schema.get("type") == "object" and "additionalProperties" not in schema:
        if any(keyword.iskeyword(found) for found in schema.get("properties", {})):
            # A class cannot have a member of that name.
            members = [f'    "{found}": {quoted_kind(schema, found, of)},\n' for found, of in schema["properties"].items()]
            return f'\n\n{name} = TypedDict("{name}", {{\n{"".join(members)}}})\n' + docstring(schema.get("description", ""), 0)
        members = [member(schema, *found) for found in schema.get("properties", {}).items()]
        body = "".join(members) or ("" if text else "    pass\n")
        return f"\n\nclass {name}(TypedDict):\n{text}{body}"
    return f"\n\n{name}: TypeAlias = {quoted(annotation(schema))}\n" + docstring(schema.get("description", ""), 0)


def member(schema, name, found):
    return f"    {name}: {kind_of(schema, name, found)}\n{docstring(description(found), 4)}"


def quoted_kind(schema, name, found):
    kind = f'"{annotation(found)}"'
    return kind if name in schema.get("required", []) else f"NotRequired[{kind}]"


def kind_of(schema, name, found):
    kind = annotation(found)
    return kind if name in schema.get("required", []) else f"NotRequired[{kind}]"


def description(schema):
    """A nullable reference has its description one level down."""
    return schema.get("description") or next(
        (one["description"] for one in schema.get("oneOf", []) if "description" in one), ""
    )


def annotation(schema):
    if "$ref" in schema:
        return reference(schema)
    if "oneOf" in schema:
        return " | ".join(annotation(one) for one in schema["oneOf"])
    if "enum" in schema:
        return "Literal[" + ", ".join(f'"{value}"' for value in schema["enum"]) + "]"
    kinds = schema.get("type", [])
    kinds = [kinds] if isinstance(kinds, str) else kinds
    return " | ".join(one_kind(kind, schema) for kind in kinds) or "Any"


def one_kind(kind, schema):
    if kind == "array":
        return f"list[{annotation(schema['items'])}]"
    if kind == "object":
        values = schema.get("additionalProperties")
        return f"dict[str, {annotation(values) if isinstance(values, dict) else 'Any'}]"
    return SCALARS[kind]


def quoted(text):
    return text if text.startswith("Literal") else f'"{text}"'


def operations(document):
    head = f'''{NOTE}"""Every operation of the interface as a method, in groups."""

from __future__ import annotations

from typing import Any, Literal, Protocol, Unpack, cast

from .. import types
from .._wire import Call, segment


class AsyncCaller(Protocol):
    async def call(self, call: Call) -> Any:
        """Sends it and answers what the answer says."""
        ...
'''
    groups = document.groups
    text = head + "".join(group(name, found) for name, found in groups.items())
    text += '\n\nclass AsyncOperations:\n    """All groups."""\n\n'
    text += "    def __init__(self, caller: AsyncCaller) -> None:\n"
    return text + "".join(f"        self.{name} = Async{pascal(name)}(caller)\n" for name in groups)


def group(name, found):
    text = f"\n\nclass Async{pascal(name)}:\n    def __init__(self, caller: AsyncCaller) -> None:\n        self._caller = caller\n"
    return text + "".join(method(operation) for operation in found)


def method(operation):
    result = result_of(operation)
    arguments = ["self", *(f"{one.name}: str" for one in operation.in_path)]
    if operation.body == "bytes":
        arguments.append("request: bytes")
    if len(arguments) > 1:
        arguments.append("/")
    named = [f"{argument(one.name)}: {query_annotation(one)} = None" for one in operation.in_query]
    named += [f"{header_argument(one.name)}: str | None = None" for one in operation.in_header]
    if named:
        arguments += ["*", *named]
    if takes_members(operation):
        arguments.append(f"**body: Unpack[types.{operation.body}]")
    notes = [f"`{argument(one.name)}`: {one.description}" for one in operation.in_query if one.description]
    if operation.kind == "redirect":
        notes.append("Answers where it redirects to, which is not followed.")
    text = "\n\n".join([operation.text, f"`{operation.method} {operation.path}`", *notes])
    joined = ",\n        ".join(arguments)
    lines = [
        f"\n    async def {operation.name}(\n        {joined},\n    ) -> {result}:\n",
        docstring(text, 8),
        f"        call = Call(\n            {operation.method!r}, {address(operation)},\n".replace("'", '"'),
        *(f"            {key}={value},\n" for key, value in details(operation).items()),
        "        )\n",
        f'        return cast("{result}", await self._caller.call(call))\n',
    ]
    return "".join(lines)


def result_of(operation):
    if operation.kind == "bytes":
        return "bytes | None" if operation.may_be_unchanged else "bytes"
    kind = annotation(operation.result)
    return kind if kind in ("str", "Any") else f"types.{kind}"


def takes_members(operation):
    return operation.body not in (None, "bytes", "Empty")


def argument(name):
    return "from_" if name == "from" else name


def query_annotation(parameter):
    kind = annotation(parameter.schema)
    return f"types.{kind} | None" if "$ref" in parameter.schema else f"{kind} | None"


def address(operation):
    path = re.sub(r"\{(\w+)\}", lambda found: f"{{segment({found[1]})}}", operation.path)
    # The log's files lie in folders, whose names stay apart.
    path = path.replace("segment(tile)", "tile")
    return f'f"{path}"' if operation.in_path else f'"{path}"'


def details(operation):
    details = {"kind": f'"{operation.kind}"'}
    if operation.body == "bytes":
        details |= {"octets": "request", "media_type": f'"{operation.media_type}"'}
    elif operation.body:
        details["body"] = "dict(body)" if takes_members(operation) else "{}"
    if operation.in_query:
        details["query"] = "{" + ", ".join(f'"{one.name}": {argument(one.name)}' for one in operation.in_query) + "}"
    if operation.in_header:
        pairs = (f'"{one.name}": {header_argument(one.name)}' for one in operation.in_header)
        details["headers"] = "{" + ", ".join(pairs) + "}"
    if operation.is_public:
        details["is_public"] = "True"
    if operation.group == "session":
        details["by_cookie"] = "True"
    if operation.repeatable:
        details["repeatable"] = "True"
    elif operation.keyed:
        details["keyed"] = "True"
    return details


def docstring(text, indent):
    text = without_links(text).strip()
    if not text:
        return ""
    space = " " * indent
    text = text.replace("\\", "\\\\")
    body = textwrap.indent(text, space).strip()
    if body.endswith('"'):
        body += " "
    end = f"\n{space}" if "\n" in body else ""
    return f'{space}"""{body}{end}"""\n'
