#include "core/job.h"

#include <pthread.h>
#ifdef _OPENMP
#include <omp.h>
#endif

enum { MOST_THREADS = 1024 };

static void *wait_at(void *gate)
{
    pthread_mutex_lock(gate);
    pthread_mutex_unlock(gate);
    return NULL;
}

int kith__threads_possible(int wanted)
{
    pthread_mutex_t gate = PTHREAD_MUTEX_INITIALIZER;
    pthread_t started[MOST_THREADS];
    int n = 0;

    wanted = wanted < MOST_THREADS ? wanted : MOST_THREADS;
    pthread_mutex_lock(&gate); /* so that all live at once */
    while (n + 1 < wanted &&
           pthread_create(&started[n], NULL, wait_at, &gate) == 0)
        n++;
    pthread_mutex_unlock(&gate);
    for (int i = 0; i < n; i++)
        pthread_join(started[i], NULL);
    return n + 1;
}

#ifdef _OPENMP
/*
 * OpenMP ends the program if a thread cannot be started.  So try whether as
 * many can be had, and then have OpenMP start them, while there is room: it
 * keeps them, for each thread that calls, until it is asked for another number.
 */
static int settle(int wanted)
{
    static _Thread_local int settled
        __attribute__((tls_model("initial-exec"))); /* threads that it keeps */

    if (wanted > settled && !omp_in_parallel()) {
        wanted = kith__threads_possible(wanted);
#pragma omp parallel num_threads(wanted)
        (void)omp_get_thread_num();
    }
    if (!omp_in_parallel())
        settled = wanted;
    return wanted;
}
#endif

int kith__threads(const kith_job *job)
{
#ifdef _OPENMP
    const int asked = job ? job->threads : 0;
    const int threads = asked > 0 ? asked : omp_get_num_procs();

    return settle(threads < 1              ? 1
                  : threads > MOST_THREADS ? MOST_THREADS
                                           : threads);
#else
    (void)job;
    return 1;
#endif
}

int kith__thread_number(void)
{
#ifdef _OPENMP
    return omp_get_thread_num();
#else
    return 0;
#endif
}

kith_status kith__progress(const kith_job *job, const char *stage, int64_t done,
                           int64_t total, const char *unit, kith_error *err)
{
    const kith_progress step = {stage, done, total, unit};

    if (!job || !job->progress || job->progress(job->user, &step) == 0)
        return KITH_OK;
    return kith__fail(err, KITH_ERR_CANCELLED, NULL, 0, "interrupted");
}
