"""Runs zwang as a user would, and reads what it writes."""
import csv
import json
import os
import shutil
import signal
import subprocess
import tempfile
from dataclasses import dataclass, field

PATIENCE = 60                       # seconds of processor time, so that a busy machine changes nothing; runs take well below one
LIMITED = ["/bin/sh", "-c", f'ulimit -S -t {PATIENCE}; exec "$@"', "sh"]


@dataclass
class Table:
    """A result: columns by name, rows that stand at regular times, and the times of events."""
    columns: list
    rows: list                      # rows without event, each a list of numbers
    events: list                    # times of the rows after an event

    def column(self, word):
        return self.columns.index(word)


@dataclass
class Answer:
    status: int
    message: str = ""               # what was said on stderr
    summary: dict = field(default_factory=dict)
    table: Table = None

    def refused(self):
        """What a run that failed says, in one line; empty if it went well."""
        if self.status == 0:
            return ""
        if self.status < 0:
            return f"ended by signal {-self.status}" + (f": no end after {PATIENCE} s of processor time" if -self.status == signal.SIGXCPU else "")
        errors = [f"{e['code']}: {e['text']}" for e in self.summary.get("errors", [])] or self.message.split("\n")
        return f"exit {self.status}: " + " / ".join(errors[:2])[:300]


class Program:
    """The program under test: a command line, usually one word."""

    def __init__(self, command):
        self.command = command
        shared = "/dev/shm"
        self.scratch = tempfile.mkdtemp(prefix="roads-", dir=shared if os.access(shared, os.W_OK) else None)

    def close(self):
        shutil.rmtree(self.scratch, ignore_errors=True)

    def folder(self):
        return tempfile.mkdtemp(dir=self.scratch)

    def call(self, arguments, folder, **options):
        """One call in `folder`; an Answer without table."""
        done = subprocess.run([*LIMITED, *self.command, *arguments], cwd=folder, stdin=subprocess.DEVNULL,
                              capture_output=True, check=False, **options)
        text = done.stdout.decode("utf-8", "replace")
        try:
            summary = json.loads(text) if text.startswith("{") else {}
        except ValueError:
            summary = {}
        return Answer(done.returncode, done.stderr.decode("utf-8", "replace"), summary)

    def run(self, model, options=(), stem="base"):
        """`zwang run`, with its table. `stem` is what the file is called: base, or variant for what was rewritten."""
        folder = self.folder()
        try:
            path, libraries = model.write(folder, stem)
            answer = self.call(["run", path, "--json", *libraries, *options], folder)
            table = os.path.join(folder, stem + ".csv")
            if answer.status == 0 and os.path.exists(table):
                answer.table = read_table(table)
            return answer
        finally:
            shutil.rmtree(folder, ignore_errors=True)

    def ask(self, command, model, options=(), stem="base"):
        """Another command that answers with one JSON object."""
        folder = self.folder()
        try:
            path, libraries = model.write(folder, stem)
            return self.call([command, path, "--json", *libraries, *options], folder)
        finally:
            shutil.rmtree(folder, ignore_errors=True)


def value_of(text):
    return float(text) if text else float("nan")


def read_table(path):
    with open(path, newline="", encoding="utf-8") as file:
        reader = csv.reader(file)
        columns = next(reader)
        has_events = columns[-1] == "event"
        if has_events:
            columns = columns[:-1]
        rows, events = [], []
        for record in reader:
            numbers = [value_of(cell) for cell in record[:len(columns)]]
            if has_events and record[-1]:
                events.append(numbers[0])
            else:
                rows.append(numbers)
    return Table(columns, rows, sorted(set(events)))
