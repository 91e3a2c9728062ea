"""Damaged files: with any byte of a state or a journal changed, `--resume` is refused, or gives the tables of a run that was never
disturbed (a journal's rows after the state are computed anew).

Every byte of every file belongs to a case, a fortieth of the file to each. So that this takes minutes, the files are small: a limit on the size of files,
as a full disk is, ends runs and sweeps after their first rows, at the same row on every machine.
"""
import os
import resource
import shutil
import subprocess
import threading

from .environment import Environment, first_difference, read_bytes, size_of
from .rewritten import Case

BLOCKS = 40                         # cases of one file
LIMIT = 4*1024                      # bytes of a file; states take some 2000 to 3000
MODELS = ("double-pendulum", "counted-events", "two-balls")


def bytes_of(block, size):
    """The bytes that belong to a case: each to one of them."""
    return range(block*size//BLOCKS, (block + 1)*size//BLOCKS)


class Damage(Environment):
    """Bytes of what a run leaves that found no room on the disk, one by one."""
    name = "damage"
    liar = "credulous"
    command = "run"
    files = ("base.resume", "base.csv.part")
    lock = threading.Lock()

    def __init__(self):
        self.left = {}              # (program, model) -> (folder of a run that was ended, tables of a run that was not)

    def files_of(self, model):
        return (*self.files, "base.contacts.csv.part") if self.command == "run" and model.name == "two-balls" else self.files

    def tables_of(self, model):
        return [file[:-len(".part")] for file in self.files_of(model) if file.endswith(".part")]

    def cases(self, models, context):
        return [Case(self, m, f"{file} {block}") for m in models if m.name in MODELS for file in self.files_of(m) for block in range(BLOCKS)]

    def check(self, case, context):
        with self.lock:
            key = (id(context), case.model.name)
            if key not in self.left:
                self.left[key] = self.interrupt(case.model, context)
        found = self.left[key]
        if isinstance(found, str):
            return f"cannot be compared: {found}"
        file, block = case.variant.split()
        return self.flip(case.model, found, file, int(block), context)

    def options(self, model):
        return ["--to", "1.5" if model.name == "two-balls" else "60", "--every", "0.02" if model.name == "two-balls" else "1", "--quiet"]

    def interrupt(self, model, context):
        """The folder of one that was ended by a limit on the size of its files, after some of its rows, and the tables of one that was not."""
        folder, path, libraries = self.place(model, context, "base")
        words = [self.command, path, *libraries, *self.options(model)]
        if context.program.call(words, folder).status != 0:
            return f"the {self.command} fails"
        wanted = {table: read_bytes(os.path.join(folder, table)) for table in self.tables_of(model)}
        shutil.rmtree(folder)
        folder, path, libraries = self.place(model, context, "base")
        words = [self.command, path, *libraries, *self.options(model), *(["--checkpoint", "0"] if self.command == "run" else [])]
        subprocess.run([*context.program.command, *words], cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False,
                       preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (LIMIT, LIMIT)))
        missing = [file for file in self.files_of(model) if not size_of(os.path.join(folder, file))]
        return f"the {self.command} was not ended by the limit: it left no {missing[0]}" if missing else (folder, wanted)

    def resume(self, model, copy, context):
        words = [self.command, os.path.join(copy, "base.zw"), "--lib", os.path.join(copy, "lib"), *self.options(model), "--resume"]
        return context.program.call(words, copy)

    def flip(self, model, found, file, block, context):
        folder, wanted = found
        whole = {name: read_bytes(os.path.join(folder, name)) for name in self.files_of(model)}
        size = len(whole[file])
        copy = None
        for at in bytes_of(block, size):
            if copy is None:
                copy = context.program.folder()
                shutil.copytree(folder, copy, dirs_exist_ok=True)
            damaged = bytearray(whole[file])
            damaged[at] ^= 1 << at % 8
            for name, data in {**whole, file: bytes(damaged)}.items():
                with open(os.path.join(copy, name), "wb") as out:
                    out.write(data)
            answer = self.resume(model, copy, context)
            message = self.judge(answer, copy, wanted)
            if message:
                return f"byte {at} of {file} changed: {message}"
            if answer.status == 0:          # its results stay there
                shutil.rmtree(copy, ignore_errors=True)
                copy = None
        return None

    def judge(self, answer, copy, wanted):
        """What is wrong with an answer, or None."""
        if answer.status < 0:
            return answer.refused()
        if answer.status != 0:
            return None if answer.message.strip() else f"exit {answer.status} without a word"
        got = {table: read_bytes(os.path.join(copy, table)) for table in wanted}
        return next((f"accepted, with another table: {first_difference(wanted[table], got[table])}" for table in wanted if got[table] != wanted[table]), None)


class DamageOfSweeps(Damage):
    """The same of a sweep: its rows, and the file that tells how many of them are sure."""
    name = "damage-of-sweeps"
    command = "sweep"
    files = ("base.sweep.resume", "base.sweep.csv.part")

    def options(self, model):
        swept = {"double-pendulum": "m1=1..2:400", "counted-events": "kick=0.1..0.4:400", "two-balls": "m=1..2:400"}[model.name]
        return ["--over", swept, "--to", "0.2", "--threads", "1", "--quiet"]


RELATIONS = [Damage(), DamageOfSweeps()]
