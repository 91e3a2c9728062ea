"""The library's contract: every public function with wrong arguments, each call in a process of its own.

C is called by C: the table is test/api/test_api_misuse.c, a program of its own, which also names functions that it does not call.
Here it is only run, so that one walk shows everything. Where it is not built beside the program the relation is broken, and says what to build.
"""
import os
import subprocess

from .rewritten import Case


PROGRAM = "test_api_misuse"


class Contract:
    """No wrong call ends the process, and none is answered wrongly."""
    name = "contract"
    shrinks = False
    proves_itself = True            # self_test.py has no liar for a library

    def cases(self, models, context):
        return [Case(self, None, os.path.join(os.path.dirname(os.path.realpath(context.program.command[0])), "test", PROGRAM))]

    def label(self, variant):
        return ""

    def check(self, case, context):
        if not os.access(case.variant, os.X_OK):
            return (f"{case.variant} is not there. Build it: cmake --preset release -DZW_BUILD_TESTS=ON && "
                    f"cmake --build --preset release --target {PROGRAM}")
        done = subprocess.run([case.variant], cwd=context.program.folder(), capture_output=True, check=False)
        lines = done.stdout.decode("utf-8", "replace").strip().splitlines()
        return None if done.returncode == 0 else " / ".join(lines[-4:])


RELATIONS = [Contract()]
