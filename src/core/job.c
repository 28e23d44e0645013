#include "core/job.h"

#ifdef _OPENMP
#include <omp.h>
#endif

int kith__threads(const kith_job *job)
{
    const int most = 1024;
    int threads = job ? job->threads : 0;

#ifdef _OPENMP
    if (threads <= 0)
        threads = omp_get_num_procs();
#else
    threads = 1;
#endif
    return threads < 1 ? 1 : threads > most ? most : threads;
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
