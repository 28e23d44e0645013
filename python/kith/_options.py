"""The library's table of options as parameters of Python."""

import inspect
import keyword

from . import _kith

# What has another name here, as scikit-learn's users expect it.
RENAMED = {"hold-out": "validation", "seed": "random_state", "threads": "threads"}


# What the estimator's methods are called.
_METHODS = {"apply", "explain", "fit", "load", "partial_fit", "predict",
            "predict_proba", "predict_set", "rank", "report", "save", "score",
            "suggest", "summary", "to_frame", "write"}


def python_name(key):
    """A row's key as a parameter: `lambda` is a word of Python's, `fit` a method."""
    return key + "_" if keyword.iskeyword(key) or key in _METHODS else key


_TABLE = _kith.options()
ROWS = {python_name(r["key"]): r for r in _TABLE if r["name"] not in RENAMED}


def options():
    """The table: a list of dicts with name, type, default, choices, methods (None:
    all), help.

    >>> import kith
    >>> [o["default"] for o in kith.options() if o["name"] == "lambda_"]
    [0.05]
    """
    out = []
    for row in _TABLE:
        name = RENAMED.get(row["name"], python_name(row["key"]))
        out.append({"name": name, **{k: v for k, v in row.items()
                                     if k not in ("name", "key")}})
    return out


def methods():
    """The methods there are, with a line on each.

    >>> import kith
    >>> "linbp" in kith.methods()
    True
    """
    return dict(_kith.methods())


def check(name):
    """Refuse a parameter that there is not."""
    if name not in ROWS:
        near = [n for n in ROWS if n.startswith(name[:3])]
        hint = f"; did you mean '{near[0]}'?" if near else ""
        raise TypeError(f"NodeClassifier() has no parameter '{name}'{hint}")


def sign(cls):
    """Let help() and scikit-learn see the library's options as parameters."""
    own = inspect.signature(cls.__init__)
    plain = [p for p in own.parameters.values() if p.kind is not p.VAR_KEYWORD]
    more = [inspect.Parameter(n, inspect.Parameter.KEYWORD_ONLY, default=None)
            for n in ROWS]
    cls.__init__.__signature__ = own.replace(parameters=plain + more)


def given(estimator):
    """What is set, by the library's names."""
    out = {row["name"]: getattr(estimator, n) for n, row in ROWS.items()
           if getattr(estimator, n) is not None}
    if estimator.validation is not None:
        out["hold-out"] = estimator.validation
    if estimator.random_state is not None:
        out["seed"] = estimator.random_state
    if estimator.threads is not None:
        out["threads"] = estimator.threads
    for name, value in out.items():
        if not isinstance(value, (str, int, float, bool)) and not hasattr(
                value, "__float__"):
            raise TypeError(f"option '{name}': expected a number or a word, not "
                            f"{type(value).__name__}")
    return out
