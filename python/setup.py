"""Builds the wheel: CMake builds the module, which holds the library, for all
CPythons from 3.9 on.  KITH_BUILD names CMake's folder (default: ../build)."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext
from wheel.bdist_wheel import bdist_wheel

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent
BUILD = Path(os.environ.get("KITH_BUILD", ROOT / "build"))


class CMakeExtension(build_ext):
    def build_extension(self, ext):
        if not (BUILD / "build.ninja").exists():
            subprocess.check_call(
                ["cmake", "--preset", "release", "-B", BUILD,
                 f"-DPython3_EXECUTABLE={sys.executable}"], cwd=ROOT)
        subprocess.check_call(["cmake", "--build", BUILD, "--target", "kith_python"])
        to = Path(self.get_ext_fullpath(ext.name))
        to.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(BUILD / "python" / "kith" / "_kith.abi3.so", to)


class AbiWheel(bdist_wheel):
    def finalize_options(self):
        self.py_limited_api = "cp39"
        super().finalize_options()


BUILD.mkdir(exist_ok=True)
header = (ROOT / "include" / "kith" / "core.h").read_text()
setup(
    version=re.search(r'define KITH_VERSION +"(.*)"', header).group(1),
    ext_modules=[Extension("kith._kith", [], py_limited_api=True)],
    options={  # nothing is left among the sources
        "egg_info": {"egg_base": str(BUILD)},
        "build": {"build_base": str(BUILD / "python-wheel")},
    },
    cmdclass={"build_ext": CMakeExtension, "bdist_wheel": AbiWheel},
)
