#!/usr/bin/env python3
"""Writes src/text/unicode_table.c: which characters stand in names, and how names are normalised (NFC).

    tools/unicode.py > src/text/unicode_table.c      or: make unicode

All comes from Python's own tables, so the Unicode version is that of the Python that runs this; Python 3.11 has
Unicode 14. The build needs no Python: the table is part of the sources. See docs/design/names.md.
"""
import sys
import unicodedata

LAST = 0x10FFFF
HANGUL = range(0xAC00, 0xD7A4)  # composed and decomposed by arithmetic, in nfc.c
HANGUL_VOWELS, HANGUL_FINALS = range(0x1161, 0x1176), range(0x11A8, 0x11C3)

# Letters and digits for Unicode, but here the middle dots are typed for a product and get a message of their own.
REFUSED = {0xB7, 0x387}


def starts(code):
    return code not in REFUSED and code != ord("_") and chr(code).isidentifier()


def continues(code):
    return code not in REFUSED and ("a" + chr(code)).isidentifier()


def canonical(code):
    """The characters a canonical mapping leads to in one step: none, one or two."""
    mapping = unicodedata.decomposition(chr(code))
    return () if not mapping or mapping[0] == "<" else tuple(int(part, 16) for part in mapping.split())


def is_settled(code):
    """Whether NFC leaves the character alone, whatever stands beside it."""
    char = chr(code)
    is_second = code in seconds or code in HANGUL_VOWELS or code in HANGUL_FINALS
    return unicodedata.combining(char) == 0 and unicodedata.normalize("NFC", char) == char and not is_second


def ranges(key):
    """(first, last, value) of the runs on which key is the same and not None."""
    runs = []
    for code in range(LAST + 1):
        value = None if 0xD800 <= code <= 0xDFFF else key(code)
        if value is None:
            continue
        if runs and runs[-1][1] == code - 1 and runs[-1][2] == value:
            runs[-1][1] = code
        else:
            runs.append([code, code, value])
    return runs


def table(comment, declaration, entries):
    """One C array, its entries set in lines of at most 120 characters."""
    print(f"\n/* {comment} */\nconst {declaration}[] = {{")
    line = " "
    for entry in entries:
        if len(line) + len(entry) + 2 > 120:
            print(line)
            line = " "
        line += f" {entry},"
    print(line.rstrip(","))
    print("};")
    name = declaration.split()[-1]
    print(f"const int32_t {name}_count = (int32_t)(sizeof {name} / sizeof *{name});")


def hexes(*codes):
    return "{" + ", ".join(f"0x{code:X}" if code else "0" for code in codes) + "}"


mappings = {code: canonical(code) for code in range(LAST + 1) if code not in HANGUL and canonical(code)}
order = {code: place for place, code in enumerate(sorted(mappings))}
# Pairs that come together again: those left out are the ones Unicode excludes from composition.
pairs = sorted((mapping, code) for code, mapping in mappings.items()
               if len(mapping) == 2 and unicodedata.normalize("NFC", chr(code)) == chr(code))
seconds = {mapping[1] for mapping, code in pairs}

if len(order) > 0xFFFF or any(len(mapping) > 2 for mapping in mappings.values()):
    sys.exit("the table's types are too small for this Unicode version")

print(f"/* Unicode {unicodedata.unidata_version}. Written by tools/unicode.py; do not edit. */")
print('#include "text/unicode_table.h"\n\n// clang-format off')
table("Characters that may begin a name.", "ZwCharRange zw_name_starts",
      (hexes(first, last) for first, last, _ in ranges(lambda code: starts(code) or None)))
table("Further characters that may stand in it.", "ZwCharRange zw_name_continues",
      (hexes(first, last) for first, last, _ in ranges(lambda code: (continues(code) and not starts(code)) or None)))
table("Characters that NFC may move or change, with their combining classes.", "ZwMarkRange zw_marks",
      (f"{{0x{first:X}, 0x{last:X}, {value}}}" for first, last, value in
       ranges(lambda code: None if is_settled(code) else unicodedata.combining(chr(code)))))
table("Canonical mappings, one step each; 0: to a single character.", "ZwDecomposition zw_decompositions",
      (hexes(code, *(mappings[code] + (0,))[:2]) for code in sorted(mappings)))
table("Those that compose again, in the order of what they are composed of.", "uint16_t zw_compositions",
      (str(order[code]) for _, code in pairs))
print("// clang-format on")
