/*
 * job.h: threads and progress of one call.
 */
#ifndef KITH_CORE_JOB_H
#define KITH_CORE_JOB_H

#include "core/status.h"

/* Threads to use: what the job says, else all cores; at most 1024, and no more
 * than the system lets us start. */
int kith__threads(const kith_job *job);

/* How many threads there can be at once, the caller being one: 1 .. wanted. */
int kith__threads_possible(int wanted);

/* The number of the thread that asks, 0 for the one that began. */
int kith__thread_number(void);

/* Tell how far the work is; KITH_ERR_CANCELLED if the caller wants to stop. */
kith_status kith__progress(const kith_job *job, const char *stage, int64_t done,
                           int64_t total, const char *unit, kith_error *err);

#endif
