"""docs/openapi.json as the generators see it: operations in groups, and the schemas that they use."""

import dataclasses
import json
import pathlib
import re

from names import NAMES, REPEATABLE

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
METHODS = ["get", "post", "put", "patch", "delete"]
ENVELOPE = "Envelope_"


class Mistake(Exception):
    """What whoever changed the document has to do."""


@dataclasses.dataclass
class Parameter:
    name: str
    schema: dict
    required: bool
    description: str


@dataclasses.dataclass
class Operation:
    method: str
    path: str
    group: str
    name: str
    text: str
    in_path: list[Parameter]
    in_query: list[Parameter]
    in_header: list[Parameter]
    # The body's schema where it is JSON, `bytes` where it is octets, None where there is none.
    body: str | None
    body_required: bool
    media_type: str | None
    # How the answer is read: `envelope`, `json`, `bytes`, `text`, or `redirect`, which is where the browser is sent to.
    kind: str
    result: dict
    is_public: bool
    repeatable: bool
    # Whether a key of its own lets it be sent again.
    keyed: bool

    @property
    def may_be_unchanged(self):
        return any(parameter.name.startswith("If-") for parameter in self.in_header)


class Document:
    def __init__(self):
        self.json = json.loads((ROOT / "docs/openapi.json").read_text(encoding="utf-8"))
        schemas = self.json["components"]["schemas"]
        self.operations = [self._operation(*found) for found in self._found()]
        unknown = set(NAMES) - {f"{one.method} {one.path}" for one in self.operations}
        if unknown:
            raise Mistake(f"clients/generate/names.py names operations that are gone: {sorted(unknown)}")
        self.schemas = {}
        for name, schema in schemas.items():
            if not name.startswith(ENVELOPE):
                self.schemas[name] = schema
            elif name[len(ENVELOPE) :] not in schemas:
                listed = with_named_items(name, schema["properties"]["response"], schemas)
                self.schemas[type_name(name[len(ENVELOPE) :])] = listed

    @property
    def groups(self):
        groups = {}
        for operation in self.operations:
            groups.setdefault(operation.group, []).append(operation)
        return groups

    def _found(self):
        for path, item in self.json["paths"].items():
            for method in METHODS:
                if method in item:
                    yield method.upper(), path, item[method]

    def _operation(self, method, path, found):
        label = f"{method} {path}"
        if label not in NAMES:
            raise Mistake(f"clients/generate/names.py has no name for {label}: add one, and a call in both clients' tests")
        group, name = NAMES[label].split(".")
        parameters = {"path": [], "query": [], "header": []}
        for one in found.get("parameters", []):
            parameter = Parameter(one["name"], one["schema"], one.get("required", False), text_of(one))
            parameters[one["in"]].append(parameter)
        # The clients choose the keys.
        keys = [one for one in parameters["header"] if one.name == "Idempotency-Key"]
        parameters["header"] = [one for one in parameters["header"] if one not in keys]
        body, media_type = None, None
        if "requestBody" in found:
            [(media_type, content)] = found["requestBody"]["content"].items()
            body = reference(content["schema"]) if media_type == "application/json" else "bytes"
        if body and parameters["query"]:
            raise Mistake(f"{label} has a body and a query; the generators know none with both")
        kind, result = answer(found["responses"])
        return Operation(
            method=method,
            path=path,
            group=group,
            name=name,
            text="\n\n".join(filter(None, [found.get("summary"), found.get("description")])),
            in_path=parameters["path"],
            in_query=parameters["query"],
            in_header=parameters["header"],
            body=body,
            body_required=found.get("requestBody", {}).get("required", False),
            media_type=media_type,
            kind=kind,
            result=result,
            is_public="security" not in found and group != "session",
            # What redirects has done something, which it does once.
            repeatable=(method in ("GET", "PUT") and kind != "redirect") or f"{group}.{name}" in REPEATABLE,
            keyed=bool(keys),
        )


def answer(responses):
    """How an answer is read, and the schema of what is read."""
    if "303" in responses:
        return "redirect", responses["303"]["headers"]["Location"]["schema"]
    content = responses["200"]["content"]
    # A stream of events is another form of the same, for who asks for it.
    types = [media_type for media_type in content if media_type != "text/event-stream"]
    if types != ["application/json"]:
        is_text = all(one.startswith("text/") for one in types)
        return ("text", {"type": "string"}) if is_text else ("bytes", {})
    schema = content["application/json"]["schema"]
    if "$ref" not in schema:
        return "json", schema
    name = schema["$ref"].rsplit("/", 1)[1]
    if name.startswith(ENVELOPE):
        return "envelope", {"$ref": f"#/{name[len(ENVELOPE) :]}"}
    return "json", schema


def with_named_items(name, schema, schemas):
    """A list's schema, whose items the document writes out, with their name."""
    item = name.rsplit("_", 1)[1]
    properties = dict(schema["properties"])
    for member in ("items", "results"):
        if item in schemas and properties.get(member, {}).get("items") == schemas[item]:
            properties[member] = {**properties[member], "items": {"$ref": f"#/{item}"}}
    return {**schema, "properties": properties}


def reference(schema):
    return type_name(schema["$ref"].rsplit("/", 1)[1])


def type_name(name):
    """`Results_KeyStub` is `KeyStubResults`, `ObjInfo_KeyId` is `KeyIdObjInfo`: the subject in front."""
    outer, _, inner = name.partition("_")
    return inner + outer if inner else outer


def text_of(found):
    return found.get("description", "")


def camel(name):
    first, *others = name.split("_")
    return first + "".join(word.capitalize() for word in others)


def pascal(name):
    return "".join(word.capitalize() for word in name.split("_"))


def header_argument(name):
    """`If-None-Match` is the argument if_none_match."""
    return name.lower().replace("-", "_")


def without_links(text):
    """Rust's links in documentation mean nothing elsewhere."""
    return re.sub(r"\[(`[^`]*`)\]", r"\1", text)
