#!/usr/bin/env python3
"""Writes texts.json: frozen tokens of AesSiv, AesGcm and Hmac, computed here from RFC 5297, RFC 5869, the specification of
XAES-256-GCM of C2SP and the description of tokens in docs/INTERFACE.md alone, with the ciphers of the Python package
`cryptography`, so that it shares no line with the Rust code.

usage: python3 texts.py > texts.json
"""
import base64
import hashlib
import hmac
import json

from cryptography.hazmat.primitives import cmac
from cryptography.hazmat.primitives.ciphers import algorithms
from cryptography.hazmat.primitives.ciphers.aead import AESGCM, AESSIV
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF

KEY = bytes.fromhex("2b7e151628aed2a6abf7158809cf4f3cef4359d8d580aa4f7f036d6f04fc6a94")
DOMAIN = bytes.fromhex("00112233445566778899aabbccddeeff")
IV = bytes(range(24))
MESSAGES = ["a", "to be, or not to be?", "exactly 16 bytes", "Überraschung 🂡", "x" * 300, "a NUL \0 within\n"]


def aes_cmac(key, data):
    mac = cmac.CMAC(algorithms.AES(key))
    mac.update(data)
    return mac.finalize()


def xaes_256_gcm(key, nonce, message, associated_data):
    """The derived key is CMAC of M1 and of M2: a counter, the letter X and the first half of the nonce."""
    derived = b"".join(aes_cmac(key, bytes([0, i]) + b"X\0" + nonce[:12]) for i in (1, 2))
    return AESGCM(derived).encrypt(nonce[12:], message, associated_data)


def sealed(algorithm, associated_data, message):
    if algorithm == "AesSiv":
        derived = HKDF(SHA256(), 64, salt=None, info=b"chancery AesSiv tokens").derive(KEY)
        return AESSIV(derived).encrypt(message, [associated_data])
    if algorithm == "AesGcm":
        return xaes_256_gcm(KEY, IV, message, associated_data)
    return hmac.new(KEY, associated_data + message, hashlib.sha256).digest()


def check():
    """The first vector of the specification of XAES-256-GCM."""
    vector = xaes_256_gcm(b"\x01" * 32, b"ABCDEFGHIJKLMNOPQRSTUVWX", b"XAES-256-GCM", b"")
    assert vector.hex() == "ce546ef63c9cc60765923609b33a9a1974e96e52daf2fcf7075e2271"


def main():
    check()
    cases = []
    for algorithm in ("AesSiv", "AesGcm", "Hmac"):
        for version in (1, 258):
            header = version.to_bytes(4, "big")
            for message in MESSAGES:
                token = header + sealed(algorithm, DOMAIN + header, message.encode())
                token = base64.urlsafe_b64encode(token).decode().rstrip("=")
                cases.append({"algorithm": algorithm, "version": version, "message": message, "token": token})
    about = {"key": KEY.hex(), "domain": DOMAIN.hex(), "iv": IV.hex(), "madeBy": "texts.py"}
    print(json.dumps({**about, "cases": cases}, indent=1, ensure_ascii=False))


main()
