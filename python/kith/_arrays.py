"""Arrays between NumPy and the library: views, texts in bulk, nodes by name."""

import numpy as np


class _View:
    """Memory of the library's as an array; keeps its owner alive."""

    def __init__(self, address, shape, typestr, owner):
        self.__array_interface__ = {
            "version": 3,
            "shape": shape,
            "typestr": typestr,
            "data": (address, True),
        }
        self.owner = owner


def view(told, shape, dtype, owner):
    """An array, not to be written to, of what the library tells: (address,
    count), or None."""
    if told is None:
        return None
    if not all(shape):
        return np.empty(shape, dtype)
    return np.asarray(_View(told[0], tuple(shape), np.dtype(dtype).str, owner))


def numbers(a, name, integers=False):
    """A as a contiguous array of a type that the library takes; as it is, if it
    is one."""
    a = np.asarray(a)
    kind, size = a.dtype.kind, a.dtype.itemsize
    if kind == "f" and not integers:
        to = "f8" if size >= 8 else "f4"
    elif kind in "iu":
        if kind == "u" and size == 8 and a.size and a.max() > np.iinfo("i8").max:
            raise ValueError(f"{name}: a number of 2^63 or more")
        to = "i8" if size == 8 or (kind == "u" and size == 4) else "i4"
    elif kind == "b":
        to = "i4"
    else:
        expected = "integers" if integers else "numbers"
        raise TypeError(f"{name}: an array of {a.dtype}, expected {expected}")
    return np.ascontiguousarray(a, dtype="=" + to)


class Texts:
    """Texts one after the other: as Arrow has them, and as the library takes
    them.  `missing`, a mask or None, says which are none."""

    def __init__(self, offsets, data, missing=None):
        self.offsets, self.data, self.missing = offsets, data, missing

    @classmethod
    def of(cls, values):
        """Of a sequence of str (bytes, and anything else as str() has it);
        None and NaN are missing."""
        values = values.tolist() if isinstance(values, np.ndarray) else list(values)
        missing = None
        try:
            joined = "\0".join(values).encode()
        except TypeError:
            gone = is_missing(values).tolist()
            missing = np.array(gone, bool) if any(gone) else None
            values = [
                "" if g else v.decode() if isinstance(v, bytes) else str(v)
                for v, g in zip(values, gone)
            ]
            joined = "\0".join(values).encode()
        if not values:
            return cls(np.zeros(1, np.int64), b"", missing)
        # The separators are taken out again; an id that holds one is refused.
        ends = np.flatnonzero(np.frombuffer(joined, np.uint8) == 0)
        if len(ends) != len(values) - 1:
            raise ValueError("a text with a NUL character")
        offsets = np.empty(len(values) + 1, np.int64)
        offsets[0] = 0
        offsets[1:-1] = ends - np.arange(len(ends))
        offsets[-1] = len(joined) - len(ends)
        return cls(offsets, joined.replace(b"\0", b""), missing)

    def __len__(self):
        return len(self.offsets) - 1

    def list(self):
        """As a list of str."""
        at = self.offsets.tolist()
        if self.data.isascii():
            text = self.data.decode("ascii")
            return [text[a:b] for a, b in zip(at, at[1:])]
        return [
            self.data[a:b].decode("utf-8", "replace") for a, b in zip(at, at[1:])
        ]

    def array(self):
        """As an array of str, None where they are missing."""
        out = np.empty(len(self), object)
        out[:] = self.list()
        if self.missing is not None:
            out[self.missing] = None
        return out

    def ends(self):
        """As the library takes them."""
        return self.offsets, self.data


def is_missing(values):
    """Mask of None, NaN and pandas' NA in an array of objects."""
    return np.fromiter(
        (v is None or v is _na() or (isinstance(v, float) and v != v) for v in values),
        bool,
        len(values),
    )


def _na():
    import sys

    pandas = sys.modules.get("pandas")
    return getattr(pandas, "NA", None) if pandas else None
