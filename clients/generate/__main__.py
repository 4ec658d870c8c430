"""Writes what both clients have from docs/openapi.json: `python3 clients/generate`, with --check only compares."""

import sys

import python
import typescript
from document import ROOT, Document, Mistake


def main(arguments):
    document = Document()
    files = {**python.files(document), **typescript.files(document)}
    stale = [path for path, text in files.items() if not is_current(ROOT / path, text)]
    if arguments == ["--check"]:
        if stale:
            raise Mistake(f"not as docs/openapi.json has it; run python3 clients/generate: {', '.join(stale)}")
        return
    if arguments:
        raise Mistake(f"the only argument is --check, not {' '.join(arguments)}")
    for path in stale:
        (ROOT / path).parent.mkdir(parents=True, exist_ok=True)
        (ROOT / path).write_text(files[path], encoding="utf-8")
        print(f"written: {path}")


def is_current(path, text):
    return path.is_file() and path.read_text(encoding="utf-8") == text


try:
    main(sys.argv[1:])
except Mistake as mistake:
    sys.exit(f"clients/generate: {mistake}")
