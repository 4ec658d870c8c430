"""A monitor of the transparency log, written from RFC 6962, RFC 9162 and the texts of c2sp.org (signed-note,
tlog-checkpoint, tlog-tiles) alone. It fetches the whole log over plain HTTP, like anybody, and checks it against what
somebody else has seen.

Arguments: the log's address, its public key, a folder with checkpoints.json (texts seen at any time), digests.json
(hexadecimal, each of which must be told of exactly once) and details.json (signing requests with inclusion proofs).
"""

import base64
import hashlib
import json
import pathlib
import sys
import urllib.error
import urllib.request

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

ADDRESS, VKEY, FOLDER = sys.argv[1], sys.argv[2], pathlib.Path(sys.argv[3])


def sha256(data):
    return hashlib.sha256(data).digest()


def leaf_hash(entry):
    return sha256(b"\0" + entry)


def node_hash(left, right):
    return sha256(b"\1" + left + right)


def fetch(name, missing=False):
    try:
        with urllib.request.urlopen(f"{ADDRESS}/{name}") as answer:
            if name.startswith("tile/"):
                assert answer.headers["Content-Type"] == "application/octet-stream", name
                assert "immutable" in answer.headers["Cache-Control"], name
            return answer.read()
    except urllib.error.HTTPError as error:
        assert missing and error.code == 404, (name, error.code)
        return None


# Signed notes and checkpoints.

NAME, KEY_ID, KEY = VKEY.split("+", 2)
KEY = base64.b64decode(KEY)
assert KEY[0] == 1 and len(KEY) == 33, "Ed25519"
assert sha256(NAME.encode() + b"\n" + KEY)[:4].hex() == KEY_ID, "the key's id"
PUBLIC_KEY = Ed25519PublicKey.from_public_bytes(KEY[1:])


def open_checkpoint(note):
    """Size and root of a checkpoint with a good signature."""
    text, signatures = note.rsplit("\n\n", 1)
    text += "\n"
    dash, name, signature = signatures.rstrip("\n").split(" ")
    signature = base64.b64decode(signature, validate=True)
    assert dash == "\u2014" and name == NAME and signature[:4].hex() == KEY_ID, note
    PUBLIC_KEY.verify(signature[4:], text.encode())
    origin, size, root = text.rstrip("\n").split("\n")
    assert origin == NAME and str(int(size)) == size, note
    return int(size), base64.b64decode(root, validate=True)


# Tiles.


def path(index):
    groups = [f"{index % 1000:03}"]
    while index >= 1000:
        index //= 1000
        groups.insert(0, f"x{index % 1000:03}")
    return "/".join(groups)


def tile_names(level, count):
    """The names of a level's files for so many hashes or entries."""
    names = [f"tile/{level}/{path(index)}" for index in range(count // 256)]
    if count % 256:
        names.append(f"tile/{level}/{path(count // 256)}.p/{count % 256}")
    return names


def entries(size):
    found = []
    for name in tile_names("entries", size):
        bundle = fetch(name)
        while bundle:
            length = int.from_bytes(bundle[:2], "big")
            assert len(bundle) >= 2 + length, name
            found.append(bundle[2 : 2 + length])
            bundle = bundle[2 + length :]
    assert len(found) == size, (len(found), size)
    return found


# The tree: every perfect subtree's hash, by level and number.


class Tree:
    def __init__(self, leaves):
        self.levels = [leaves]
        while len(self.levels[-1]) > 1:
            below = self.levels[-1]
            self.levels.append([node_hash(below[i], below[i + 1]) for i in range(0, len(below) - 1, 2)])

    def root(self, start, end):
        """MTH(D[start:end]) by the definition: split at the largest power of two."""
        count = end - start
        if count == 0:
            return sha256(b"")
        if count & (count - 1) == 0:
            return self.levels[count.bit_length() - 1][start // count]
        k = 1 << (count - 1).bit_length() - 1
        return node_hash(self.root(start, start + k), self.root(start + k, end))

    def proof(self, m, start, end, known):
        """SUBPROOF(m, D[start:end], known) of RFC 6962, section 2.1.2."""
        n = end - start
        if m == n:
            return [] if known else [self.root(start, end)]
        k = 1 << (n - 1).bit_length() - 1
        if m <= k:
            return self.proof(m, start, start + k, known) + [self.root(start + k, end)]
        return self.proof(m - k, start + k, end, False) + [self.root(start, start + k)]


def consistent(first, first_root, second, second_root, proof):
    """RFC 9162, section 2.1.4.2."""
    if first == second:
        return not proof and first_root == second_root
    if not proof:
        return False
    proof = list(proof)
    if first & (first - 1) == 0:
        proof.insert(0, first_root)
    fn, sn = first - 1, second - 1
    while fn & 1:
        fn, sn = fn >> 1, sn >> 1
    fr = sr = proof[0]
    for c in proof[1:]:
        if sn == 0:
            return False
        if fn & 1 or fn == sn:
            fr, sr = node_hash(c, fr), node_hash(c, sr)
            while not fn & 1 and fn:
                fn, sn = fn >> 1, sn >> 1
        else:
            sr = node_hash(sr, c)
        fn, sn = fn >> 1, sn >> 1
    return fr == first_root and sr == second_root and sn == 0


def included(leaf, index, size, proof, root):
    """RFC 9162, section 2.1.3.2."""
    if index >= size:
        return False
    fn, sn, r = index, size - 1, leaf
    for p in proof:
        if sn == 0:
            return False
        if fn & 1 or fn == sn:
            r = node_hash(p, r)
            while not fn & 1 and fn:
                fn, sn = fn >> 1, sn >> 1
        else:
            r = node_hash(r, p)
        fn, sn = fn >> 1, sn >> 1
    return sn == 0 and r == root


def b64(text):
    return base64.b64decode(text)


def main():
    newest = fetch("checkpoint").decode()
    size, root = open_checkpoint(newest)
    log = entries(size)
    tree = Tree([leaf_hash(entry) for entry in log])
    assert tree.root(0, size) == root, "the entries are those of the checkpoint"

    # Every tile of every level has the hashes of the tree, and there is none behind the last.
    level, count = 0, size
    while count:
        tiles = b"".join(fetch(name) for name in tile_names(level, count))
        assert tiles == b"".join(tree.levels[8 * level][:count]), f"the tiles of level {level}"
        assert fetch(f"tile/{level}/{path(count // 256 + 1)}", missing=True) is None
        level, count = level + 1, count >> 8
    assert fetch(f"tile/{level}/000.p/1", missing=True) is None

    # Every checkpoint that was ever seen is of this log: each is consistent with the next, and has the root that
    # these entries have.
    seen = json.loads((FOLDER / "checkpoints.json").read_text()) + [newest]
    heads = sorted(open_checkpoint(note) for note in seen)
    for first, second in zip(heads, heads[1:]):
        if first[0]:
            proof = tree.proof(first[0], 0, second[0], True)
            assert consistent(*first, *second, proof), (first[0], second[0])
    for some, its_root in heads:
        assert some <= size and tree.root(0, some) == its_root, some
        if some:
            # The files of a checkpoint's own size stay.
            name = tile_names(0, some)[-1]
            assert fetch(name) == b"".join(tree.levels[0][some // 256 * 256 if some % 256 else some - 256 : some]), name

    # Every signature that was acknowledged is told of, and only once.
    told = {}
    for entry in log:
        leaf = json.loads(entry)
        if leaf["kind"] == "signature":
            told[leaf["digest"]] = told.get(leaf["digest"], 0) + 1
    digests = json.loads((FOLDER / "digests.json").read_text())
    for digest in digests:
        assert told.get(digest) == 1, (digest, told.get(digest))
    assert max(told.values()) == 1, "a signature is told of twice"

    # Inclusion proofs, and that each entry tells of its request.
    details = json.loads((FOLDER / "details.json").read_text())
    for detail in details:
        proof = detail["inclusionProof"]
        tree_size, tree_root = open_checkpoint(proof["checkpoint"])
        assert tree_size == proof["treeSize"]
        leaf = b64(proof["leaf"])
        hashes = [b64(text) for text in proof["hashes"]]
        assert included(leaf_hash(leaf), proof["index"], tree_size, hashes, tree_root), detail["uuid"]
        assert log[proof["index"]] == leaf
        expected = {
            "kind": "signature",
            "version": 1,
            "time": detail["decidedAt"],
            "format": detail["signingFormat"],
            "hash": detail["hashAlgorithm"],
            "digest": b64(detail["digest"]).hex(),
            "certificate": detail["certificateHash"],
            "signature": sha256(b64(detail["signature"])).hex(),
        }
        text = json.dumps(expected, separators=(",", ":")).encode()
        if "salt" in proof:
            commitment = sha256(b64(proof["salt"]) + text).hex()
            expected = {"kind": "commitment", "version": 1, "commitment": commitment}
            text = json.dumps(expected, separators=(",", ":")).encode()
        assert text == leaf, (text, leaf)

    # A wrong signature is refused: this monitor can fail.
    try:
        open_checkpoint(newest.replace(f"\n{size}\n", f"\n{size + 1}\n", 1))
        raise AssertionError("a changed checkpoint was accepted")
    except InvalidSignature:
        pass
    print(f"{size} entries, {len(heads)} checkpoints, {len(digests)} signatures, {len(details)} proofs")


main()
