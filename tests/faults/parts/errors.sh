#!/bin/bash
# errors.sh: system calls about files that fail: each of them in turn with EIO,
# EINTR, ENOSPC or as a short write, and a disk that is full from one on.  All
# outputs are old or all are new; success means new; nothing is left over.
# shellcheck source=../cases.sh
. "$TESTS/faults/cases.sh"
for_all "a call fails" EIO EINTR ENOSPC full short plain,EIO
