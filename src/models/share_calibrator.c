#include "models/share_calibrator.h"

#include <math.h>

static const double kappas[] = {0, .25, .5};
static const double lams[] = {0, .03, .06, .12, .25, .5};
static const double EPS = .1;
enum { A_POINTS = 9 };
static const double A_LEAST = -2, A_STEP = 1, A_USUAL = 1.5;

enum { KAPPAS = 3, LAMS = 6 };

/* x of one node. */
static void shares(int C, const double *prior, const float *g, double *x)
{
    double sum = 0, of = 0;

    for (int c = 0; c < C; c++)
        if (g[c] >= 0) {
            sum += prior[c] * (double)g[c];
            of += prior[c];
        }
    for (int c = 0; c < C; c++)
        x[c] = g[c] >= 0 && sum > 0
                   ? (1 + EPS) *
                         log((EPS + (double)g[c] * of / sum) / (1 + EPS))
                   : 0;
}

/* softmax(log pi + weight x) */
static void spread(int C, const double *prior, const double *x, double weight,
                   double *p)
{
    double most = -INFINITY, sum = 0;

    for (int c = 0; c < C; c++)
        most = fmax(most, weight * x[c]);
    for (int c = 0; c < C; c++) {
        p[c] = prior[c] * exp(weight * x[c] - most);
        sum += p[c];
    }
    for (int c = 0; c < C; c++)
        p[c] /= sum;
}

void kith__share_probabilities(const kith__share_fit *f, int classes,
                               const double *prior, const float *g,
                               float degree, double *p)
{
    shares(classes, prior, g, p);
    spread(classes, prior, p, f->a * pow((double)degree, f->kappa), p);
    for (int c = 0; c < classes; c++)
        p[c] = (1 - f->lam) * p[c] + f->lam * prior[c];
}

/* ---- the fit ------------------------------------------------------------- */

/* The sum of log-losses at each of n_lam values of lam: x of all rows. */
static void losses(const kith__share_rows *r, const double *prior,
                   const double *x, double a, double kappa, const double *lam,
                   int n_lam, double *p, double *loss)
{
    const int C = r->classes;
    const double e = C > 1 ? 1 / (r->n + 2.) : 0;

    for (int l = 0; l < n_lam; l++)
        loss[l] = 0;
    for (int32_t i = 0; i < r->n; i++) {
        spread(C, prior, x + (int64_t)i * C,
               a * pow((double)r->degree[i], kappa), p);
        for (int l = 0; l < n_lam; l++) {
            double own = 0, others = 0, product = 1;

            for (int c = 0; c < C; c++) {
                const double q = fmax((1 - lam[l]) * p[c] + lam[l] * prior[c],
                                      1e-60);

                if (c == r->truth[i]) {
                    own = log(q);
                } else if ((product *= q) < 1e-200) { /* few logarithms */
                    others += log(product);
                    product = 1;
                }
            }
            others += log(product);
            loss[l] -= (1 - e) * own + (C > 1 ? e / (C - 1) * others : 0);
        }
    }
}

static double penalty(double a, double kappa, double lam)
{
    return (a - A_USUAL) * (a - A_USUAL) / 32 + kappa + 2 * lam;
}

static void all_shares(const kith__share_rows *r, const double *prior,
                       double *x)
{
    for (int32_t i = 0; i < r->n; i++)
        shares(r->classes, prior, r->g + (int64_t)i * r->classes,
               x + (int64_t)i * r->classes);
}

double kith__share_loss(const kith__share_fit *f, const kith__share_rows *rows,
                        const double *prior, double *room)
{
    double *x = room + rows->classes, loss;

    all_shares(rows, prior, x);
    losses(rows, prior, x, f->a, f->kappa, &f->lam, 1, room, &loss);
    return loss + penalty(f->a, f->kappa, f->lam);
}

/* The best a within a step of that of the grid, by golden section. */
static double refine(const kith__share_rows *r, const double *prior,
                     const double *x, const kith__share_fit *f, double *p)
{
    const double golden = 0.6180339887498949;
    double low = f->a - A_STEP, high = f->a + A_STEP, at[2], loss[2];

    for (int first = 1; high - low > 1e-3; first = 0) {
        const int fresh = first || loss[0] <= loss[1] ? 0 : 1;

        if (!first) {
            *(fresh == 0 ? &high : &low) = at[1 - fresh];
            at[1 - fresh] = at[fresh];
            loss[1 - fresh] = loss[fresh];
        }
        for (int k = 0; k < 2; k++)
            if (first || k == fresh) {
                at[k] = k == 0 ? high - golden * (high - low)
                               : low + golden * (high - low);
                losses(r, prior, x, at[k], f->kappa, &f->lam, 1, p, &loss[k]);
                loss[k] += penalty(at[k], f->kappa, f->lam);
            }
    }
    return (low + high) / 2;
}

kith__share_fit kith__share_fit_to(const kith__share_rows *rows,
                                   const double *prior, double *room)
{
    kith__share_fit best = {A_USUAL, 0, 0};
    double *x = room + rows->classes, least = INFINITY, loss[LAMS];

    all_shares(rows, prior, x);
    for (int k = 0; k < KAPPAS; k++)
        for (int i = 0; i < A_POINTS; i++) {
            const double a = A_LEAST + i * A_STEP;

            losses(rows, prior, x, a, kappas[k], lams, LAMS, room, loss);
            for (int l = 0; l < LAMS; l++) {
                loss[l] += penalty(a, kappas[k], lams[l]);
                if (loss[l] < least) {
                    least = loss[l];
                    best = (kith__share_fit){a, kappas[k], lams[l]};
                }
            }
        }
    best.a = refine(rows, prior, x, &best, room);
    return best;
}
