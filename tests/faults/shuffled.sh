# shellcheck shell=sh
# shuffled.sh: the same data set under text ids and in another order; sourced by
# tests/cli/shuffle.test and tests/faults/parts/shuffles.sh.

# order SEED: standard input in a random order.
order() {
    awk -v seed="$1" 'BEGIN { srand(seed) } { print rand() "\t" $0 }' |
        sort -k 1,1 | cut -f 2-
}

# named FROM TO: data set FROM, its ids turned into text: 7 -> n-7.
# known.tsv has the labels of about half of the nodes.
named() {
    mkdir "$2"
    grep -v '^[#%]' "$1/edges.tsv" | awk -F '\t' -v OFS='\t' \
        '{ $1 = "n-" $1; $2 = "n-" $2; print }' >"$2/edges.tsv"
    grep -v "^#" "$1/labels.tsv" | sed "s/^/n-/" >"$2/labels.tsv"
    awk 'NR % 2' "$2/labels.tsv" >"$2/known.tsv"
    [ -f "$1/features.mtx" ] || return 0
    cp "$1/features.mtx" "$2/features.mtx"
    awk '!/^%/ { for (r = 0; r < $1; r++) print "n-" r; exit }' \
        "$1/features.mtx" >"$2/nodes.txt"
}

# shuffled FROM TO SEED: data set FROM, its lines in another order, half of its
# edges turned round, the rows of its features (of kind coordinate) elsewhere.
shuffled() {
    mkdir "$2"
    order "$3" <"$1/edges.tsv" | awk -F '\t' -v OFS='\t' \
        'NR % 2 { u = $1; $1 = $2; $2 = u } { print }' >"$2/edges.tsv"
    for file in labels.tsv known.tsv; do
        order "$3" <"$1/$file" >"$2/$file"
    done
    [ -f "$1/features.mtx" ] || return 0
    order "$3" <"$1/nodes.txt" >"$2/nodes.txt"
    awk 'FILENAME == ARGV[1] { was[FNR] = $0; next }
         FILENAME == ARGV[2] { row[$0] = FNR; next }
         /^%/ || !seen++ { print; next }
         { $1 = row[was[$1]]; print }' \
        "$1/nodes.txt" "$2/nodes.txt" "$1/features.mtx" >"$2/features.mtx"
}

# other_answer A B: fails, and says how, if the tables of predictions differ: in
# the label of more than one node in 5,000, or in a probability by over .001.
other_answer() {
    sort "$1" >a.sorted
    sort "$2" | awk -F '\t' '
        FILENAME == ARGV[1] {
            if ($1 == "node")
                for (i = 1; i <= NF; i++)
                    if ($i == "confidence") first = i + 1
            label[$1] = $2
            for (i = 3; i <= NF; i++) p[$1, i] = $i
            next
        }
        $1 == "node" { next }
        {
            n++
            others += label[$1] != $2
            for (i = first; i <= NF; i++) {
                d = p[$1, i] - $i
                if (d < 0) d = -d
                if (d > most) most = d
            }
        }
        END {
            if (n > 0 && others <= n / 5000 && most <= .001) exit 0
            printf "%d of %d labels, p by %.2g\n", others, n, most
            exit 1
        }' a.sorted -
}
