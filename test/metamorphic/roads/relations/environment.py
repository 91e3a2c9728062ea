"""The same answer on another machine: decimal commas, outputs that cannot be written, neighbours, and sudden ends."""
import os
import random
import shutil
import signal
import subprocess
import threading
import time

from ..program import LIMITED
from .rewritten import Case

KILLS = 20
MODEL, TABLE = object(), object()   # of a command line: the model, and the table of its run
COMMANDS = {"run": [MODEL], "check": [MODEL], "derive": [MODEL], "linearize": [MODEL], "fmt": [MODEL], "dump": [MODEL, "--stage", "model"],
            "bench": [MODEL], "sweep": [MODEL, "--over", "l=1,2"], "forces": [MODEL, "--motion", TABLE], "plot": [TABLE],
            "animate": [MODEL], "export": [MODEL, "--c"], "compare": [MODEL]}
WRITERS = ("run", "sweep", "forces", "plot", "animate", "export")   # their files cannot be whole where files may not grow
HOST = """#include <locale.h>
__attribute__((constructor)) static void host(void) { setlocale(LC_ALL, ""); }
"""


class Environment:
    """What all cases of this file share: the program in a folder of its own, with its files compared as bytes."""
    shrinks = False

    def label(self, variant):
        return str(variant) if variant is not None else ""

    def place(self, model, context, stem="variant"):
        folder = context.program.folder()
        path, libraries = model.write(folder, stem)
        return folder, path, libraries

    def table(self, model, context, stem="base", more=(), **options):
        """The bytes of a run's table, or a sentence."""
        folder, path, libraries = self.place(model, context, stem)
        answer = context.program.call(["run", path, "--quiet", *libraries, *more], folder, **options)
        if answer.status != 0:
            return answer.refused() or f"exit {answer.status}"
        with open(os.path.join(folder, stem + ".csv"), "rb") as file:
            return file.read()


class Commas(Environment):
    """Tables under a locale with decimal commas, asked for by the user (`locale`) or set by the host (`host`)."""
    name = "locale"
    lock = threading.Lock()
    folder = None                   # of the locale and the host's library, made once

    def cases(self, models, context):
        return [Case(self, model, how) for model in models[::4] for how in ("locale", "host")]

    def check(self, case, context):
        with self.lock:
            if Commas.folder is None or not os.path.isdir(Commas.folder):
                Commas.folder = context.program.folder()
                self.make(Commas.folder)
        if not os.path.isdir(os.path.join(Commas.folder, "de_DE.UTF-8")):
            return "there is no locale to test with: localedef, of the package locales, is missing"
        wanted = self.table(case.model, context)
        environment = {**os.environ, "LOCPATH": Commas.folder, "LC_ALL": "de_DE.UTF-8"}
        if case.variant == "host":
            environment["LD_PRELOAD"] = os.path.join(Commas.folder, "host.so")
        got = self.table(case.model, context, stem="variant", env=environment)
        if isinstance(wanted, str):
            return f"cannot be compared: the model itself fails with {wanted}"
        return None if got == wanted else f"another table with decimal commas: {first_difference(wanted, got)}"

    def make(self, folder):
        with open(os.path.join(folder, "host.c"), "w", encoding="utf-8") as out:
            out.write(HOST)
        compiler = os.environ.get("CC", "cc")
        subprocess.run([compiler, "-shared", "-fPIC", "-o", os.path.join(folder, "host.so"), os.path.join(folder, "host.c")], check=True)
        if shutil.which("localedef"):
            subprocess.run(["localedef", "-i", "de_DE", "-f", "UTF-8", os.path.join(folder, "de_DE.UTF-8")], check=False, capture_output=True)


def first_difference(wanted, got):
    if isinstance(got, str):
        return got
    for a, b in zip(wanted.split(b"\n"), got.split(b"\n")):
        if a != b:
            return f"{b[:80].decode('utf-8', 'replace')!r} in place of {a[:80].decode('utf-8', 'replace')!r}"
    return f"{len(got)} bytes in place of {len(wanted)}"


class Outputs(Environment):
    """stdout closed or full, files that may not grow: never a signal, and never exit 0 where something is missing."""
    name = "outputs"
    liar = "careless"

    def cases(self, models, context):
        pendulum = next(m for m in models if m.name == "pendulum")
        return [Case(self, pendulum, f"{how} {command}") for command in COMMANDS for how in ("closed", "full", "limited", "free")]

    def words(self, command, model, context):
        """The command line, and its folder, in which the table is where it is needed."""
        folder, path, libraries = self.place(model, context)
        table = os.path.join(folder, "motion.csv")
        if TABLE in COMMANDS[command]:
            wanted = self.table(model, context)
            with open(table, "wb") as out:
                out.write(wanted if isinstance(wanted, bytes) else wanted.encode())
        names = {id(MODEL): path, id(TABLE): table}
        words = [names.get(id(word), word) for word in COMMANDS[command]]
        return folder, [*context.program.command, command, *words, *([] if command in ("fmt", "plot") else libraries)]

    def check(self, case, context):
        how, word = case.variant.split()
        folder, words = self.words(word, case.model, context)
        known = set(os.listdir(folder))
        if how == "free":           # else the others could be refused for another reason
            answer = context.program.call(words[len(context.program.command):], folder)
            return None if answer.status == 0 else f"with nothing in its way: {answer.refused()}"
        if how == "limited":
            done = subprocess.run(["/bin/sh", "-c", 'ulimit -f 1; exec "$@"', "sh", *words], cwd=folder, capture_output=True, check=False)
        else:
            redirect = ">&-" if how == "closed" else ">/dev/full"
            done = subprocess.run(["/bin/sh", "-c", f'exec "$@" {redirect}', "sh", *words], cwd=folder, stderr=subprocess.PIPE, check=False)
        said = done.stderr.decode("utf-8", "replace")
        if done.returncode < 0 or done.returncode > 2:
            return f"ended with status {done.returncode}"
        if how == "limited":
            left = [f for f in sorted(set(os.listdir(folder)) - known) if not f.endswith((".part", ".resume"))]
            return f"exit 0, but {left} cannot be whole" if done.returncode == 0 and word in WRITERS else None
        if done.returncode == 0:
            return "exit 0, but what it says was lost"
        return None if said.strip() else f"exit {done.returncode} without a word"


class Together(Environment):
    """Two runs in one folder: the second one is refused, and the first one is not disturbed."""
    name = "together"
    liar = "careless"

    def cases(self, models, context):
        return [Case(self, m, None) for m in models if m.name in ("double-pendulum", "pendulum", "counted-events")]

    def check(self, case, context):
        more = ["--to", "300", "--every", "0.01"]
        wanted = self.table(case.model, context, more=more)
        folder, path, libraries = self.place(case.model, context, "base")
        words = [*LIMITED, *context.program.command, "run", path, "--quiet", *libraries, *more]
        part = os.path.join(folder, "base.csv.part")
        with subprocess.Popen(words, cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as first:
            wait_for(lambda: size_of(part) > 0 or first.poll() is not None)
            first.send_signal(signal.SIGSTOP)       # so that it cannot end before the second one looks
            second = context.program.call(["run", path, "--quiet", *libraries, *more], folder)
            first.send_signal(signal.SIGCONT)
            first.wait()
        if second.status == 0:
            return "a second run in the same folder was not refused"
        got = read_bytes(os.path.join(folder, "base.csv"))
        return None if got == wanted else f"the first run was disturbed: {first_difference(wanted, got)}"


class Kills(Environment):
    """A run that is killed again and again, and resumed: the same table in the end, byte by byte."""
    name = "kills"
    liar = "forgetful"

    def cases(self, models, context):
        return [Case(self, m, None) for m in models if m.name in ("double-pendulum", "pendulum", "counted-events", "two-balls", "stick-slip")]

    def check(self, case, context):
        more = ["--to", {"two-balls": "1.5"}.get(case.model.name, "100"), "--every", {"two-balls": "0.00005"}.get(case.model.name, "0.002")]
        wanted = self.table(case.model, context, more=more)
        if isinstance(wanted, str):
            return f"cannot be compared: the run itself fails with {wanted}"
        folder, path, libraries = self.place(case.model, context, "base")
        chance = random.Random(case.model.name)
        part, resume = os.path.join(folder, "base.csv.part"), []
        for kill in range(KILLS + 1):
            words = [*context.program.command, "run", path, "--quiet", "--checkpoint", "0.001", *libraries, *more, *resume]
            until = size_of(part) + chance.random()*(len(wanted) - size_of(part))/4
            with subprocess.Popen(words, cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE) as child:
                if kill < KILLS:
                    wait_for(lambda c=child, u=until: size_of(part) > u or c.poll() is not None)
                    child.kill()
                said = child.stderr.read().decode("utf-8", "replace")
            if child.returncode == 0:
                break
            if child.returncode != -signal.SIGKILL:
                return f"after {kill} kills: exit {child.returncode}: {said.strip()[:200]}"
            resume = ["--resume"] if os.path.exists(part) else []
        got = read_bytes(os.path.join(folder, "base.csv"))
        return None if got == wanted else f"another table after {kill} kills: {first_difference(wanted, got)}"


def wait_for(condition):
    """Looks again and again; what it waits for ends by itself."""
    while not condition():
        time.sleep(0.002)


def size_of(path):
    try:
        return os.path.getsize(path)
    except OSError:
        return 0


def read_bytes(path):
    try:
        with open(path, "rb") as file:
            return file.read()
    except OSError as error:
        return str(error)


RELATIONS = [Commas(), Outputs(), Together(), Kills()]
