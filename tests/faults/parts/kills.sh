# kills.sh: commands killed at every system call about files.  Afterwards, or
# after the next command where a list of outputs was left to it, all outputs are
# old or all are new; after the next run of the command nothing is left over.
. "$TESTS/faults/cases.sh"
for_all kill plain,kill
