#!/usr/bin/env python3
"""Walks the second roads: runs zwang on models and on the same models restated, and compares.

    walk.py [--program ZWANG] [--relation NAME,...] [--model NAME,...] [--sample K] [--only FILE] [--list] [-j N]

Prints every broken relation with the smallest model on which it is broken, and in the end "B of N broken".
Exit status: 0 if nothing is broken that is not a known limit (limits.txt), and every known limit is still broken.
docs/design/second-roads.md says what is compared, and why.
"""
import argparse
import os
import sys
import zlib
from concurrent.futures import ThreadPoolExecutor

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
from roads import limits, relations, shrink  # noqa: E402
from roads.context import Context  # noqa: E402
from roads.program import Program  # noqa: E402


LINES = 40                          # of a restated model are printed


def arguments():
    parser = argparse.ArgumentParser(description="Runs models and the same models restated, and compares.")
    parser.add_argument("--program", default=os.environ.get("ZWANG", "build/zwang"), help="the program to test")
    parser.add_argument("--root", default=os.environ.get("ZWANG_ROOT", os.path.dirname(os.path.dirname(HERE))), help="the source tree")
    parser.add_argument("--relation", default="", help="only these, with commas between them")
    parser.add_argument("--model", default="", help="only these, with commas between them")
    parser.add_argument("--case", default="", help="only the case of this title")
    parser.add_argument("--sample", type=int, default=1, help="only one of so many, always the same ones")
    parser.add_argument("--only", help="only the cases whose titles are the lines of this file; one that does not exist is an error")
    parser.add_argument("--held", help="write the titles of the cases that hold into this file")
    parser.add_argument("--list", action="store_true", help="print the cases and run nothing")
    parser.add_argument("--whole", action="store_true", help="do not look for the smallest model")
    parser.add_argument("-j", "--jobs", type=int, default=os.cpu_count() or 1)
    return parser.parse_args()


def chosen(words, all_words, what):
    """The words given, or all; an unknown one ends the program."""
    given = [word for word in words.split(",") if word]
    for word in given:
        if word not in all_words:
            sys.exit(f"walk.py: there is no {what} '{word}'; there are: {', '.join(all_words)}")
    return given or list(all_words)


def find_cases(options, context):
    models = {model.name: model for model in context.models()}
    names = chosen(options.model, models, "model")
    found = []
    for name in chosen(options.relation, relations.ALL, "relation"):
        found += [case for case in relations.ALL[name].cases(list(models.values()), context) if not options.model or (case.model is not None and case.model.name in names)]
    if options.case:
        found = [case for case in found if case.title() == options.case]
    if options.only:
        found = picked(found, options.only)
    return [case for case in found if zlib.crc32(case.title().encode()) % options.sample == 0]


def picked(cases, path):
    """The cases that a file lists, one title in each line."""
    with open(path, encoding="utf-8") as file:
        titles = [line.strip() for line in file if line.strip() and not line.startswith("#")]
    by_title = {case.title(): case for case in cases}
    unknown = [title for title in titles if title not in by_title]
    if unknown:
        sys.exit(f"walk.py: {path} names cases that do not exist: {', '.join(unknown[:5])}")
    return [by_title[title] for title in titles]


def report(case, message, context, options):
    """The words for one broken relation."""
    lines = [f"BROKEN {case.title()}", f"  {message}"]
    shrinks = getattr(case.relation, "shrinks", False) and not options.whole and case.model is not None
    if shrinks and "cannot be compared" not in message:
        model = shrink.smallest(case.model, lambda smaller: is_alike(case, smaller, message, context))
        lines += ["  the smallest model:"] + [f"    {line}" for line in model.text().splitlines()]
        if hasattr(case.relation, "rewrite"):
            restated = case.relation.rewrite(model, case.variant).text().splitlines()
            lines += ["  restated:"] + [f"    {line}" for line in restated[:LINES]]
    return "\n".join(lines)


def is_alike(case, model, message, context):
    """Whether the relation is broken on a smaller model in the same way: refused, or another motion."""
    try:
        found = case.relation.check(type(case)(case.relation, model, case.variant), context)
    except Exception:               # a model that has lost what the relation reads is no smaller one
        return False
    if found is None or "cannot be compared" in found or "exit 2" in found:
        return False
    return found.startswith("exit") == message.startswith("exit")


def main():
    options = arguments()
    if not os.access(options.program, os.X_OK):
        sys.exit(f"walk.py: there is no program '{options.program}': `make build` makes build/zwang, --program names another one")
    context = Context(Program([os.path.abspath(options.program)]), options.root)
    try:
        cases = find_cases(options, context)
        if options.list:
            print("\n".join(case.title() for case in cases))
            return 0
        return walk(cases, context, options)
    finally:
        context.program.close()


def walk(cases, context, options):
    known = limits.read(os.path.join(HERE, "limits.txt"))
    broken, wrong, held = 0, 0, []
    with ThreadPoolExecutor(options.jobs) as pool:
        for case, message in zip(cases, pool.map(lambda case: case.relation.check(case, context), cases)):
            reason = known.get(case.title())
            if message is None:
                held.append(case.title())
            if message is None and reason is not None:
                wrong += 1
                print(f"HOLDS {case.title()}\n  is on the list of known limits ({reason}) and has begun to hold: take it off", flush=True)
            if message is not None and reason is None:
                broken, wrong = broken + 1, wrong + 1
                print(report(case, message, context, options), flush=True)
    if options.held:
        with open(options.held, "w", encoding="utf-8") as out:
            out.write("".join(f"{title}\n" for title in held))
    print(f"{broken} of {len(cases)} broken")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
