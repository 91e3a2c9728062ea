"""The library's contract: every public function with wrong arguments, each call in a process of its own.

C is called by C: the table is test/api/test_api_misuse.c, a program of its own, which also names functions that it does not call.
Here it is only run, where it is built beside the program, so that one walk shows everything.
"""
import os
import subprocess

from .rewritten import Case


class Contract:
    """No wrong call ends the process, and none is answered wrongly."""
    name = "contract"
    shrinks = False
    proves_itself = True            # self_test.py has no liar for a library

    def cases(self, models, context):
        path = os.path.join(os.path.dirname(os.path.realpath(context.program.command[0])), "test", "test_api_misuse")
        return [Case(self, None, path)] if os.access(path, os.X_OK) else []

    def label(self, variant):
        return ""

    def check(self, case, context):
        done = subprocess.run([case.variant], cwd=context.program.folder(), capture_output=True, check=False)
        lines = done.stdout.decode("utf-8", "replace").strip().splitlines()
        return None if done.returncode == 0 else " / ".join(lines[-4:])


RELATIONS = [Contract()]
