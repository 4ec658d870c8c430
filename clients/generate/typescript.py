"""The generated files of the TypeScript client: types and operations."""

import re

from document import camel, header_argument, pascal, reference, type_name, without_links

FOLDER = "clients/typescript/src/generated"
NOTE = "// Made from docs/openapi.json by `python3 clients/generate`; changes belong there.\n"
SCALARS = {"string": "string", "integer": "number", "boolean": "boolean", "number": "number", "null": "null"}


def files(document):
    return {f"{FOLDER}/types.ts": types(document), f"{FOLDER}/operations.ts": operations(document)}


def types(document):
    return NOTE + "".join(declaration(type_name(name), schema) for name, schema in document.schemas.items())


def declaration(name, schema):
    text = "\n" + comment(schema.get("description", ""), 0)
    if schema.get("type") == "object" and "additionalProperties" not in schema:
        members = [member(schema, *found) for found in schema.get("properties", {}).items()]
        return f"{text}export interface {name} {{\n{''.join(members)}}}\n"
    return f"{text}export type {name} = {annotation(schema)};\n"


def member(schema, name, found):
    mark = "" if name in schema.get("required", []) else "?"
    return f"{comment(description(found), 2)}  {key(name)}{mark}: {annotation(found)};\n"


def key(name):
    return name if re.fullmatch(r"[A-Za-z_$][\w$]*", name) else f'"{name}"'


def description(schema):
    """A nullable reference has its description one level down."""
    return schema.get("description") or next(
        (one["description"] for one in schema.get("oneOf", []) if "description" in one), ""
    )


def annotation(schema, prefix=""):
    if "$ref" in schema:
        return prefix + reference(schema)
    if "oneOf" in schema:
        return " | ".join(annotation(one, prefix) for one in schema["oneOf"])
    if "enum" in schema:
        return " | ".join(f'"{value}"' for value in schema["enum"])
    kinds = schema.get("type", [])
    kinds = [kinds] if isinstance(kinds, str) else kinds
    return " | ".join(one_kind(kind, schema, prefix) for kind in kinds) or "unknown"


def one_kind(kind, schema, prefix):
    if kind == "array":
        item = annotation(schema["items"], prefix)
        return f"({item})[]" if "|" in item else f"{item}[]"
    if kind == "object":
        values = schema.get("additionalProperties")
        return f"Record<string, {annotation(values, prefix) if isinstance(values, dict) else 'unknown'}>"
    return SCALARS[kind]


def operations(document):
    head = f"""{NOTE}
import type {{ Call, CallOptions, Caller }} from "../call.js";
import {{ segment }} from "../call.js";
import type * as types from "./types.js";
"""
    groups = document.groups
    text = head + "".join(group(name, found) for name, found in groups.items())
    text += "\n/** Every operation of the interface as a method, in groups. */\nexport class Operations {\n"
    text += "".join(f"  readonly {camel(name)}: {pascal(name)};\n" for name in groups)
    text += "\n  constructor(caller: Caller) {\n"
    text += "".join(f"    this.{camel(name)} = new {pascal(name)}(caller);\n" for name in groups)
    return text + "  }\n}\n"


def group(name, found):
    text = f"\nexport class {pascal(name)} {{\n  readonly #caller: Caller;\n\n"
    text += "  constructor(caller: Caller) {\n    this.#caller = caller;\n  }\n"
    return text + "".join(method(operation) for operation in found) + "}\n"


def method(operation):
    arguments = [f"{one.name}: string" for one in operation.in_path]
    if operation.body == "bytes":
        arguments.append("request: Uint8Array")
    elif takes_members(operation):
        arguments.append(f"body: types.{operation.body}" + ("" if operation.body_required else " = {}"))
    if operation.in_query:
        members = "; ".join(f"{key(one.name)}?: {annotation(one.schema, 'types.')}" for one in operation.in_query)
        arguments.append(f"query: {{ {members} }} = {{}}")
    if operation.in_header:
        members = "; ".join(f"{camel(header_argument(one.name))}?: string" for one in operation.in_header)
        arguments.append(f"conditions: {{ {members} }} = {{}}")
    arguments.append("options: CallOptions = {}")
    result = result_of(operation)
    notes = [f"`{one.name}`: {one.description}" for one in operation.in_query if one.description]
    if operation.kind == "redirect":
        notes.append("Answers where it redirects to, which is not followed; null in a browser, which does not tell.")
    text = "\n\n".join([operation.text, f"`{operation.method} {operation.path}`", *notes])
    joined = ",\n    ".join(arguments)
    lines = [
        "\n",
        comment(text, 2),
        f"  {camel(operation.name)}(\n    {joined},\n  ): Promise<{result}> {{\n",
        "    const call: Call = {\n",
        f'      method: "{operation.method}",\n      path: {address(operation)},\n',
        *(f"      {name}: {value},\n" for name, value in details(operation).items()),
        "    };\n",
        f"    return this.#caller.call(call, options) as Promise<{result}>;\n  }}\n",
    ]
    return "".join(lines)


def result_of(operation):
    if operation.kind == "bytes":
        return "Uint8Array | null" if operation.may_be_unchanged else "Uint8Array"
    if operation.kind == "redirect":
        return "string | null"
    return annotation(operation.result, "types.")


def takes_members(operation):
    return operation.body not in (None, "bytes", "Empty")


def address(operation):
    path = re.sub(r"\{(\w+)\}", lambda found: f"${{segment({found[1]})}}", operation.path)
    # The log's files lie in folders, whose names stay apart.
    path = path.replace("segment(tile)", "tile")
    return f"`{path}`" if operation.in_path else f'"{path}"'


def details(operation):
    details = {"kind": f'"{operation.kind}"'}
    if operation.body == "bytes":
        details |= {"octets": "request", "mediaType": f'"{operation.media_type}"'}
    elif operation.body:
        details["body"] = "body" if takes_members(operation) else "{}"
    if operation.in_query:
        details["query"] = "query"
    if operation.in_header:
        pairs = (f'"{one.name}": conditions.{camel(header_argument(one.name))}' for one in operation.in_header)
        details["headers"] = "{ " + ", ".join(pairs) + " }"
    details["isPublic"] = str(operation.is_public).lower()
    details["byCookie"] = str(operation.group == "session").lower()
    details["repeatable"] = str(operation.repeatable).lower()
    if operation.keyed and not operation.repeatable:
        details["keyed"] = "true"
    return details


def comment(text, indent):
    text = without_links(text).strip().replace("*/", "* /")
    if not text:
        return ""
    space = " " * indent
    lines = text.split("\n")
    if len(lines) == 1:
        return f"{space}/** {lines[0]} */\n"
    return f"{space}/**\n" + "".join(f"{space} * {line}".rstrip() + "\n" for line in lines) + f"{space} */\n"
