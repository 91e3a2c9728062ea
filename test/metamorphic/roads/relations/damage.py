"""Damaged files: with any byte of a state or a journal changed, `--resume` is refused, or gives the table of a run that was never
disturbed (a journal's rows after the state are computed anew)."""
import os
import resource
import shutil
import signal
import subprocess
import threading

from .environment import Environment, first_difference, read_bytes, size_of, wait_for
from .rewritten import Case

BLOCK = 32                          # bytes of one case
BLOCKS = 40                         # cases of one file, spread evenly
MODELS = ("double-pendulum", "counted-events", "two-balls")


class Damage(Environment):
    """Bytes of what a run leaves that was ended by Ctrl-C, one by one."""
    name = "damage"
    liar = "credulous"
    files = ("base.resume", "base.csv.part")
    lock = threading.Lock()

    def __init__(self):
        self.left = {}              # (program, model) -> (folder of an interrupted run, table of a run that was not)

    def cases(self, models, context):
        return [Case(self, m, f"{file} {block}") for m in models if m.name in MODELS for file in self.files for block in range(BLOCKS)]

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
        return ["--to", "1.5" if model.name == "two-balls" else "60", "--every", "0.0001" if model.name == "two-balls" else "0.002", "--quiet"]

    def interrupt(self, model, context):
        wanted = self.table(model, context, more=self.options(model))
        folder, path, libraries = self.place(model, context, "base")
        words = [*context.program.command, "run", path, *libraries, *self.options(model), "--checkpoint", "0.001"]
        state = os.path.join(folder, "base.resume")
        with subprocess.Popen(words, cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as child:
            wait_for(lambda: size_of(state) > 0 or child.poll() is not None)
            child.send_signal(signal.SIGINT)
        return (folder, wanted) if size_of(state) else "the run ended before it could be interrupted"

    def resume(self, model, copy, context):
        """What the program says, and the name of its table."""
        words = ["run", os.path.join(copy, "base.zw"), "--lib", os.path.join(copy, "lib"), *self.options(model), "--resume"]
        return context.program.call(words, copy), "base.csv"

    def flip(self, model, found, file, block, context):
        folder, wanted = found
        size = size_of(os.path.join(folder, file))
        begin = block*size//BLOCKS
        for at in range(begin, min(begin + BLOCK, (block + 1)*size//BLOCKS)):
            copy = context.program.folder()
            shutil.copytree(folder, copy, dirs_exist_ok=True)
            with open(os.path.join(copy, file), "r+b") as damaged:
                damaged.seek(at)
                byte = damaged.read(1)[0]
                damaged.seek(at)
                damaged.write(bytes([byte ^ (1 << at % 8)]))
            answer, table = self.resume(model, copy, context)
            got = read_bytes(os.path.join(copy, table))
            shutil.rmtree(copy, ignore_errors=True)
            if answer.status < 0:
                return f"byte {at} of {file} changed: {answer.refused()}"
            if answer.status == 0 and got != wanted:
                return f"byte {at} of {file} changed: accepted, with another table: {first_difference(wanted, got)}"
            if answer.status != 0 and not answer.message.strip():
                return f"byte {at} of {file} changed: exit {answer.status} without a word"
        return None


class DamageOfSweeps(Damage):
    """The same of a sweep: its rows, and the file that tells how many of them are sure."""
    name = "damage-of-sweeps"
    files = ("base.sweep.resume", "base.sweep.csv.part")

    def options(self, model):
        swept = {"double-pendulum": "m1=1..2:400", "counted-events": "kick=0.1..0.4:400", "two-balls": "m=1..2:400"}[model.name]
        return ["--over", swept, "--to", "0.2", "--threads", "1", "--quiet"]

    def interrupt(self, model, context):
        """Ended by a limit on the size of its table, after some of its rows."""
        folder, path, libraries = self.place(model, context, "base")
        words = ["sweep", path, *libraries, *self.options(model)]
        if context.program.call(words, folder).status != 0:
            return "the sweep fails"
        table = os.path.join(folder, "base.sweep.csv")
        wanted = read_bytes(table)
        os.remove(table)
        limit = 16*1024
        subprocess.run([*context.program.command, *words], cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False,
                       preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit)))
        return (folder, wanted) if size_of(os.path.join(folder, self.files[0])) else "the sweep was not ended by the limit"

    def resume(self, model, copy, context):
        words = ["sweep", os.path.join(copy, "base.zw"), "--lib", os.path.join(copy, "lib"), *self.options(model), "--resume"]
        return context.program.call(words, copy), "base.sweep.csv"


RELATIONS = [Damage(), DamageOfSweeps()]
