/*
 * test_lcm_lowrank.c: the learner that stores no weights against the one that
 * stores them all (which test_methods.c compares with the literal formulas).
 */
#include "models/lcm/lcm.h"
#include "small_graphs.h"

enum { N = 48, EDGES = 130, MOST = 4, TRAIN = 9 };

/* What a run gives; weights per stored neighbour. */
typedef struct result {
    float P[N * MOST], H[MOST * MOST], Q[N * MOST], weights[4 * EDGES];
    kith__beliefs b;
} result;

typedef kith_status run_fn(const kith__task *task, const kith_params *p,
                           kith__regulariser kind, const float *potentials,
                           kith__beliefs *out, kith_error *err);

static void run(run_fn *fn, const kith__task *task, const kith_params *p,
                kith__regulariser kind, const float *Q, result *r)
{
    kith_error err = {0};

    r->b = (kith__beliefs){
        .P = r->P, .coupling = r->H, .Q = r->Q, .weights = r->weights};
    CHECK_OK(fn(task, p, kind, Q, &r->b, &err));
}

/* The same with no room to write the weights out. */
static void not_written_out(const kith__task *task, const kith_params *p,
                            kith__regulariser kind, const float *Q,
                            const result *a)
{
    kith_job little = {.memory = 1};
    const int cells = N * task->classes;
    kith__task t = *task;
    kith_error err = {0};
    static result b;

    t.job = &little;
    CHECK(kith__lcm_writes_out(task) && !kith__lcm_writes_out(&t));
    b.b = (kith__beliefs){.P = b.P, .coupling = b.H};
    CHECK_OK(kith__lcm_run_lowrank(&t, p, kind, Q, &b.b, &err));
    for (int i = 0; i < cells; i++)
        CHECK_NEAR(b.P[i], a->P[i], 1e-5 * fmax(2, fabs((double)a->P[i])));
    CHECK_NEAR(b.b.certificate.rho, a->b.certificate.rho, 2e-5);
    CHECK_INT(b.b.certificate.iterations, a->b.certificate.iterations);
}

/* Both forms on one graph, to the accuracy of float sums of some tens of
 * numbers of size 1. */
static void compare(int C, const kith_params *p, kith__regulariser kind,
                    uint64_t seed)
{
    kith_graph *g = small_graph(N, EDGES, false, seed);
    static result a, b;
    float Q[N * MOST];
    small_task t;

    small_task_new(&t, g, C, TRAIN, 2);
    random_potentials(Q, N, C, seed);
    run(kith__lcm_run_explicit, &t.task, p, kind, Q, &a);
    run(kith__lcm_run_lowrank, &t.task, p, kind, Q, &b);
    for (int i = 0; i < N * C; i++)
        CHECK_NEAR(b.P[i], a.P[i], 1e-5 * fmax(2, fabs((double)a.P[i])));
    for (int i = 0; i < N * C; i++)
        CHECK_NEAR(b.Q[i], a.Q[i], 1e-7);
    for (int i = 0; i < C * C; i++)
        CHECK_NEAR(b.H[i], a.H[i], 2e-6);
    for (int64_t i = 0; i < t.task.W.rows[N]; i++)
        CHECK_NEAR(b.weights[i], a.weights[i], 2e-6);
    CHECK_NEAR(b.b.certificate.rho, a.b.certificate.rho, 2e-5);
    CHECK_INT(b.b.certificate.iterations, a.b.certificate.iterations);
    CHECK_INT(b.b.certificate.converged, a.b.certificate.converged);
    CHECK(b.b.linear == a.b.linear);
    not_written_out(&t.task, p, kind, Q, &a);
    small_task_release(&t);
    kith_graph_free(g);
}

static kith_params usual(void)
{
    kith_params p;

    kith_params_init(&p);
    p.iterations = 30;
    p.tolerance = 0;
    return p;
}

TEST(implicit_weights_equal_stored_ones)
{
    for (int C = 2; C <= MOST; C++)
        for (int bits = 0; bits < 8; bits++) {
            kith_params p = usual();

            p.as_written = bits & 1;
            p.clamp = bits & 2;
            p.uncentred = bits & 4;
            p.g1 = .1;
            p.g2 = .002;
            p.lambda = .5;
            compare(C, &p, KITH__CONSISTENCY, 20 + (uint64_t)bits);
            compare(C, &p, KITH__NONE, 30 + (uint64_t)bits);
        }
}

/* Alternations and steps other than four; none after learning. */
TEST(implicit_weights_for_other_numbers_of_steps)
{
    for (int outer = 1; outer <= 5; outer++) {
        kith_params p = usual();

        p.outer = outer;
        p.inner = (outer + 1) % 4;
        p.iterations = outer == 2 ? 1 : 12;
        p.g1 = .2;
        p.lambda = .3;
        compare(2, &p, KITH__CONSISTENCY, (uint64_t)outer);
        compare(3, &p, KITH__CONSISTENCY, (uint64_t)outer);
    }
}

/* Whatever the steps: finite beliefs that have converged, or a refusal. */
TEST(steps_far_too_large_converge_or_are_refused)
{
    run_fn *const forms[] = {kith__lcm_run_explicit, kith__lcm_run_lowrank};
    int refused = 0;

    for (int i = 0; i < 12; i++) {
        kith_graph *g = small_graph(N, EDGES, false, (uint64_t)i);
        kith_params p = usual();
        kith_error err = {0};
        float Q[N * MOST];
        static result r;
        small_task t;

        p.g1 = pow(10, i % 6);
        p.lambda = i < 6 ? .2 : 1e6;
        p.iterations = 2000;
        p.tolerance = 1e-5;
        small_task_new(&t, g, 2, TRAIN, 2);
        random_potentials(Q, N, 2, (uint64_t)i);
        r.b = (kith__beliefs){.P = r.P, .coupling = r.H};
        if (forms[i % 2](&t.task, &p, KITH__CONSISTENCY, Q, &r.b, &err)) {
            CHECK_INT(err.status, KITH_ERR_RANGE);
            refused++;
        } else {
            CHECK(r.b.certificate.converged && r.b.certificate.rho <= .9501);
            for (int k = 0; k < N * 2; k++)
                CHECK(isfinite(r.P[k]) && fabsf(r.P[k]) < 100);
        }
        small_task_release(&t);
        kith_graph_free(g);
    }
    CHECK(refused > 0 && refused < 12);
}

/* Where many iterations are left the fixed point is found by conjugate
 * gradients; without room for the weights, by plain steps.  Tolerances are what
 * both can reach in floats. */
TEST(both_forms_settle_where_plain_steps_do)
{
    for (int C = 2; C <= MOST; C++) {
        kith_params p = usual();
        kith_graph *g = small_graph(N, EDGES, false, 40);
        kith_job little = {.memory = 1};
        static result a, b, plain;
        float Q[N * MOST];
        kith_error err;
        small_task t;

        p.iterations = 2000;
        p.tolerance = 1e-7;
        small_task_new(&t, g, C, TRAIN, 2);
        random_potentials(Q, N, C, 40);
        run(kith__lcm_run_explicit, &t.task, &p, KITH__CONSISTENCY, Q, &a);
        run(kith__lcm_run_lowrank, &t.task, &p, KITH__CONSISTENCY, Q, &b);
        t.task.job = &little;
        plain.b = (kith__beliefs){.P = plain.P, .coupling = plain.H};
        CHECK_OK(kith__lcm_run_lowrank(&t.task, &p, KITH__CONSISTENCY, Q,
                                       &plain.b, &err));
        for (int i = 0; i < N * C; i++) {
            CHECK_NEAR(a.P[i], plain.P[i], 2e-5);
            CHECK_NEAR(b.P[i], plain.P[i], 2e-5);
        }
        CHECK(a.b.certificate.converged && b.b.certificate.converged);
        CHECK(a.b.certificate.iterations < plain.b.certificate.iterations);
        small_task_release(&t);
        kith_graph_free(g);
    }
}

/* Steps so large that the guard has to scale H. */
TEST(both_forms_are_guarded_alike)
{
    kith_params p = usual();
    kith_graph *g = small_graph(N, EDGES, false, 5);
    static result r;
    float Q[N * MOST];
    small_task t;

    p.g1 = .5;
    p.lambda = .5;
    small_task_new(&t, g, 2, TRAIN, 1);
    random_potentials(Q, N, 2, 5);
    run(kith__lcm_run_lowrank, &t.task, &p, KITH__CONSISTENCY, Q, &r);
    CHECK_NEAR(r.b.certificate.rho, p.bound, 1e-9);
    small_task_release(&t);
    kith_graph_free(g);
    compare(2, &p, KITH__CONSISTENCY, 5);
}

TEST(implicit_weights_do_not_depend_on_threads)
{
    kith_graph *g = small_graph(N, EDGES, false, 9);
    kith_params p = usual();
    static result first, r;
    float Q[N * MOST];

    random_potentials(Q, N, 3, 9);
    for (int threads = 1; threads <= 4; threads++) {
        small_task t;

        small_task_new(&t, g, 3, TRAIN, threads);
        run(kith__lcm_run_lowrank, &t.task, &p, KITH__CONSISTENCY, Q,
            threads == 1 ? &first : &r);
        if (threads > 1) {
            CHECK(memcmp(first.P, r.P, sizeof(float) * N * 3) == 0);
            CHECK(memcmp(first.H, r.H, sizeof(float) * 9) == 0);
        }
        small_task_release(&t);
    }
    kith_graph_free(g);
}

/* Three nodes with a million neighbours, of which training nodes have few, or
 * nearly all, or with two classes or five; and with a thousandth of them. */
TEST(the_form_is_chosen_by_cost)
{
    const int64_t large[] = {0, 10, 500000, 1000000};
    const int64_t small[] = {0, 10, 500, 1000};
    const int32_t first[] = {0}, most[] = {1, 2};
    kith_params p = usual();
    kith__task t = {.n = 3, .classes = 2, .train = first, .n_train = 1};
    const float weight = 1;
    kith__task other;

    t.W = (kith__operator){.n = 3, .rows = large};
    CHECK(kith__lcm_choose_form(&t, &p, KITH__CONSISTENCY).implicit);
    /* an id, a weight, two beliefs; four times the same, the weight twice */
    CHECK_NEAR(kith__lcm_choose_form(&t, &p, KITH__CONSISTENCY).bytes_explicit,
               (4 + 4 + 8) + 4 * (4 + 8 + 8), 0);
    CHECK(!kith__lcm_choose_form(&t, &p, KITH__L1).implicit);
    other = t;
    other.train = most;
    other.n_train = 2;
    CHECK(!kith__lcm_choose_form(&other, &p, KITH__CONSISTENCY).implicit);
    other = t;
    other.classes = 5;
    CHECK(!kith__lcm_choose_form(&other, &p, KITH__CONSISTENCY).implicit);
    other = t;
    other.W.weights = &weight;
    CHECK(!kith__lcm_choose_form(&other, &p, KITH__CONSISTENCY).implicit);
    other = t;
    other.W.rows = small;
    CHECK(!kith__lcm_choose_form(&other, &p, KITH__CONSISTENCY).implicit);
    p.outer = 0;
    CHECK(!kith__lcm_choose_form(&t, &p, KITH__CONSISTENCY).implicit);
}

/* A task with nodes to score on, and points of a grid. */
enum { POINTS = 7 };

typedef struct tried {
    kith_graph *g;
    small_task t;
    float Q[N * 2];
    int32_t node[N - TRAIN], truth[N - TRAIN];
    kith__labelled_nodes val;
    kith_params p[POINTS];
    kith__judge judge;
    kith__valued valued[POINTS];
} tried;

static void tried_new(tried *s)
{
    kith_error err;

    s->g = small_graph(N, EDGES, false, 6);
    s->val = (kith__labelled_nodes){s->node, s->truth, N - TRAIN};
    small_task_new(&s->t, s->g, 2, 5, 2);
    random_potentials(s->Q, N, 2, 6);
    for (int i = 0; i < N - TRAIN; i++) {
        s->node[i] = TRAIN + i;
        s->truth[i] = i % 2;
    }
    for (int i = 0; i < POINTS; i++)
        s->p[i] = usual();
    CHECK_OK(kith__judge_new(s->g, KITH_OPTIMISE_LOG_LOSS, 2, &s->val,
                             &s->judge, &err));
}

static void tried_release(tried *s)
{
    small_task_release(&s->t);
    kith_graph_free(s->g);
}

/* LinBP's points are one run that is looked at on its way. */
TEST(points_of_linbp_score_as_alone)
{
    const kith__method *linbp = kith__method_find("linbp");
    static result r;
    bool done;
    kith_error err;
    tried s = {0};

    tried_new(&s);
    for (int i = 0; i < POINTS; i++) {
        s.p[i].tolerance = 1e-4; /* reached on the way */
        s.p[i].iterations = 3 + 4 * i;
    }
    CHECK(linbp->grid && !kith__method_find("lcm")->grid);
    CHECK_OK(linbp->grid(&s.t.task, linbp, s.p, POINTS, s.Q, &s.judge, s.valued,
                         &done, &err));
    CHECK(done);
    for (int i = 0; i < POINTS; i++) {
        r.b = (kith__beliefs){.P = r.P, .coupling = r.H};
        CHECK_OK(linbp->run(&s.t.task, &s.p[i], s.Q, &r.b, &err));
        CHECK_NEAR(s.valued[i].score.log_loss,
                   kith__score_of(r.P, 2, &s.val).log_loss, 0);
    }
    tried_release(&s);
}

TEST(implicit_run_survives_every_failed_allocation)
{
    kith_graph *g = small_graph(N, EDGES, false, 4);
    kith_params p = usual();
    float Q[N * 2], P[N * 2], H[4];
    kith__beliefs b = {.P = P, .coupling = H};
    small_task t;

    small_task_new(&t, g, 2, TRAIN, 1);
    random_potentials(Q, N, 2, 4);
    CHECK_OOM(st = kith__lcm_run_lowrank(&t.task, &p, KITH__CONSISTENCY, Q, &b,
                                         NULL), );
    small_task_release(&t);
    kith_graph_free(g);
}
