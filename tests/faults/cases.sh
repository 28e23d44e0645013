#!/bin/bash
# cases.sh: commands that replace files, and the two states that a fault may
# leave; sourced by the parts that use tests/faults/fault.
#
#     for_all WHAT KIND...: a row for every case on standard output, for all
#                           these kinds of faults together, which WHAT names
#
# A case is a folder: in/ what it reads, old/ its outputs before, new/ after,
# and the files `command`, `next` (a command that reads what was written, as the
# next one might) and `name`.  `cases.sh KIND CASE` is one row of that, in a
# folder of its own, so that several run at once: they wait for the disk.  LEFT
# says how many rows there are from it on; they share the time until UNTIL.
set -u

fault=$BUILD/tests/faults/fault

# ---- the cases --------------------------------------------------------------

# begin FOLDER NAME: a new case, in whose old/ the commands that follow run.
begin() {
    here=$PWD/$1
    mkdir -p "$here/old" "$here/in"
    echo "$2" >"$here/name"
    cd "$here/old" || exit 2
}

# command WORDS...: the command; next WORDS...: one that reads its outputs.
command_is() { printf '%s\n' "$@" >"$here/command"; }
next_is() { printf '%s\n' "$@" >"$here/next"; }

# kith WHICH [TOOL...]: run the case's `command` or `next`, by a tool.
kith() {
    local which=$1 words
    shift
    mapfile -t words <"$here/$which"
    "$@" "$KITH" "${words[@]}" -q
}

# end: make new/ by running the command undisturbed on old/.
end() {
    cp -a "$here/old" "$here/new"
    (cd "$here/new" && kith command >/dev/null) || {
        echo "$(cat "$here/name") fails undisturbed" >&2
        exit 1
    }
    if leftovers "$here/new"; then
        echo "$(cat "$here/name") leaves litter undisturbed" >&2
        exit 1
    fi
    if cmp -s <(tar c -C "$here" old --transform s/old/x/) \
        <(tar c -C "$here" new --transform s/new/x/); then
        echo "$(cat "$here/name") changes nothing" >&2
        exit 1
    fi
    cd "$here/.." || exit 2
}

make_inputs() {
    printf 'a\tb\nb\tc\nc\td\nd\ta\n' >old.tsv
    printf 'x\ty\ny\tz\nz\tx\nz\tw\nw\tv\n' >new.tsv
    printf '0\t1\n1\t2\n2\t3\n' >numbers.tsv
    printf '1\tone\n34\ttwo\n' >known.tsv
    printf '1\tone\n2\tone\n34\ttwo\n33\ttwo\n' >more.tsv
    "$KITH" graph convert "$DATA/karate" karate -q
    mkdir karate/splits karate/splits/0
    seq 1 6 >karate/splits/0/train.txt
    seq 20 34 >karate/splits/0/test.txt
    "$KITH" classify "$DATA/karate" --labels known.tsv --method lcm --no-tune \
        -q --save lcm.km
}

make_cases() {
    local in=../../inputs karate=../../inputs/karate
    mkdir inputs
    (cd inputs && make_inputs) || exit 1

    begin build "graph build -o"
    "$KITH" graph build $in/old.tsv -q -o g.kg
    command_is graph build $in/new.tsv -o g.kg
    next_is graph info g.kg
    end

    begin spill "graph build --memory -o"
    "$KITH" graph build $in/old.tsv -q -o g.kg
    command_is graph build $karate -o g.kg --memory 64M
    next_is graph info g.kg
    end

    begin pair "graph convert, with a list of nodes"
    "$KITH" graph convert $in/old.tsv g.mtx -q
    command_is graph convert $in/new.tsv g.mtx
    next_is graph info g.mtx
    end

    begin unlist "graph convert, without one any more"
    "$KITH" graph convert $in/old.tsv g.npz -q
    command_is graph convert $in/numbers.tsv g.npz
    next_is graph info g.npz
    end

    begin folder "graph convert --force"
    "$KITH" graph convert $in/old.tsv set/ -q
    command_is graph convert $karate set/ --force
    next_is graph info set
    end

    begin again "graph generate --train -o FILE.kg"
    "$KITH" graph generate sbm --nodes 60 --classes 2 --seed 1 --train 4 \
        --val 4 --test 9 -q -o s.kg
    command_is graph generate sbm --nodes 50 --classes 2 --seed 2 --train 3 \
        --val 0 --test 8 -o s.kg
    next_is graph info s.kg
    end

    begin first "graph generate --train -o FILE.kg, for the first time"
    command_is graph generate sbm --nodes 50 --classes 2 --train 3 --test 8 \
        -o s.kg
    next_is graph info s.kg
    end

    begin classify "classify -o --save --save-solution --report"
    "$KITH" classify $karate --labels $in/known.tsv --method linbp --no-tune \
        -q -o out.tsv --save m.km --save-solution m.ks --report page.html
    command_is classify $karate --labels $in/more.tsv --method linbp --no-tune \
        -o out.tsv --save m.km --save-solution m.ks --report page.html
    next_is predict --model m.km $karate
    end

    begin predict "predict -o"
    echo old >out.tsv
    command_is predict --model $in/lcm.km $karate -o out.tsv
    end

    begin explain "explain --html -o"
    echo old >why.html
    command_is explain $in/lcm.km 5 --graph $karate --html -o why.html
    end

    begin rank "rank -o"
    echo old >list.tsv
    command_is rank $karate --labels $in/more.tsv --positive two --method linbp \
        --no-tune --budget 5 -o list.tsv
    end

    begin eval "eval -o"
    echo old >table.md
    command_is eval $karate --methods linbp --splits 0 --no-tune --markdown \
        -o table.md
    end
}

# ---- one try ----------------------------------------------------------------

# same_as STATE: are the outputs in w/ those?  Seconds in eval's table may differ.
same_as() {
    if [ "$(cat "$here/name")" = "eval -o" ]; then
        cmp -s <(tr -d 0-9. <"$here/$1/table.md") <(tr -d 0-9. <w/table.md)
    else
        diff -r -q --exclude='.*.kith-*' "$here/$1" w >/dev/null 2>&1
    fi
}

# Are all files there as they are in one of the states?
each_whole() {
    local file
    while read -r file; do
        cmp -s "w/$file" "$here/old/$file" || cmp -s "w/$file" "$here/new/$file" ||
            return 1
    done < <(cd w && find . -type f ! -name '.*.kith-*')
}

leftovers() { [ -n "$(find "${1:-w}" -name '.*kith-*' -print -quit)" ]; }

# try KIND N: run the command with that fault; what came of it, one word.
try() {
    local status state
    rm -rf w && cp -a "$here/old" w || exit 2
    (cd w && kith command "$fault" "$1" "$2" ../count >../stdout 2>../stderr)
    status=$?
    [ "$(tail -n 1 count)" = yes ] || { echo none; return; }
    [ $status -ne 124 ] || { echo hang; return; }
    if [ $status -gt 128 ] && [ "${1#*kill}" = "$1" ]; then echo crash; return; fi
    if [ $status -gt 0 ] && [ $status -lt 126 ] && [ ! -s stderr ]; then
        echo "no word: $1 $2" >&2
        echo crash
        return
    fi
    # A list of outputs says that the next command is to finish.
    if [ $status -ne 0 ] && ls -d w/.*.kith-set >/dev/null 2>&1; then
        same_as old || same_as new || echo "$1 $2" >>between
        (cd w && kith next >/dev/null 2>&1)
    fi
    if [ $status -ne 0 ] && same_as old; then state=old
    elif same_as new; then state=new
    elif each_whole; then state=mixed
    else state=half
    fi
    if leftovers; then
        (cd w && kith command >/dev/null 2>&1)
        if leftovers || ! same_as new; then state=litter; fi
    fi
    case $state in mixed | half | litter)
        echo "$state: $(cat "$here/name"): $1 $2, exit $status: $(find w)" >&2 ;;
    esac
    echo "$state"
}

# ---- all of them ------------------------------------------------------------

# calls KIND: the numbers of the calls that the fault can happen to; on a plain
# file system from the first that writes on, which are the others.  In the short
# form one in EVERY is drawn, and few of those before the first that writes.
calls() {
    local kind=$1 letters=rws every=$EVERY
    case $kind in
    *short) letters=w ;;
    *ENOSPC | *full) letters=ws ;;
    esac
    [ "$letters" = rws ] || every=$(((every + 3) / 4))
    case $kind in plain*) kind=plain ;; *) kind=none ;; esac
    rm -rf w && cp -a "$here/old" w || exit 2
    (cd w && kith command "$fault" $kind 0 ../count >/dev/null) || exit
    head -n 1 count | awk -v letters="$letters" -v every="$every" \
        -v kind="$kind" -v seed="$SEED" '{
            n = length($0)
            srand(seed)
            few = kind == "plain" ? 1e9 : every > 1 ? 5 : 1
            for (i = 1; i <= n; i++) {
                letter = substr($0, i, 1)
                few = letter == "r" ? few : 1
                if (!index(letters, letter))
                    continue
                last = i
                if (rand() * every * few < 1) { print i; last = 0 }
            }
            if (last) print last
        }'
}

# row KIND: try a kind of fault at all calls of the case, in a random order while
# there is time, and print its row.
row() {
    local now n end once=
    now=$(date +%s)
    end=$((now + (${UNTIL:-$now} - now) * ATONCE / (LEFT > ATONCE ? LEFT : ATONCE)))
    for n in $(calls "$1" | shuf --random-source=<(yes "$SEED")); do
        if [ -n "${UNTIL:-}" ] && [ -n "$once" ] &&
            [ "$(date +%s)" -ge $end ]; then
            echo "$n" >>left-out
        else
            try "$1" "$n"
            once=yes
        fi
    done |
        awk -v OFS='\t' -v name="$(cat "$here/name")" '
            $1 != "none" { n[$1]++; tried++ }
            END {
                print name, "", tried + 0, n["old"] + 0, n["new"] + 0,
                    n["mixed"] + 0, n["half"] + 0, n["litter"] + 0,
                    n["crash"] + 0, n["hang"] + 0
            }'
}

for_all() {
    local what=$1 kind case status
    shift
    "$fault" none 0 - true
    status=$?
    if [ $status -ne 0 ]; then
        echo "skipped: this system does not let system calls be caught" >&2
        exit 0
    fi
    make_cases
    for kind; do
        for case in */old; do echo "$kind $(dirname "$case")"; done
    done | tac | awk '{ print $0, NR }' | tac |
        xargs -P $ATONCE -L 1 "$TESTS/faults/cases.sh"
    cat ./*.row | awk -F '\t' -v OFS='\t' -v what="$what" '
        {
            if (!($1 in seen)) name[++n] = $1
            seen[$1] = 1
            for (i = 3; i <= 10; i++) sum[$1, i] += $i
        }
        END {
            for (k = 1; k <= n; k++) {
                row = name[k] OFS what
                for (i = 3; i <= 10; i++) row = row OFS sum[name[k], i]
                print row
            }
        }'
    echo "$(cat try-*/between 2>/dev/null | wc -l) tries ended between two" \
        "renames of a set; the next command finished them" >&2
    cat try-*/left-out 2>/dev/null | wc -l >>"${LEFT_OUT:-/dev/null}"
}

SEED=${SEED:-1}
EVERY=${EVERY:-$([ "$FAULTS" = short ] && echo 12 || echo 1)}
ATONCE=$((3 * $(nproc)))
export SEED EVERY

if [ "${BASH_SOURCE[0]}" = "$0" ]; then
    here=$PWD/$2 LEFT=$3
    mkdir "try-$2-$1" && cd "try-$2-$1" && row "$1" >"../$2-$1.row"
fi
