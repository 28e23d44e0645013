/*
 * test_lcm_coupling.c: a step of LCM's coupling, against its formula.
 */
#include <math.h>

#include "models/lcm.h"
#include "small_graphs.h"

enum { N = 12, MOST = 6 };

/*
 * H - g2 (dH 140 / L - lambda / 2 5278 / m K), made symmetric; less the means
 * of rows and of columns, plus the mean of all; and no row's sum of absolute
 * values is above 2.  As written: neither 140 / L nor 5278 / m, nor what
 * follows.
 */
static void literal(const kith__task *t, const kith_params *p, bool consistent,
                    const double *dH, const double *K, double *H)
{
    const int C = t->classes;
    const double m = (double)t->W.rows[t->n] / 2;
    double S[MOST * MOST], row[MOST] = {0}, all = 0, largest = 0;

    for (int i = 0; i < C * C; i++) {
        const double by_node = p->as_written ? 1 : 140. / t->n_train;
        const double by_edge = p->as_written ? 1 : 5278 / m;

        H[i] -= p->g2 * (by_node * dH[i] -
                         (consistent ? p->lambda / 2 * by_edge * K[i] : 0));
    }
    if (p->as_written)
        return;
    for (int i = 0; i < C; i++)
        for (int j = 0; j < C; j++) {
            S[i * C + j] = (H[i * C + j] + H[j * C + i]) / 2;
            row[i] += S[i * C + j] / C;
            all += S[i * C + j] / (C * C);
        }
    for (int i = 0; i < C; i++) {
        double sum = 0;

        for (int j = 0; j < C; j++) {
            H[i * C + j] = S[i * C + j] - row[i] - row[j] + all;
            sum += fabs(H[i * C + j]);
        }
        largest = fmax(largest, sum);
    }
    for (int i = 0; largest > 2 && i < C * C; i++)
        H[i] *= 2 / largest;
}

TEST(a_step_of_the_coupling_is_as_the_formula_says)
{
    kith_graph *g = small_graph(N, 20, false, 3);

    for (int C = 2; C <= MOST; C++)
        for (int how = 0; how < 8; how++) {
            const bool consistent = how & 1;
            float H[MOST * MOST];
            double dH[MOST * MOST], K[MOST * MOST], wanted[MOST * MOST];
            kith_params p;
            small_task t;

            kith_params_init(&p);
            p.as_written = how & 2;
            p.g2 = how & 4 ? .05 : .0005; /* large ones leave the bound */
            p.lambda = .4;
            small_task_new(&t, g, C, 5, 1);
            for (int i = 0; i < C * C; i++) {
                H[i] = (float)sin(i + C);
                wanted[i] = (double)H[i];
                dH[i] = cos(3 * i + how);
                K[i] = sin(5 * i + how);
            }
            kith__lcm_step_coupling(&t.task, &p,
                                    consistent ? KITH__CONSISTENCY : KITH__L2,
                                    dH, K, H);
            literal(&t.task, &p, consistent, dH, K, wanted);
            for (int i = 0; i < C * C; i++)
                CHECK_NEAR(H[i], wanted[i], 2e-5 * fmax(1, fabs(wanted[i])));
            small_task_release(&t);
        }
    kith_graph_free(g);
}
