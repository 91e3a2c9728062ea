"""The list of known limits: relations that do not hold, each with its reason.

A line is `TITLE | REASON`, the title as `walk.py --list` prints it; `#` begins a comment. A line whose relation has begun
to hold is an error, so that the list never grows stale.
"""


def read(path):
    found = {}
    with open(path, encoding="utf-8") as file:
        for at, line in enumerate(file, 1):
            line = line.split("#")[0].strip()
            if not line:
                continue
            title, bar, reason = (part.strip() for part in line.partition("|"))
            if not bar or not reason:
                raise SystemExit(f"{path}:{at}: a known limit needs a reason after '|'")
            found[title] = reason
    return found
