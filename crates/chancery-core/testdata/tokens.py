#!/usr/bin/env python3
"""Writes tokens.json: frozen tokens, computed here from SP 800-38G and from the description of token profiles in
docs/INTERFACE.md alone, without a line of the Rust code, so that both cannot share a mistake. AES comes from the openssl
binary.

usage: python3 tokens.py > tokens.json
"""
import json
import subprocess

KEY = bytes.fromhex("2b7e151628aed2a6abf7158809cf4f3cef4359d8d580aa4f7f036d6f04fc6a94")
DOMAIN = bytes.fromhex("00112233445566778899aabbccddeeff")
IV = bytes(range(16))
VERSION = 7
DECIMAL = "0123456789"
UPPER = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
ALPHABETS = {
    "Decimal": DECIMAL,
    "UpperAlpha": UPPER,
    "LowerHex": DECIMAL + "abcdef",
    "AlphaNumeric": DECIMAL + UPPER + UPPER.lower(),
    "Printable": "".join(map(chr, range(0x20, 0x7F))),
}


def aes(data):
    command = ["openssl", "enc", "-aes-256-ecb", "-nopad", "-K", KEY.hex()]
    return subprocess.run(command, input=data, capture_output=True, check=True).stdout


def prf(data):
    mac = bytes(16)
    for at in range(0, len(data), 16):
        mac = aes(bytes(x ^ y for x, y in zip(mac, data[at:at + 16])))
    return mac


def num(digits, radix):
    value = 0
    for digit in digits:
        value = value * radix + digit
    return value


def string(value, radix, length):
    digits = []
    for _ in range(length):
        value, digit = divmod(value, radix)
        digits.insert(0, digit)
    return digits


def ff1(radix, tweak, x):
    """Algorithm 7 of SP 800-38G."""
    n, t = len(x), len(tweak)
    u = n // 2
    v = n - u
    a, b_half = x[:u], x[u:]
    b = ((radix ** v - 1).bit_length() + 7) // 8
    d = 4 * ((b + 3) // 4) + 4
    p = bytes([1, 2, 1]) + radix.to_bytes(3, "big") + bytes([10, u % 256]) + n.to_bytes(4, "big") + t.to_bytes(4, "big")
    for i in range(10):
        q = tweak + bytes((-t - b - 1) % 16) + bytes([i]) + num(b_half, radix).to_bytes(b, "big")
        r = prf(p + q)
        s = r + b"".join(aes(bytes(x ^ y for x, y in zip(r, j.to_bytes(16, "big")))) for j in range(1, (d + 15) // 16))
        m = u if i % 2 == 0 else v
        c = (num(a, radix) + int.from_bytes(s[:d], "big")) % radix ** m
        a, b_half = b_half, string(c, radix, m)
    return a + b_half


def luhn_ok(digits):
    total = 0
    for place, digit in enumerate(reversed(digits)):
        twice = 2 * digit
        total += (twice // 10 + twice % 10) if place % 2 else digit
    return total % 10 == 0


def tokenize(profile, message, iv=b""):
    """What docs/INTERFACE.md says of a token profile."""
    symbols = ALPHABETS.get(profile["alphabet"], profile["alphabet"])
    digits = [symbols.index(c) for c in message if c in symbols]
    lead, trail = profile.get("keepLeading", 0), profile.get("keepTrailing", 0)
    end = len(digits) - trail
    luhn = profile.get("luhn", "Ignore")
    text = lambda part: "".join(symbols[d] for d in part).encode()
    tweak = DOMAIN + iv + text(digits[:lead]) + b"\xff" + text(digits[end:])
    prefix = profile.get("versionPrefix", 0)
    told = text(string(VERSION, len(symbols), prefix)).decode()
    if "tokenLength" in profile:
        rank = sum(len(symbols) ** k for k in range(profile["minLength"], len(digits))) + num(digits, len(symbols))
        width = profile["tokenLength"] - prefix
        return told + text(ff1(len(symbols), tweak, string(rank, len(symbols), width))).decode()
    if luhn == "Ignore":
        digits[lead:end] = ff1(len(symbols), tweak, digits[lead:end])
    else:
        assert luhn_ok(digits)
        digits[lead:end - 1] = ff1(10, tweak, digits[lead:end - 1])
        digits[end - 1] = next(d for d in range(10) if luhn_ok(digits[:end - 1] + [d] + digits[end:]))
        if luhn == "Invalid":
            digits[end - 1] = (digits[end - 1] + 1) % 10
    left = iter(digits)
    return told + "".join(symbols[next(left)] if c in symbols else c for c in message)


def profile(alphabet, low, high, **more):
    return {"alphabet": alphabet, "minLength": low, "maxLength": high, **more}


CARD = profile("Decimal", 13, 19, keepTrailing=4, passThrough=" -", luhn="Valid")
CASES = [
    (CARD, ["4111111111111111", "4111-1111 1111-1111", "4222222222222", "378282246310005", "6205500000000000004"]),
    ({**CARD, "luhn": "Invalid"}, ["4111111111111111", "378282246310005"]),
    (profile("Decimal", 16, 19, keepLeading=6, keepTrailing=4), ["4111111111111112", "6035718888880528923"]),
    (profile("Decimal", 6, 40), ["000000", "1234567", "0123456789012345678901234567890123456789"]),
    (profile("Decimal", 1, 9, tokenLength=16), ["0", "1", "123456", "999999999"]),
    (profile("LowerHex", 32, 32, passThrough="-"), ["00112233-4455-6677-8899-aabbccddeeff"]),
    (profile("AlphaNumeric", 5, 64, keepLeading=1), ["Zz09a", "ThisIsALongerIdentifier0123456789"]),
    (profile("Printable", 4, 512), ["to be, or not to be?", "x" * 200]),
    (profile("äöüßÄÖÜẞ🂡é", 7, 12, keepTrailing=1, passThrough="x"), ["äöüßÄÖÜ", "x🂡🂡éxäöüßx"]),
    ({**CARD, "luhn": "Ignore", "versionPrefix": 2}, ["4111111111111111", "-4111-1111 1111-1111"]),
    (profile("UpperAlpha", 5, 9, tokenLength=16, versionPrefix=1), ["ABCDE", "ZZZZZZZZZ"]),
    (profile("01", 30, 64, keepLeading=2, versionPrefix=3), ["110000000000000000000000000001"]),
]


def main():
    cases = []
    for rules, messages in CASES:
        for message in messages:
            case = {"format": rules, "message": message, "token": tokenize(rules, message)}
            cases.append({**case, "tokenWithIv": tokenize(rules, message, IV)})
    about = {"key": KEY.hex(), "domain": DOMAIN.hex(), "iv": IV.hex(), "version": VERSION, "madeBy": "tokens.py"}
    print(json.dumps({**about, "cases": cases}, indent=1, ensure_ascii=False))


if __name__ == "__main__":
    main()
