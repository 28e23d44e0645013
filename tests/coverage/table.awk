# table.awk: gcov's annotated sources to a table of folders on stdout and what
# never ran, file by file, in `details`.  A header is annotated once per file
# that includes it: a line has run if it ran in any of them.

BEGIN { least = 80 }

/^ +-: +0:Source:/ {
    file = $0
    sub(/^ +-: +0:Source:/, "", file)
    sub(/^.*\/\.\.\//, "", file)
    if (match(file, /((src|tools)\/[a-z_]+|cli)\/[a-z0-9_]+\.[ch]$/))
        file = substr(file, RSTART)
    else
        file = ""
    place = ""
}
file == "" { next }

/^function / {
    if ($4 > called[file, $2] + 0)
        called[file, $2] = $4
    if (!((file, $2) in known)) {
        known[file, $2] = 1
        functions[file] = functions[file] " " $2
    }
}

# "    count:   line:text"; "-" is no code, "#####" and "=====" never ran
match($0, /^ *[0-9#=-]+\*?: *[0-9]+:/) {
    split(substr($0, 1, RLENGTH), part, ":")
    number = part[2] + 0
    if (part[1] ~ /-/)
        next
    if (number != place)
        nth = 0
    place = number
    if (!(file in last)) {
        files[++n_files] = file
        last[file] = 0
    }
    if (number > last[file])
        last[file] = number
    ran[file, number] += part[1] !~ /[#=]/
}

/^branch / {
    key = file SUBSEP place SUBSEP nth++
    if (!(key in taken)) {
        branches[file]++
        taken[key] = 0
    }
    if (!taken[key] && $3 == "taken" && $4 > 0) {
        taken[key] = 1
        went[file]++
    }
}

function percent(part, whole) { return whole ? 100 * part / whole : 100 }

# The lines of a file that never ran, as ranges; comments do not break them.
function holes(file,    i, from, to, text) {
    for (i = 1; i <= last[file] + 1; i++) {
        if ((file, i) in ran && !ran[file, i]) {
            from = from ? from : i
            to = i
        } else if (from && ((file, i) in ran || i > last[file])) {
            text = text " " (from == to ? from : from "-" to)
            from = 0
        }
    }
    return text
}

function describe(file,    i, name, n, never) {
    for (i = 1; i <= last[file]; i++)
        if ((file, i) in ran) {
            lines[file]++
            good[file] += ran[file, i] > 0
        }
    n = split(functions[file], name, " ")
    for (i = 1; i <= n; i++)
        if (called[file, name[i]] == 0)
            never = never " " name[i]
    printf "%s: %.1f %% of %d lines, %.1f %% of %d branches\n", file, \
        percent(good[file], lines[file]), lines[file], \
        percent(went[file], branches[file]), branches[file] > details
    if (never != "")
        print "    never called:" never > details
    if (good[file] < lines[file])
        print "    never ran:" holes(file) > details
}

function row(name, lines, good, branches, went) {
    printf "| %s | %d | %.1f %% | %d | %.1f %% |\n", name, lines, \
        percent(good, lines), branches, percent(went, branches)
}

function add(folder, file) {
    all_lines[folder] += lines[file]
    all_good[folder] += good[file]
    all_branches[folder] += branches[file]
    all_went[folder] += went[file]
}

function sort(a, n,    i, j, x) {
    for (i = 2; i <= n; i++) {
        x = a[i]
        for (j = i; j > 1 && a[j - 1] > x; j--)
            a[j] = a[j - 1]
        a[j] = x
    }
}

END {
    sort(files, n_files)
    print "| folder | lines | run | branches | taken |"
    print "|---|---|---|---|---|"
    for (i = 1; i <= n_files; i++) {
        folder = files[i]
        sub(/\/[^\/]*$/, "", folder)
        if (folder != folders[n_folders])
            folders[++n_folders] = folder
        describe(files[i])
        add(folder, files[i])
        add("all", files[i])
    }
    folders[++n_folders] = "all"
    for (i = 1; i <= n_folders; i++) {
        f = folders[i]
        row(f, all_lines[f], all_good[f], all_branches[f], all_went[f])
    }
    for (i = 1; i <= n_files; i++) {
        f = files[i]
        if (percent(good[f], lines[f]) < least)
            printf "below %d %% of lines: %s, %.1f %% of %d\n", least, f, \
                percent(good[f], lines[f]), lines[f]
    }
}
