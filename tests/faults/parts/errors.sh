# errors.sh: system calls about files that fail: each of them in turn with EIO,
# EINTR, ENOSPC or as a short write, and a disk that is full from one on.  All
# outputs are old or all are new; success means new; nothing is left over.
. "$TESTS/faults/cases.sh"
for_all EIO EINTR ENOSPC full short plain,EIO
