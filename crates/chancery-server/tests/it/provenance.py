"""Signs an in-toto statement (standard input) by the DSSE library of its own authors: prints the key and the envelope."""

import base64
import json
import sys

from cryptography.hazmat.primitives.asymmetric import ec, ed25519, rsa
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat
from securesystemslib.dsse import Envelope
from securesystemslib.signer import CryptoSigner

KEYS = {
    "ed25519": ed25519.Ed25519PrivateKey.generate,
    "P-256": lambda: ec.generate_private_key(ec.SECP256R1()),
    "P-384": lambda: ec.generate_private_key(ec.SECP384R1()),
    "RSA": lambda: rsa.generate_private_key(65537, 2048),
}

kind, payload_type = sys.argv[1:]
key = KEYS[kind]()
envelope = Envelope(sys.stdin.buffer.read(), payload_type, {})
envelope.sign(CryptoSigner(key))
public = key.public_key().public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo).decode()
print(json.dumps({"key": public, "envelope": base64.b64encode(json.dumps(envelope.to_dict()).encode()).decode()}))
