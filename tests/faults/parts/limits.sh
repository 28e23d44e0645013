#!/bin/bash
# limits.sh: every command under limits of addresses, threads, open files, file
# sizes and stack, from hardly anything to enough.  Each run must do its work or
# say what it lacks: `kith: ...`, exit 1, and leave the old output as it was.
#
# Environment: KITH, FAULTS=short|full, UNTIL (a second of date +%s; each row has
# its share of the time until then), LEFT_OUT (a file for the number of tries that
# there was no time for); an empty folder to work in.  Prints a row for each command
# and limit:
#     command  kind  tried  old  new  mixed  half  litter  crash  hang
set -u
export LC_ALL=C OMP_WAIT_POLICY=passive
short=$([ "${FAULTS:-short}" = full ] || echo yes)
work=$PWD/limits
mkdir -p "$work" && cd "$work" || exit 2

say() { echo "limits: $*" >&2; }

# ---- what the commands read --------------------------------------------------

prepare() {
    # a copy that any user can start, for the limit that root does not have
    cp "$KITH" kith && chmod 755 kith || return 1
    "$KITH" graph generate sbm --nodes 3000 --classes 3 --features 40 -o data \
        -q --seed 5 || return 1
    "$KITH" graph convert data/graph.kg edges.tsv -q || return 1
    "$KITH" classify data --split 0 --method lcm --no-tune --save model.km -q ||
        return 1
    mkdir -p out && chmod -R a+rX . && chmod 777 out
}

# command NAME: its words; what it writes is out/table or its standard output.
command_words() {
    case $1 in
    "graph build") words="graph build $work/edges.tsv -o $work/out/table" ;;
    predict) words="predict --model $work/model.km $work/data -o $work/out/table" ;;
    explain) words="explain $work/model.km 7 --graph $work/data" ;;
    eval) words="eval $work/data --methods linbp,logreg --train-per-class 20 --val 100 --trials 1" ;;
    "classify "*)
        words="classify $work/data --split 0 --method ${1#classify } --no-tune -o $work/out/table"
        [ "$1" != "classify gcn" ] || words="$words --iterations 5" ;;
    esac
    case $1 in explain | eval) ;; *) words="$words -q" ;; esac
}

# What a run did that cannot be compared byte by byte is compared without it:
# times, and the digits that another way of multiplying rounds differently.
settled() {
    case $name in
    eval) sed -E 's/ +[0-9]+\.[0-9]{3}$//' ;; # seconds
    "classify gcn") cut -f 1,2 ;;
    *) cat ;;
    esac
}

# ---- one run -----------------------------------------------------------------

# attempt LIMIT...: run the command under `prlimit LIMIT...`; counts it.
attempt() {
    local code
    rm -rf out/* && [ "$name" = explain ] || [ "$name" = eval ] ||
        { echo old >out/table && chmod 666 out/table; }
    tried=$((tried + 1))
    # The pipe has no limit of its size, so that the message arrives.  A minute
    # of processor time is too long, or five of the clock: others may use it, too.
    # shellcheck disable=SC2086 # words are words
    (ulimit -S -t 60 && exec timeout -k 5 300 $as_other \
        prlimit "$@" "$work/kith" $words) 2>&1 >stdout </dev/null | cat >stderr
    code=${PIPESTATUS[0]}
    judge "$code" "$*"
}

# shown: what came out, of a run or (new) of the one without limits.
shown() {
    if [ -f out/table ]; then settled <out/table; else settled <stdout; fi
}

judge() { # EXIT LIMITS
    local now
    [ "$(ls -A out)" = "$([ -f out/table ] && echo table)" ] ||
        { litter=$((litter + 1)); say "$name $2: left $(ls -A out)"; return; }
    now=$(shown | cksum)
    case $1 in
    0)
        if [ "$now" = "${reference:-$now}" ]; then new=$((new + 1)); return; fi
        mixed=$((mixed + 1)) && say "$name $2: another answer" ;;
    1)
        if grep -qv '^kith: ' stderr || [ ! -s stderr ]; then
            crash=$((crash + 1)) && say "$name $2: $(head -n 3 stderr)"
        elif [ -f out/table ] && [ "$(cat out/table)" != old ]; then
            half=$((half + 1)) && say "$name $2: half an output"
        else
            old=$((old + 1))
        fi ;;
    124 | 137 | 152) hang=$((hang + 1)) && say "$name $2: does not end" ;;
    *) crash=$((crash + 1)) && say "$name $2: exit $1: $(head -n 3 stderr)" ;;
    esac
}

# share TRIES: when a row of so many ends, all that are left being alike.
share() {
    local now
    now=$(date +%s)
    [ -z "${UNTIL:-}" ] || end=$((now + (UNTIL - now) * $1 / (left > $1 ? left : $1)))
    left=$((left - $1))
}

# row NAME KIND LIMIT VALUE...
row() {
    name=$1
    local kind=$2 limit=$3 value
    shift 3
    tried=0 old=0 new=0 mixed=0 half=0 litter=0 crash=0 hang=0 as_other=
    command_words "$name"
    reference=
    attempt # without any: what it must be
    reference=$(shown | cksum)
    tried=0 old=0 new=0 mixed=0
    [ "$limit" != nproc ] || as_other=$other
    share $#
    for value in $(shuf --random-source=<(yes) -e "$@"); do
        if [ $tried -gt 0 ] && [ "$(date +%s)" -ge "${end:-9999999999}" ]; then
            left_out=$((left_out + 1))
        else
            attempt "--$limit=$value"
        fi
    done
    printf '%s\t%s\t%d\t%d\t%d\t%d\t%d\t%d\t%d\t%d\n' "$name" "$kind" \
        "$tried" "$old" "$new" "$mixed" "$half" "$litter" "$crash" "$hang"
}

# ---- the ladders -------------------------------------------------------------

# The least addresses, in KiB, with which the program can be loaded at all:
# below that the system's loader ends it.
floor_kib() {
    local kib=4096
    until prlimit --as=$((kib * 1024)) "$work/kith" --version >/dev/null 2>&1; do
        kib=$((kib + 256))
    done
    echo "$kib"
}

# addresses STEPS...: bytes, that many KiB above the floor
addresses() {
    local step
    for step; do echo $(((floor + step) * 1024)); done
}

prepare || { say "cannot prepare"; exit 1; }
floor=$(floor_kib)
if [ -n "$short" ]; then
    as=$(addresses 0 300 700 1500 3000 6000 12000 25000 400000 700000)
    commands="graph build:classify linbp:classify lcm:classify gcn:predict:explain:eval"
    files="4 5 6 8" sizes="0 1 4096 20000" stacks="65536 1048576" procs="1"
else
    # shellcheck disable=SC2046
    as=$(addresses $(seq 0 150 6000) $(seq 6500 500 16000) 20000 25000 50000 \
        100000 200000 300000 400000 500000 600000 700000 800000 1000000)
    commands="graph build:classify linbp:classify lcm:classify lcm-em:classify gcn:predict:explain:eval"
    files="4 5 6 7 8 9 10 12 16" sizes="0 1 100 4095 4096 8192 16384 20000 65536 1000000"
    stacks="32768 65536 262144 1048575 1048576 2097152 16777216" procs="1 2 3"
fi

# Root has no limit of processes; be nobody for that.
other=
if [ "$(id -u)" = 0 ]; then
    other="setpriv --reuid=65534 --regid=65534 --clear-groups"
    # shellcheck disable=SC2086
    $other "$work/kith" --version >/dev/null 2>&1 || other=no
fi

# shellcheck disable=SC2086,SC2206 # words
{
    each=($as $files $sizes $stacks $procs)
    IFS=:
    names=($commands)
}
left=$((${#each[@]} * ${#names[@]})) left_out=0
for name in "${names[@]}"; do
    IFS=$' \t\n'
    # shellcheck disable=SC2086
    {
        row "$name" "limit of memory" as $as
        row "$name" "limit of open files" nofile $files
        row "$name" "limit of file size" fsize $sizes
        row "$name" "limit of stack" stack $stacks
        if [ "$other" = no ]; then
            say "$name: no limit of processes tried: root has none, and nobody" \
                "cannot start $work/kith"
        else
            row "$name" "limit of processes" nproc $procs
        fi
    }
done
echo $left_out >>"${LEFT_OUT:-/dev/null}"
