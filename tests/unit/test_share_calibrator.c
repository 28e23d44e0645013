/*
 * test_share_calibrator.c: K against the formula written out, its fit against a
 * fine grid.
 */
#include <math.h>

#include "check.h"
#include "core/rng.h"
#include "models/share_calibrator.h"

enum { N = 120, MOST = 4 };

typedef struct scene {
    float g[N * MOST], degree[N];
    int32_t truth[N];
    double prior[MOST], room[2 * MOST * (N + 1)];
    kith__share_rows rows;
} scene;

/* Shares that tell the class as `told` says, below 0 the wrong ones. */
static void draw(scene *s, int C, double told, uint64_t seed)
{
    kith__rng r = kith__rng_start(seed, 1);
    double sum = 0;

    for (int c = 0; c < C; c++)
        sum += s->prior[c] = 1 + c;
    for (int c = 0; c < C; c++)
        s->prior[c] /= sum;
    for (int i = 0; i < N; i++) {
        s->truth[i] = (int32_t)kith__rng_below(&r, (uint64_t)C);
        s->degree[i] = (float)(.2 + 2 * kith__rng_real(&r));
        for (int c = 0; c < C; c++)
            s->g[i * C + c] = (float)(exp(told * (c == s->truth[i])) *
                                      (.2 + kith__rng_real(&r)));
        if (i % 7 == 0) /* a class without any mass at this node */
            s->g[i * C + (s->truth[i] + 1) % C] = 0;
    }
    s->rows = (kith__share_rows){C, N, s->g, s->degree, s->truth};
}

/* The formula of the header, in as many words. */
static void slow(const kith__share_fit *f, int C, const double *prior,
                 const float *g, double D, double *p)
{
    double whole = 0, sum = 0, r[MOST], x[MOST];

    for (int c = 0; c < C; c++)
        whole += prior[c] * (double)g[c];
    for (int c = 0; c < C; c++) {
        r[c] = (double)g[c] / whole;
        x[c] = 1.1 * log((.1 + r[c]) / 1.1);
        p[c] = exp(log(prior[c]) + f->a * pow(D, f->kappa) * x[c]);
        sum += p[c];
    }
    for (int c = 0; c < C; c++)
        p[c] = (1 - f->lam) * p[c] / sum + f->lam * prior[c];
}

static double slow_loss(const kith__share_fit *f, const scene *s)
{
    const int C = s->rows.classes;
    const double e = 1 / (N + 2.);
    double loss = (f->a - 1.5) * (f->a - 1.5) / 32 + f->kappa + 2 * f->lam;

    for (int i = 0; i < N; i++) {
        double p[MOST];

        slow(f, C, s->prior, s->g + i * C, (double)s->degree[i], p);
        for (int c = 0; c < C; c++)
            loss -= (c == s->truth[i] ? 1 - e : e / (C - 1)) * log(p[c]);
    }
    return loss;
}

TEST(probabilities_and_loss_are_those_of_the_formula)
{
    const kith__share_fit fits[] = {{1.5, 0, 0}, {3, .25, .06}, {-1, .5, .5}};
    static scene s;

    for (int C = 2; C <= MOST; C++)
        for (int k = 0; k < 3; k++) {
            draw(&s, C, 1, (uint64_t)C);
            for (int i = 0; i < N; i++) {
                double p[MOST], q[MOST], sum = 0;

                kith__share_probabilities(&fits[k], C, s.prior, s.g + i * C,
                                          s.degree[i], p);
                slow(&fits[k], C, s.prior, s.g + i * C, (double)s.degree[i], q);
                for (int c = 0; c < C; c++) {
                    CHECK_NEAR(p[c], q[c], 1e-12);
                    sum += p[c];
                }
                CHECK_NEAR(sum, 1, 1e-12);
            }
            CHECK_NEAR(kith__share_loss(&fits[k], &s.rows, s.prior, s.room),
                       slow_loss(&fits[k], &s), 1e-8);
        }
}

TEST(the_average_share_is_the_prior)
{
    const kith__share_fit f = {4, .5, .1};
    const double prior[] = {.1, .2, .7};
    const float even[] = {3, 3, 3}, unknown[] = {-1, 2, 2};
    double p[3];

    kith__share_probabilities(&f, 3, prior, even, 5, p);
    for (int c = 0; c < 3; c++)
        CHECK_NEAR(p[c], prior[c], 1e-12);
    /* a class that no mass is of is neither more nor less likely for it */
    kith__share_probabilities(&f, 3, prior, unknown, 5, p);
    for (int c = 0; c < 3; c++)
        CHECK_NEAR(p[c], prior[c], 1e-12);
}

/* Nowhere on a fine grid around its a, nor on the coarse one of all, is the
 * loss smaller. */
TEST(the_fit_has_the_least_loss_of_a_grid)
{
    static const double kappas[] = {0, .25, .5},
                        lams[] = {0, .03, .06, .12, .25, .5};
    static scene s;

    for (int C = 2; C <= 3; C++)
        for (int told = -1; told <= 2; told++) {
            kith__share_fit f, g;
            double least;

            draw(&s, C, told, (uint64_t)(7 + told));
            f = kith__share_fit_to(&s.rows, s.prior, s.room);
            least = slow_loss(&f, &s);
            for (g.a = -2; g.a <= 6; g.a += 1)
                for (int k = 0; k < 3 * 6; k++) {
                    g.kappa = kappas[k % 3];
                    g.lam = lams[k / 3];
                    CHECK(slow_loss(&g, &s) >= least - 1e-9);
                }
            g = f;
            for (g.a = -2.9; g.a <= 6.9; g.a += .01)
                CHECK(slow_loss(&g, &s) >= least - 1e-4);
            CHECK(told <= 0 || f.a > 0);
            CHECK(told >= 0 || f.a < 0);
        }
}

/* Another order of classes gives the same, in that order. */
TEST(names_of_classes_have_no_say)
{
    const kith__share_fit f = {2.5, .25, .06};
    const double prior[] = {.1, .2, .7}, other[] = {.7, .1, .2};
    const float g[] = {.5F, 2, 0}, turned[] = {0, .5F, 2};
    double p[3], q[3];

    kith__share_probabilities(&f, 3, prior, g, 2, p);
    kith__share_probabilities(&f, 3, other, turned, 2, q);
    for (int c = 0; c < 3; c++)
        CHECK_NEAR(p[c], q[(c + 1) % 3], 1e-14);
}

TEST(nothing_to_fit_to_leaves_the_usual)
{
    static scene s;
    kith__share_fit f;

    draw(&s, 2, 1, 1);
    s.rows.n = 0;
    f = kith__share_fit_to(&s.rows, s.prior, s.room);
    CHECK_NEAR(f.a, 1.5, .01);
    CHECK(f.kappa == 0 && f.lam == 0);
}
