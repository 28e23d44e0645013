#!/bin/sh
# layers.sh: who may include whom.  Prints each include that breaks a rule;
# exit 1 if there is one.
#
#   core <- graph <- io <- data <- generate       nothing points back
#           graph <- kernels <- engines, nn <- models <- eval <- report
#   tools/, which are parts of the command, use all of these
#   every file of the library may include kith/*.h
#   include/kith/*.h include one another and the system's headers
#   cli/ and examples/ see only kith/kith.h, their own headers, and the system's;
#   cli/ also bench/bench.h and paper/paper.h of tools/
#   each library we depend on is included in one place
set -u
cd "$(dirname "$0")/../.." || exit 2

# FILE:LINE:#include "x" or <x>, as "FILE LINE STYLE NAME"
includes() {
    find "$@" -name '*.[ch]' -exec grep -nHE '^[ 	]*#[ 	]*include' {} + 2>/dev/null |
        sed -nE 's/^([^:]*):([0-9]+):[^"<]*(["<])([^">]*)[">].*/\1 \2 \3 \4/p'
}

includes include src tools cli examples | LC_ALL=C sort | awk '
    BEGIN {
        may["core"] = " core "
        may["graph"] = " core graph "
        may["io"] = " core graph io "
        may["data"] = " core graph io data "
        may["generate"] = " core graph io data generate "
        may["kernels"] = " core graph kernels "
        may["engines"] = " core graph kernels engines "
        may["nn"] = " core graph kernels nn "
        may["models"] = " core graph io data kernels engines nn models "
        may["eval"] = " core graph io data kernels engines nn models eval "
        may["report"] = may["eval"] "report "
        may["paper"] = may["report"] "generate paper "
        may["bench"] = " core graph io kernels bench "
        # where a header of another project may be included
        only["zlib.h"] = "^src/io/"
        only["zstd.h"] = "^src/io/"
        only["expat.h"] = "^src/io/xml.c$"
        only["sqlite3.h"] = "^src/io/sqlite.c$"
        only["xxhash.h"] = "^(src|tools)/"
        only["omp.h"] = "^src/core/"
        only["cblas.h"] = "^src/kernels/gemm.c$"
        only["xgboost/c_api.h"] = "^src/models/potentials/boosted_trees.c$"
        only["lbfgs.h"] = "^src/models/"
        only["mpi.h"] = only["petsc.h"] = "^src/engines/petsc/"
    }
    function wrong(why) {
        printf "%s:%d: includes %s: %s\n", $1, $2, $4, why
        bad = 1
    }
    {
        split($1, dir, "/"); split($4, inc, "/")
        public = $4 ~ /^kith\//
        if ($4 in only && $1 !~ only[$4])
            wrong("only files matching " only[$4] " may")
        if ($4 ~ /\.\.\// || $4 ~ /\.c$/)
            wrong("name the file from the root of the sources")
    }
    dir[1] == "include" && $3 == "\"" && !public {
        wrong("a public header cannot include a private one")
    }
    dir[1] ~ /^(src|tools)$/ && !(dir[2] in may) {
        if (!(dir[2] in told)) wrong("layer " dir[2] " is not in layers.sh")
        told[dir[2]] = 1
        next
    }
    dir[1] ~ /^(src|tools)$/ && $3 == "\"" && !public {
        if ($4 !~ /\//)
            wrong("write \"" dir[2] "/" $4 "\"")
        else if (index(may[dir[2]], " " inc[1] " ") == 0)
            wrong(dir[2] " stands below " inc[1])
    }
    dir[1] ~ /^(cli|examples)$/ {
        if (public && $4 != "kith/kith.h")
            wrong("include kith/kith.h")
        else if (dir[1] == "cli" && $4 ~ /^(bench\/bench|paper\/paper)\.h$/)
            next
        else if ($3 == "\"" && !public && $4 ~ /\// && inc[1] != dir[1])
            wrong(dir[1] " may use only what users have: kith/kith.h")
    }
    END { exit bad }'
