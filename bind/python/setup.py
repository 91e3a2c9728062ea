"""Builds the wheel: the extension in src/, linked with the archive of the library that CMake builds.

The archive comes from the build folder ZWANG_BUILD, or is built first. With ZWANG_SHARED set the shared library is used instead. No network, nothing but the tools of the distribution.
"""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext
from setuptools.command.build_py import build_py

try:
    from setuptools.command.bdist_wheel import bdist_wheel
except ImportError:  # before setuptools 70
    from wheel.bdist_wheel import bdist_wheel

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
LIMITED_API = 0x030B0000  # Python 3.11: the first whose limited API has the buffer protocol
SOURCES = ["module.c", "lock.c", "convert.c", "rows.c", "journal.c", "model.c", "linearize.c", "forces.c", "gradient.c",
           "detail.c",
           "run.c", "least.c"]
WARNINGS = ["-Wall", "-Wextra", "-Wpedantic", "-Wshadow", "-Wconversion", "-Wvla"]
# Python's own interface keeps functions in data pointers and leaves members out
QUIET = ["-Wno-pedantic", "-Wno-cast-function-type", "-Wno-missing-field-initializers"]


def version():
    """The version, which CMakeLists.txt alone states."""
    text = (ROOT / "CMakeLists.txt").read_text(encoding="utf-8")
    return re.search(r"VERSION (\d+\.\d+\.\d+)", text).group(1)


def build_library(folder):
    """Builds the archive of the library in `folder`."""
    def run(*command):
        subprocess.run(command, check=True, stdout=sys.stderr)

    jobs = os.environ.get("JOBS", "1")
    run("cmake", "-S", str(ROOT), "-B", str(folder), "-DCMAKE_BUILD_TYPE=Release", "-DCMAKE_C_FLAGS_RELEASE=-O2",
        "-DZW_BUILD_TESTS=OFF")
    run("cmake", "--build", str(folder), "--target", "zwang_static", "--parallel", jobs)


def private_libraries(folder):
    """What the archive needs besides: CMake has written it down for pkg-config."""
    text = (folder / "zwang.pc").read_text(encoding="utf-8")
    return re.search(r"^Libs\.private: (.*)$", text, re.MULTILINE).group(1).split()


def link_archive(ext, folder):
    """All of the library becomes part of the extension, and its names are nobody else's."""
    archive = folder / "libzwang.a"
    if not archive.is_file():
        sys.exit(f"there is no {archive}: build the target zwang_static first, or leave ZWANG_BUILD away")
    ext.extra_objects = [str(archive)]
    ext.extra_link_args = private_libraries(folder) + ["-Wl,--exclude-libs,ALL"]
    ext.depends.append(str(archive))


def link_shared(ext, folder):
    """For packages of a distribution, which has the shared library."""
    ext.libraries = ["zwang"]
    ext.library_dirs = [str(folder)]


class BuildExtension(build_ext):
    def build_extension(self, ext):
        given = os.environ.get("ZWANG_BUILD")
        folder = Path(given).resolve() if given else Path(self.build_temp).resolve() / "library"
        if not given:
            build_library(folder)
        if os.environ.get("ZWANG_SHARED"):
            link_shared(ext, folder)
        else:
            link_archive(ext, folder)
        super().build_extension(ext)


class BuildModules(build_py):
    """The example models are part of the package: zwang.examples()."""

    def run(self):
        super().run()
        to = Path(self.build_lib) / "zwang" / "examples"
        to.mkdir(parents=True, exist_ok=True)
        for model in sorted((ROOT / "examples").glob("*.zw")):
            shutil.copyfile(model, to / model.name)


class Wheel(bdist_wheel):
    def finalize_options(self):
        self.py_limited_api = "cp311"
        super().finalize_options()


setup(
    version=version(),
    cmdclass={"build_ext": BuildExtension, "build_py": BuildModules, "bdist_wheel": Wheel},
    ext_modules=[
        Extension(
            "zwang._zwang",
            [f"src/{name}" for name in SOURCES],
            depends=["src/extension.h"],
            include_dirs=[str(ROOT / "include")],
            define_macros=[("Py_LIMITED_API", hex(LIMITED_API)), ("_POSIX_C_SOURCE", "200809L")],
            extra_compile_args=["-std=c17", "-fvisibility=hidden", *WARNINGS, *QUIET],
            py_limited_api=True,
        )
    ],
)
