"""Examples in docstrings and in docs/python.md run, and say what is written."""

import doctest
import importlib
import pkgutil

import pytest

import kith
from conftest import ROOT

MODULES = [m.name for m in pkgutil.iter_modules(kith.__path__)
           if m.name != "_kith"]


@pytest.mark.parametrize("name", ["", *MODULES])
def test_docstrings(name):
    module = importlib.import_module(f"kith.{name}".rstrip("."))
    found = doctest.testmod(module, optionflags=doctest.NORMALIZE_WHITESPACE)
    assert found.failed == 0


@pytest.mark.parametrize("page", ["docs/python.md", "README.md"])
def test_pages(page, monkeypatch):
    if "python" in page:
        pytest.importorskip("sklearn")
    monkeypatch.chdir(ROOT)
    found = doctest.testfile(str(ROOT / page), module_relative=False,
                             optionflags=doctest.NORMALIZE_WHITESPACE |
                             doctest.ELLIPSIS)
    assert found.failed == 0


def test_everything_public_has_words():
    for name in kith.__all__:
        thing = getattr(kith, name)
        assert thing.__doc__, name
        for part, value in vars(thing).items() if isinstance(thing, type) else ():
            if callable(value) and not part.startswith("_"):
                assert value.__doc__ or part in ("set_params", "to_pandas", "fit",
                                                 "predict", "predict_proba", "score",
                                                 "to_frame"), f"{name}.{part}"
