#!/usr/bin/env python3
"""Writes patterns.json: frozen tokens of patterns, computed here from what docs/INTERFACE.md says of them, without a line
of the Rust code. The pattern's text is for the Rust code alone: what it means is said beside it once more, by hand.

usage: python3 patterns.py > patterns.json
"""
import json
import re
from datetime import date, datetime, timedelta

from tokens import DECIMAL, DOMAIN, IV, KEY, UPPER, ff1, num, string

LOWER = UPPER.lower()


def literal(text):
    return {"regex": re.escape(text), "kind": "literal"}


def kept(regex):
    return {"regex": regex, "kind": "kept"}


def symbols(classes, lengths):
    return {"regex": "[" + re.escape("".join(classes)) + "]" + lengths, "kind": "symbols", "classes": classes}


def numbers(*ranges):
    width = len(ranges[0][0])
    values = [f"{n:0{width}}" for low, high in ranges for n in range(int(low), int(high) + 1)]
    return {"regex": f"[0-9]{{{width}}}", "kind": "values", "values": values}


def days(regex, layout, first, last):
    count = (last - first).days + 1
    values = [(datetime.combine(first, datetime.min.time()) + timedelta(n)).strftime(layout) for n in range(count)]
    return {"regex": regex, "kind": "values", "values": values}


IBAN = {"regex": "[0-9]{2}", "kind": "iban"}


def iban_check(value):
    moved = value[4:] + value[:2] + "00"
    return f"{98 - int(''.join(str(int(c, 36)) for c in moved)) % 97:02}"


def places(part, text):
    """The (radix, value) of what is encrypted in a part."""
    if part["kind"] == "symbols":
        owner = lambda c: next(k for k in part["classes"] if c in k)
        return [(len(owner(c)), owner(c).index(c)) for c in text]
    if part["kind"] == "values":
        return [(len(part["values"]), part["values"].index(text))]
    return []


def masked(part, text):
    """The part as it enters the tweak."""
    if part["kind"] in ("literal", "kept"):
        return text.encode()
    if part["kind"] == "symbols":
        return bytes(255 - next(i for i, k in enumerate(part["classes"]) if c in k) for c in text)
    return b"".join(b"\xff" if c.isdigit() else c.encode() for c in text)


def write(part, text, values):
    if part["kind"] == "symbols":
        return "".join(next(k for k in part["classes"] if c in k)[values.pop(0)] for c in text)
    if part["kind"] == "values":
        return part["values"][values.pop(0)]
    return text


def encrypt(numbers_, tweak):
    """One radix: FF1 in it. Several: the mixed number as bits, again until it is below the product of the radices."""
    radices = [radix for radix, _ in numbers_]
    if len(radices) > 1 and len(set(radices)) == 1 and radices[0] <= 65536:
        return ff1(radices[0], tweak, [value for _, value in numbers_])
    product, rank = 1, 0
    for radix, value in numbers_:
        product, rank = product * radix, rank * radix + value
    bits = string(rank, 2, (product - 1).bit_length())
    while True:
        bits = ff1(2, tweak, bits)
        rank = num(bits, 2)
        if rank < product:
            break
    values = []
    for radix in reversed(radices):
        rank, value = divmod(rank, radix)
        values.insert(0, value)
    return values


def tokenize(parts, passing, message, iv=b""):
    bare = "".join(c for c in message if c not in passing)
    texts = re.fullmatch("".join(f"({part['regex']})" for part in parts), bare).groups()
    both = list(zip(parts, texts))
    tweak = DOMAIN + iv + b"".join(masked(part, text) for part, text in both)
    values = encrypt([place for part, text in both for place in places(part, text)], tweak)
    token = "".join(write(part, text, values) for part, text in both)
    if IBAN in parts:
        assert iban_check(bare) == bare[2:4]
        token = token[:2] + iban_check(token) + token[4:]
    left = iter(token)
    return "".join(c if c in passing else next(left) for c in message)


def main():
    areas = numbers(("001", "665"), ("667", "899"))
    every = [
        ("{001..665,667..899}-{01..99}-{0001..9999}", "",
         [areas, literal("-"), numbers(("01", "99")), literal("-"), numbers(("0001", "9999"))],
         ["001-01-0001", "899-99-9999", "123-45-6789"]),
        ("[UpperAlpha:2]<iban>{Decimal|UpperAlpha:11..30}", " ",
         [kept("[A-Z]{2}"), IBAN, symbols([DECIMAL, UPPER], "{11,30}")],
         ["DE89 3704 0044 0532 0130 00", "GB29NWBK60161331926819", "MT84MALT011000012345MTLCAST001S", "NO9386011117947"]),
        ("DE<iban>{Decimal:18}", "", [literal("DE"), IBAN, symbols([DECIMAL], "{18}")], ["DE89370400440532013000"]),
        ("{LowerHex:8}-{LowerHex:4}-[LowerHex:1]{LowerHex:3}-['89ab':1]{LowerHex:3}-{LowerHex:12}", "",
         [symbols([DECIMAL + "abcdef"], "{8}"), literal("-"), symbols([DECIMAL + "abcdef"], "{4}"), literal("-"),
          kept("[0-9a-f]"), symbols([DECIMAL + "abcdef"], "{3}"), literal("-"), kept("[89ab]"),
          symbols([DECIMAL + "abcdef"], "{3}"), literal("-"), symbols([DECIMAL + "abcdef"], "{12}")],
         ["f47ac10b-58cc-4372-a567-0e02b2c3d479"]),
        ("{AlphaNumeric|'._+-':5..64}@[AlphaNumeric+'.-':3..255]", "",
         [symbols([DECIMAL + UPPER + LOWER, "._+-"], "{5,64}"), literal("@"), kept("[A-Za-z0-9.-]{3,255}")],
         ["john.doe@example.com", "a_b-c+d.e@mail.example.org"]),
        ("{date:DD.MM.YYYY,1900-01-01..2099-12-31} {0000..9999}", "",
         [days(r"[0-9.]{10}", "%d.%m.%Y", date(1900, 1, 1), date(2099, 12, 31)), literal(" "), numbers(("0000", "9999"))],
         ["29.02.2000 0000", "01.01.1900 1234", "31.12.2099 9999"]),
        ("+[Decimal:1..3] {Decimal:7..12}[Decimal:2]", "-",
         [literal("+"), kept("[0-9]{1,3}"), literal(" "), symbols([DECIMAL], "{7,12}"), kept("[0-9]{2}")],
         ["+1 555-123-4567-00", "+353 1234-56789"]),
        ("№{'äöü🂡':5}{Decimal:4}", "", [literal("№"), symbols(["äöü🂡"], "{5}"), symbols([DECIMAL], "{4}")],
         ["№äöü🂡🂡0042"]),
        ("{0000..9999}/{0000..9999}", "",
         [numbers(("0000", "9999")), literal("/"), numbers(("0000", "9999"))], ["0000/0001", "1234/5678"]),
    ]
    cases = []
    for pattern, passing, parts, messages in every:
        for message in messages:
            tokens = {"token": tokenize(parts, passing, message), "tokenWithIv": tokenize(parts, passing, message, IV)}
            cases.append({"pattern": pattern, "passThrough": passing, "message": message, **tokens})
    about = {"key": KEY.hex(), "domain": DOMAIN.hex(), "iv": IV.hex(), "madeBy": "patterns.py"}
    print(json.dumps({**about, "cases": cases}, indent=1, ensure_ascii=False))


main()
