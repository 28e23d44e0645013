#!/bin/sh
# memcheck.sh PROGRAM [ARGUMENT...]: run it under valgrind; what is found goes
# to files in $MEMCHECK_LOGS, so that the output stays the program's own.
# Leaks: those that nothing points to any more; what libgomp and OpenBLAS keep
# for the life of the process is still reachable.
exec valgrind -q --max-threads=2000 --leak-check=full --show-leak-kinds=definite \
    --errors-for-leak-kinds=definite --num-callers=30 --fair-sched=try \
    --child-silent-after-fork=no --log-file="${MEMCHECK_LOGS:?}/%p" "$@"
