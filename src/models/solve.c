#include "models/solve.h"

#include <math.h>
#include <string.h>

static void add_times(float *to, const float *from, double factor,
                      int64_t cells, int threads)
{
#pragma omp parallel for num_threads(threads) schedule(static)
    for (int64_t i = 0; i < cells; i++)
        to[i] = (float)((double)to[i] + factor * (double)from[i]);
}

int64_t kith__fixed_point_room(const kith__task *t)
{
    return 3 * (int64_t)t->n * t->classes + (int64_t)t->classes * t->classes;
}

/*
 * Z = sum_j c_j T_j(A / rho) E.  With U_j = T_j, T_j, -T_j, -T_j for j = 0, 1,
 * 2, 3 and so on, T_j+1 = 2 A T_j / rho - T_j-1 becomes
 * U_j+1 = U_j-1 + (+-2 / rho) A U_j, which is one step of the kernel.
 */
kith_status kith__fixed_point(const kith__task *t, const kith__coupled *W,
                              const float *H, double rho, double tolerance,
                              const char *stage, float *room, const float *E,
                              float *Z, kith_error *err)
{
    const int C = t->classes;
    const int64_t cells = (int64_t)t->n * C;
    const double in = fmax(rho * (1 + 1e-6), 1e-3); /* never less than it is */
    const double root = sqrt(1 - in * in), r = (1 - root) / in;
    const int most = (int)ceil(log(tolerance) / log(r)) + 1;
    float *U[3] = {room, room + cells, room + 2 * cells};
    float *scaled = room + 3 * cells;
    double c = 2 * r / root;
    kith_status st = KITH_OK;

    memcpy(U[0], E, (size_t)cells * sizeof(*E));
    memset(Z, 0, (size_t)cells * sizeof(*Z));
    add_times(Z, E, 1 / root, cells, t->threads);
    memset(U[2], 0, (size_t)cells * sizeof(float));
    for (int i = 0; i < C * C; i++)
        scaled[i] = (float)((double)H[i] / in);
    kith__coupled_step(W, U[0], C, scaled, U[2], U[1]);
    for (int j = 1; j <= most; j++) {
        const double a = (j % 2 ? -2 : 2) / in;
        float *oldest = U[0];

        add_times(Z, U[1], (j / 2) % 2 ? -c : c, cells, t->threads);
        c *= r;
        for (int i = 0; i < C * C; i++)
            scaled[i] = (float)(a * (double)H[i]);
        kith__coupled_step(W, U[1], C, scaled, U[0], U[2]);
        U[0] = U[1];
        U[1] = U[2];
        U[2] = oldest;
        if (stage)
            TRY(kith__progress(t->job, stage, j, most, "iterations", err));
    }
out:
    return st;
}
