#!/usr/bin/env python3
"""mutants.py: do the tests notice a small change in the source?

    make mutants [N=100] [SEED=1] [FOLDER=src] [KINDS="unit corpus cli mangled"]

Draws N small changes of src/**/*.c and tools/**/*.c by the seed: an operator, a
bound, an index, a constant, a sign.  Each is made in a copy of the tree, built, and shown to the
tests that run the changed line, the quick ones first.  FOLDER is the beginning
of a path or of several, "src/models src/nn", or a line, "src/models/lcm_em/em.c:238".

killed      a test failed, crashed or ran for much longer than usual
equivalent  the compiler made the same code of it, or equivalent.txt says why
            nobody could tell
survived    no test noticed: it needs a test, or a line in equivalent.txt

A change that does not compile is drawn anew.  Ends with the survivors, counts
per folder and `N killed, N survived, N equivalent`; exit 1 if one survived.
Everything is below build-mutants/: the copies, and for each test the lines that
it runs, which gcov tells and which is found anew only where a file changed.
"""
import concurrent.futures
import hashlib
import json
import os
import queue
import re
import resource
import shutil
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
WORK = ROOT / "build-mutants"
EQUIVALENT = ROOT / "tests/mutants/equivalent.txt"
JOBS = int(os.environ.get("JOBS") or os.cpu_count() or 1)
GIB = 1 << 30


# ---- what can be changed -------------------------------------------------

SWAPS = {"+": "-", "-": "+", "*": "/", "/": "*", "%": "*", "<": "<= >",
         "<=": "< >=", ">": ">= <", ">=": "> <=", "==": "!=", "!=": "==",
         "&&": "||", "||": "&&", "+=": "-=", "-=": "+=", "*=": "/=",
         "/=": "*=", "<<": ">>", ">>": "<<", "&": "|", "|": "&"}
TOKEN = re.compile(r"""
      (?P<skip> //[^\n]* | /\*.*?\*/ | "(?:\\.|[^"\\])*" | '(?:\\.|[^'\\])*'
              | ^[ \t]*\#(?:\\\n|[^\n])* )
    | (?P<number> (?<![\w.])(?:0[xX][0-9a-fA-F]+[uUlL]*
              | (?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?[fFuUlL]*) )
    | (?P<word> [A-Za-z_]\w* )
    | (?P<op> <<=|>>=|\+\+|--|->|&&|\|\||[-+*/%<>=!&|^]=|<<|>>|[-+*/%<>=!&|^~] )
    | (?P<other> \S )""", re.X | re.S | re.M)
# Calls whose arguments only make a message or a hint, or are not compiled
SILENT = {"kith__fail", "__builtin_prefetch", "assert", "static_assert",
          "_Static_assert"}
# "type name[4]" or "sizeof(x[4])": the length of an array, not a place in it
DECLARED = re.compile(r"^\s*(?!return\b|case\b|else\b|goto\b)[A-Za-z_][\w ]*"
                      r"[ *]\w+\[")


def constants(text):
    """A number's neighbours: zero, one more, twice as much."""
    suffix = re.search(r"[uUlLfF]*$", text).group() if text[:2] not in (
        "0x", "0X") else re.search(r"[uUlL]*$", text).group()
    body = text[:len(text) - len(suffix)]
    if re.fullmatch(r"0[xX][0-9a-fA-F]+|\d+", body):
        n = int(body, 0) if body[:2] in ("0x", "0X") else int(body)
        others = [str(m) + suffix for m in (0, n + 1, 2 * n) if m != n]
    else:
        x = float(body)
        others = [repr(m) + suffix for m in (0.0, x + 1, 2 * x) if m != x]
    return list(dict.fromkeys(others))


def tokens(text):
    """The tokens that are compiled, without the arguments of SILENT calls."""
    depth = None
    before = None
    for t in TOKEN.finditer(text):
        if t.lastgroup == "skip":
            continue
        if depth is None and before in SILENT and t.group() == "(":
            depth = 0
        if depth is not None:
            depth += {"(": 1, ")": -1}.get(t.group(), 0)
            if depth == 0:
                depth = None
        else:
            yield t
        before = t.group()


def sites(path, text):
    """(start, end, [texts]) for each place of a file that can be changed."""
    brackets = []
    for t in tokens(text):
        start, end, it = t.start(), t.end(), t.group()
        spaced = text[start - 1].isspace() and text[end].isspace()
        line = text[text.rfind("\n", 0, start) + 1:text.find("\n", start)]
        if it == "[":
            brackets.append(start)
        elif it == "]" and brackets:
            inside = text[brackets.pop() + 1:start]
            if re.search(r"[a-z]", inside) and not DECLARED.match(line):
                yield start, start, [" + 1", " - 1"]
        elif t.lastgroup == "number":
            if not (brackets and DECLARED.match(line)) and \
                    text[start - 1:end + 1] != "{0}":
                yield start, end, constants(it)
        elif it in SWAPS and spaced:  # clang-format puts spaces around binary
            yield start, end, SWAPS[it].split()
        elif it in "!-" and re.match(r"[\w(]", text[end]):
            yield start, end, [""]


class Mutant:
    def __init__(self, path, text, start, end, new):
        self.path = path
        self.text = text[:start] + new + text[end:]
        self.line = text.count("\n", 0, start) + 1
        row = text[:start].rfind("\n") + 1
        self.old = text[row:text.find("\n", start)].strip()
        self.new = self.text[row:self.text.find("\n", start + len(new))].strip()
        self.state = self.why = ""

    def place(self):
        return f"{self.path}:{self.line}"


def drawn(seed, prefix):
    """All places below a prefix in the order of the seed, one change each.

    A place is drawn by a hash of its text, so that an edit elsewhere leaves the
    draws of a seed as they were."""
    rows = []
    name, _, only = prefix.partition(":")
    names = tuple(name.split())
    for file in sorted(f for d in ("src", "tools")
                       for f in (ROOT / d).rglob("*.c")):
        path = str(file.relative_to(ROOT))
        if not path.startswith(names):
            continue
        text = file.read_text()
        seen = {}
        for start, end, choices in sites(path, text):
            row = text.rfind("\n", 0, start) + 1
            line = text[row:text.find("\n", start)]
            key = f"{seed}\0{path}\0{line}\0{start - row}"
            seen[key] = seen.get(key, 0) + 1
            h = hashlib.sha256(f"{key}\0{seen[key]}".encode()).hexdigest()
            pick = choices if only else [choices[int(h[-4:], 16) % len(choices)]]
            for new in pick:
                rows.append((h, Mutant(path, text, start, end, new)))
    rows.sort(key=lambda row: row[0])
    return [m for _, m in rows if not only or m.line == int(only)]


def read_equivalent():
    """{(path, old line, new line or "*")} of the stanzas of equivalent.txt."""
    known = set()
    path = old = new = None
    for number, line in enumerate(EQUIVALENT.read_text().splitlines(), 1):
        if line.startswith("- "):
            old, new = line[2:].strip(), None
        elif line.startswith("+ "):
            new = line[2:].strip()
        elif line.startswith("  ") and path and old and new:
            known.add((path, old, new))
        elif line.startswith(("src/", "tools/")):
            path, old, new = line.strip(), None, None
            text = (ROOT / path).read_text() if (ROOT / path).exists() else ""
        elif line and not line.startswith("#"):
            sys.exit(f"{EQUIVALENT}:{number}: expected '- ', '+ ' or a reason")
        if line.startswith("- ") and old not in text:
            print(f"{EQUIVALENT}:{number}: no such line in {path}")
    return known


# ---- the copies of the tree ----------------------------------------------

def sync(to):
    """Make `to` hold the tree's files; what is unchanged keeps its time."""
    listed = subprocess.run(
        ["git", "ls-files", "-co", "--exclude-standard"], cwd=ROOT, check=True,
        capture_output=True, text=True).stdout.split("\n")
    wanted = {f for f in listed if f and (ROOT / f).is_file()}
    for name in wanted:
        source, copy = ROOT / name, to / name
        if not copy.exists() or copy.read_bytes() != source.read_bytes():
            copy.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(source, copy)
            shutil.copymode(source, copy)
    for top, folders, files in os.walk(to):
        folders[:] = [f for f in folders if not f.startswith("build")]
        for f in files:
            name = os.path.relpath(os.path.join(top, f), to)
            if name not in wanted:
                os.unlink(to / name)


def run(args, **more):
    return subprocess.run(args, stdout=subprocess.PIPE, text=True,
                          stderr=subprocess.STDOUT, **more)


def build(tree, flags, targets=(), quiet=False):
    """Build in tree/build; False if that fails."""
    folder = tree / "build"
    if not (folder / "build.ninja").exists():
        done = run(["cmake", "-G", "Ninja", "-S", tree, "-B", folder,
                    "-DCMAKE_BUILD_TYPE=None", f"-DCMAKE_C_FLAGS={flags}",
                    "-DKITH_WERROR=OFF"])
        if done.returncode:
            sys.exit(done.stdout)
    env = dict(os.environ, CCACHE_DISABLE="1") if quiet else None
    done = run(["ninja", "-C", folder, *targets], env=env)
    if done.returncode and not quiet:
        sys.exit(done.stdout)
    return done.returncode == 0


# ---- the tests -----------------------------------------------------------

def list_tests():
    """{name: its own files} in the order of tests/run.sh."""
    tests = {}
    for kind in (os.environ.get("KINDS") or "unit corpus cli mangled").split():
        if kind == "unit":
            for f in sorted((ROOT / "tests/unit").glob("test_*.c")):
                tests[f.stem] = [f]
        elif kind == "corpus":
            for f in sorted((ROOT / "tests/fuzz").glob("fuzz_*.c")):
                corpus = sorted((ROOT / "tests/fuzz/corpus").glob(
                    f.stem[5:] + "/*"))
                tests["corpus_" + f.stem[5:]] = [f, *corpus]
        elif kind == "cli":
            for f in sorted((ROOT / "tests/cli").glob("*.test")):
                tests["cli_" + f.stem] = [f]
        elif kind == "mangled":
            tests["mangled"] = [f for f in sorted(
                (ROOT / "tests/mangled").rglob("*")) if f.is_file()]
    return tests


def target_of(name):
    if name.startswith("test_"):
        return name
    return name.replace("corpus_", "fuzz_") if name[:4] == "corp" else "kith_cli"


def command(tree, name):
    b, t = tree / "build", tree / "tests"
    if name.startswith("test_"):
        return [b / "tests/unit" / name]
    if name.startswith("corpus_"):
        kept = t / "fuzz/corpus" / name[7:]
        made = b / "tests/fuzz/seeds" / name[7:]  # by the build, and must open
        return [b / "tests/fuzz" / ("fuzz_" + name[7:]),
                *[kept] * kept.is_dir(), "+", *[made] * made.is_dir()]
    if name.startswith("cli_"):
        return ["sh", t / "cli" / (name[4:] + ".test")]
    return [t / "mangled/run.sh", b / "kith"]


FAILED = re.compile(rb"^(not ok |# \S+\.c:\d+: )")


def run_test(tree, name, cpu, wall, more=()):
    """(None or what went wrong, CPU seconds); stops at the first failure."""
    place = tree / "scratch" / name
    shutil.rmtree(place, ignore_errors=True)
    (place / "tmp").mkdir(parents=True)
    env = dict(os.environ, BUILD=str(tree / "build"), TESTS=str(tree / "tests"),
               KITH=str(tree / "build/kith"), DATA=str(tree / "data"),
               SHARED=str(tree.parent / "shared/data"), LIMIT=str(int(wall)),
               TMPDIR=str(place / "tmp"), OMP_WAIT_POLICY="passive",
               **dict(more))

    def limits():
        os.setsid()
        resource.setrlimit(resource.RLIMIT_CPU, (int(cpu) + 1, int(cpu) + 2))
        # a test has a file of a little more than 1 GiB, most of it a hole
        resource.setrlimit(resource.RLIMIT_FSIZE, (2 * GIB, 2 * GIB))
        # room for a thousand threads, not for all numbers a change can make
        resource.setrlimit(resource.RLIMIT_AS, (32 * GIB, 32 * GIB))

    p = subprocess.Popen(command(tree, name), cwd=place, env=env,
                         stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                         stderr=subprocess.STDOUT, preexec_fn=limits)
    late = threading.Timer(wall, os.killpg, (p.pid, signal.SIGKILL))
    late.start()
    why = None
    for line in p.stdout:
        if FAILED.match(line):
            why = line.decode(errors="replace").strip()
            break
    if why:
        os.killpg(p.pid, signal.SIGKILL)
    p.stdout.close()
    _, status, used = os.wait4(p.pid, 0)
    p.returncode = os.waitstatus_to_exitcode(status)
    late.cancel()
    try:
        os.killpg(p.pid, signal.SIGKILL)  # what it left running
    except ProcessLookupError:
        pass
    shutil.rmtree(place, ignore_errors=True)
    if not why and p.returncode:
        why = f"exit {p.returncode}" if p.returncode > 0 else \
            signal.Signals(-p.returncode).name
    return why, used.ru_utime + used.ru_stime


# ---- which test runs which line ------------------------------------------

def digest(files):
    h = hashlib.sha256()
    for f in files:
        h.update(str(f.relative_to(ROOT)).encode() + f.read_bytes())
    return h.hexdigest()


def source_of(file):
    """A source's path in the tree; ccache may have made it relative."""
    return re.sub(r"^.*(?=\b(src|tools|cli|include)/)", "", file)


def covered(tree, name):
    """{path: [lines]} that one test runs, by gcov, and its CPU seconds."""
    prefix = WORK / "gcda" / name
    shutil.rmtree(prefix, ignore_errors=True)
    why, cpu = run_test(tree, name, 1800, 1800,
                        {"GCOV_PREFIX": str(prefix)}.items())
    if why:
        sys.exit(f"{name} fails without any change: {why}")
    lines = {}
    data = sorted(f for d in ("src", "tools")
                  for f in prefix.rglob(d + "/**/*.gcda"))
    for d in data:
        note = str(d)[len(str(prefix)):-len("gcda")] + "gcno"
        os.symlink(note, str(d)[:-len("gcda")] + "gcno")
    said = subprocess.run(["gcov", "--json-format", "--stdout", *data],
                          stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    for row in said.stdout.splitlines():
        for f in json.loads(row)["files"]:
            path = source_of(f["file"])
            if path.endswith(".c"):
                lines.setdefault(path, set()).update(
                    x["line_number"] for x in f["lines"] if x["count"])
    shutil.rmtree(prefix, ignore_errors=True)
    return {p: sorted(x) for p, x in lines.items() if x}, cpu


def noted(tree):
    """{path: (instrumented lines, [(first, last) of each function])}"""
    notes = {}
    for note in sorted(f for d in ("src", "tools")
                       for f in (tree / "build").rglob(d + "/**/*.gcno")):
        said = subprocess.run(["gcov", "--json-format", "--stdout", note],
                              stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        for f in json.loads(said.stdout)["files"]:
            path = source_of(f["file"])
            if path.endswith(".c"):
                notes[path] = (sorted({x["line_number"] for x in f["lines"]}),
                               [(x["start_line"], x["end_line"])
                                for x in f["functions"]])
    return notes


def map_lines(tests):
    """({name: ({path: lines}, CPU seconds)}, notes), cached where unchanged."""
    tree, cache = WORK / "gcov", WORK / "lines"
    cache.mkdir(parents=True, exist_ok=True)
    shared = [f for d in ("src", "tools", "include", "cli")
              for f in sorted((ROOT / d).rglob("*.[ch]"))]
    source = digest(shared)
    shared += sorted((ROOT / "tests").rglob("*.h"))
    shared += [ROOT / "tests/unit/check.c", *sorted(
        (ROOT / "tests").glob("*/*.sh"))]
    key = digest(shared)
    keys = {n: key + digest(files) for n, files in tests.items()}

    def load(name, key):
        try:
            kept = json.loads((cache / (name + ".json")).read_text())
            return kept["value"] if kept["key"] == key else None
        except (OSError, ValueError):
            return None

    def save(name, key, value):
        (cache / (name + ".json")).write_text(
            json.dumps({"key": key, "value": value}))
        return value

    found = {n: load(n, keys[n]) for n in tests}
    missing = [n for n in tests if not found[n]]
    notes = load("notes", source)
    if missing or not notes:
        print(f"finding the lines that {len(missing)} tests run", flush=True)
        sync(tree)
        build(tree, "-O1 --coverage")
        with concurrent.futures.ThreadPoolExecutor(JOBS) as pool:
            for n, got in zip(missing, pool.map(
                    lambda n: covered(tree, n), missing)):
                found[n] = save(n, keys[n], got)
        if not notes:
            notes = save("notes", source, noted(tree))
    return found, notes


def tests_of(mutant, found, notes):
    """The tests that run a line, quick ones first.

    A statement has several lines and the compiler knows some of them: so those
    of the nearest known lines before and after.  Outside functions: the file."""
    lines, functions = notes.get(mutant.path, ([], []))
    around = [f for f in functions if f[0] <= mutant.line <= f[1]]
    near = set()
    if around:
        inside = [n for n in lines if around[0][0] <= n <= around[0][1]]
        near.update([n for n in inside if n <= mutant.line][-1:])
        if mutant.line not in inside:
            near.update([n for n in inside if n > mutant.line][:1])
    runs = []
    for name, (covers, cpu) in found.items():
        hit = covers.get(mutant.path, [])
        if hit and (not around or near.intersection(hit)):
            runs.append((cpu, name))
    return [name for _, name in sorted(runs)]


# ---- one mutant ----------------------------------------------------------

def object_of(tree, path):
    return tree / "build/CMakeFiles/kith_objects.dir" / (path + ".o")


def judge(mutant, tree, found, notes):
    """Try one; leaves the tree as it was."""
    file = tree / mutant.path
    before = object_of(tree, mutant.path)
    target = str(before.relative_to(tree / "build"))
    kept = before.read_bytes()
    original = file.read_text()
    file.write_text(mutant.text)
    try:
        if not build(tree, "", [target], quiet=True):
            mutant.state = "invalid"
            return
        if before.read_bytes() == kept:
            mutant.state, mutant.why = "same", "by the compiler"
            return
        for name in tests_of(mutant, found, notes):
            if not build(tree, "", [target_of(name)], quiet=True):
                mutant.state = "invalid"
                return
            cpu = found[name][1]
            why, _ = run_test(tree, name, 5 * cpu + 5, 60 * cpu + 120)
            if why:
                mutant.state, mutant.why = "killed", f"{name}: {why}"
                return
        mutant.state = "survived"
    finally:
        file.write_text(original)
        build(tree, "", [target], quiet=True)


def main():
    n = int(os.environ.get("N") or 100)
    seed = os.environ.get("SEED") or "1"
    prefix = os.environ.get("FOLDER") or "src"
    known = read_equivalent()
    tests = list_tests()
    found, notes = map_lines(tests)
    trees = queue.Queue()
    for k in range(JOBS):
        tree = WORK / f"tree{k}"
        sync(tree)
        build(tree, "-O2")
        trees.put(tree)

    waiting = drawn(seed, prefix)
    if ":" in prefix:
        n = len(waiting)
    done, lock = [], threading.Lock()
    began = time.time()

    def work():
        tree = trees.get()
        while True:
            with lock:
                busy = sum(m.state != "invalid" for m in done)
                if busy >= n or not waiting:
                    return
                m = waiting.pop(0)
                done.append(m)
            judge(m, tree, found, notes)
            if m.state == "survived" and not {
                    (m.path, m.old, m.new), (m.path, m.old, "*")}.isdisjoint(
                    known):
                m.state, m.why = "same", "listed"
            if m.state != "invalid":
                print(f"{m.state:9} {m.place()}: {m.new}"
                      f"{'  # ' + m.why[:90] if m.why else ''}", flush=True)

    threads = [threading.Thread(target=work) for _ in range(JOBS)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    report([m for m in done if m.state != "invalid"], time.time() - began)


def report(done, took):
    alive = sorted((m for m in done if m.state == "survived"),
                   key=lambda m: (m.path, m.line))
    print(f"\nsurvivors, as stanzas for {EQUIVALENT.relative_to(ROOT)}:")
    for m in alive:
        print(f"\n# line {m.line}\n{m.path}\n- {m.old}\n+ {m.new}")
    print("\nfolder          killed  survived  equivalent")
    counts = {}
    for m in done:
        for folder in (os.path.dirname(m.path), "total"):
            row = counts.setdefault(folder, {})
            row[m.state] = row.get(m.state, 0) + 1
    for folder in sorted(counts, key=lambda f: (f == "total", f)):
        c = counts[folder]
        print(f"{folder:16}{c.get('killed', 0):6}{c.get('survived', 0):10}"
              f"{c.get('same', 0):12}")
    c = counts.get("total", {})
    killed, survived = c.get("killed", 0), c.get("survived", 0)
    print(f"{killed} killed, {survived} survived, {c.get('same', 0)} equivalent"
          f" ({100 * killed / max(1, killed + survived):.1f} % of those that"
          f" differ killed, {took:.0f} s)")
    sys.exit(survived > 0)


if __name__ == "__main__":
    main()
