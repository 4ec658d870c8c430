"""A witness by c2sp.org/tlog-witness and c2sp.org/tlog-cosignature, written from these texts alone, with Python's cryptography.

witness.py CERTIFICATE-AND-KEY PORT NAME SEED STATE LOG-KEY…

The seed is 64 hexadecimal digits. The state is a file: for each origin the size and root of the last tree that was cosigned.
While this runs, other ones may be put into STATE.changed: they are taken over before the next answer. Each request is written
to STATE.requests as a line: the status and the old size.
"""

import base64
import hashlib
import http.server
import json
import os
import ssl
import sys
import threading
import time

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

chain, port, name, seed, state_file, *log_keys = sys.argv[1:]
own = Ed25519PrivateKey.from_private_bytes(bytes.fromhex(seed))
public = own.public_key().public_bytes(Encoding.Raw, PublicFormat.Raw)


def key_id(key_name, kind, key):
    return hashlib.sha256(key_name.encode() + b"\n" + bytes([kind]) + key).digest()[:4]


def known_logs():
    logs = {}
    for vkey in log_keys:
        origin, _, key = vkey.split("+", 2)
        logs[origin] = base64.b64decode(key)[1:]
    return logs


def node(left, right):
    return hashlib.sha256(b"\1" + left + right).digest()


def consistent(old, old_root, new, new_root, proof):
    """RFC 6962, section 2.1.2, verified as section 2.1.4.2 of RFC 9162 says."""
    if old == 0:
        return proof == []
    if old == new:
        return proof == [] and old_root == new_root
    proof = list(proof)
    if old & (old - 1) == 0:
        proof.insert(0, old_root)
    if not proof:
        return False
    fn, sn = old - 1, new - 1
    while fn & 1:
        fn, sn = fn >> 1, sn >> 1
    fr = sr = proof.pop(0)
    for c in proof:
        if sn == 0:
            return False
        if fn & 1 or fn == sn:
            fr, sr = node(c, fr), node(c, sr)
            while fn and not fn & 1:
                fn, sn = fn >> 1, sn >> 1
        else:
            sr = node(sr, c)
        fn, sn = fn >> 1, sn >> 1
    return sn == 0 and fr == old_root and sr == new_root


def keep(states):
    with open(state_file + ".new", "w") as file:
        json.dump(states, file)
    os.replace(state_file + ".new", state_file)


def believed():
    states = json.load(open(state_file)) if os.path.exists(state_file) else {}
    try:
        os.replace(state_file + ".changed", state_file + ".taken")
    except FileNotFoundError:
        return states
    states.update(json.load(open(state_file + ".taken")))
    keep(states)
    return states


def answer(body):
    """The status, the content type and the body."""
    head, note = body.split("\n\n", 1)
    old, *proof = head.split("\n")
    assert old.startswith("old ") and str(int(old[4:])) == old[4:] and len(proof) <= 63, head
    old, proof = int(old[4:]), [base64.b64decode(line, validate=True) for line in proof]
    text, signatures = note.split("\n\n", 1)
    text += "\n"
    assert signatures.endswith("\n")
    origin, size, root = text.split("\n")[:3]
    assert str(int(size)) == size
    size, root = int(size), base64.b64decode(root, validate=True)
    log = known_logs().get(origin)
    if log is None:
        return 404, "text/plain", "no such log\n"
    if not any(signed(line, origin, log, text) for line in signatures[:-1].split("\n")):
        return 403, "text/plain", "not signed\n"
    if old > size:
        return 400, "text/plain", "too old\n"
    states = believed()
    last, last_root = states.get(origin, [0, ""])
    if old != last or old == size and base64.b64decode(last_root) != root and old > 0:
        return 409, "text/x.tlog.size", f"{last}\n"
    if not consistent(old, base64.b64decode(last_root), size, root, proof):
        return 422, "text/plain", "no proof\n"
    states[origin] = [size, base64.b64encode(root).decode()]
    keep(states)
    now = int(time.time())
    signature = own.sign(f"cosignature/v1\ntime {now}\n{text}".encode())
    line = key_id(name, 4, public) + now.to_bytes(8, "big") + signature
    # Somebody else's line is to be passed over.
    other = key_id("other.example", 4, public) + now.to_bytes(8, "big") + bytes(64)
    lines = [("other.example", other), (name, line)]
    text = "".join(f"\u2014 {who} {base64.b64encode(what).decode()}\n" for who, what in lines)
    return 200, "text/plain; charset=utf-8", text


def signed(line, origin, key, text):
    _, who, signature = line.split(" ")
    signature = base64.b64decode(signature, validate=True)
    if who != origin or signature[:4] != key_id(origin, 1, key):
        return False
    try:
        Ed25519PublicKey.from_public_bytes(key).verify(signature[4:], text.encode())
        return True
    except InvalidSignature:
        return False


turn = threading.Lock()


class Witness(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"])).decode()
        if self.path == "/base/add-checkpoint":
            with turn:
                status, kind, text = answer(body)
        else:
            status, kind, text = 500, "text/plain", "another path\n"
        with open(state_file + ".requests", "a") as file:
            file.write(f"{status} {body.split(chr(10))[0]}\n")
        text = text.encode()
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text)

    def log_message(self, *_):
        pass


server = http.server.ThreadingHTTPServer(("127.0.0.1", int(port)), Witness)
context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
context.load_cert_chain(chain)
server.socket = context.wrap_socket(server.socket, server_side=True)
server.serve_forever()
