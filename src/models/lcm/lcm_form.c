/*
 * lcm_form.c: which form of W a task is learnt in: a weight per stored
 * neighbour (lcm.c) or none (lcm_lowrank.c).
 */

#include "core/number.h"
#include "kernels/operator_lowrank.h"
#include "models/lcm/lcm.h"

enum { CACHED = 1 << 20 }; /* bytes of ids and weights in a core's cache */

kith__regulariser kith__lcm_kind(const kith__method *method)
{
    return method->run == kith__lcm_run      ? KITH__CONSISTENCY
           : method->run == kith__lcm_l1_run ? KITH__L1
           : method->run == kith__lcm_l2_run ? KITH__L2
                                             : KITH__NONE;
}

/*
 * Bytes moved for a stored neighbour in an alternation.  Explicit: an id, a
 * weight and a row of beliefs to propagate; for each step the same with the
 * weight written too.  Implicit: an id and a record; and at edges of training
 * nodes, a share of all, some eight records more.  Where ids and weights stay
 * in the cache, bytes cost little and the fewer products of stored weights win.
 */
kith__lcm_form kith__lcm_choose_form(const kith__task *task,
                                     const kith_params *p,
                                     kith__regulariser kind)
{
    const int C = task->classes, carried = p->as_written ? C : C - 1;
    const int vectors = kith__lowrank_vectors(C, carried, p->outer);
    const double record = 16.0 * vectors;
    const double entries = (double)task->W.rows[task->n];
    const double border = (double)kith__training_edges_count(
        &task->W, task->train, task->n_train);
    kith__lcm_form f = {.bytes_explicit = 8 + 4.0 * C +
                                          p->inner * (12 + 4.0 * C)};

    if (kind != KITH__CONSISTENCY && kind != KITH__NONE)
        kith__print(f.why, sizeof(f.why), "the penalty needs every weight");
    else if (task->W.weights)
        kith__print(f.why, sizeof(f.why), "the graph has weights of its own");
    else if (C < 2 || C > KITH__LOWRANK_CLASSES)
        kith__print(f.why, sizeof(f.why), "%d classes, not 2 to %d", C,
                    KITH__LOWRANK_CLASSES);
    else if (p->outer < 1 || p->outer > KITH__LOWRANK_TERMS ||
             vectors > KITH__LOWRANK_VECTORS)
        kith__print(f.why, sizeof(f.why), "%d alternations", (int)p->outer);
    else if (8 * entries <= CACHED)
        kith__print(f.why, sizeof(f.why), "they stay in the cache");
    else if (border >= INT32_MAX)
        kith__print(f.why, sizeof(f.why), "training nodes have too many edges");
    else
        f.bytes_implicit = 4 + record +
                           (entries > 0 ? 8 * record * border / entries : 0);
    if (f.bytes_implicit > 0) {
        f.implicit = f.bytes_implicit <= f.bytes_explicit;
        kith__print(f.why, sizeof(f.why),
                    "%.0f bytes moved for a neighbour in an alternation, "
                    "%s weights would move %.0f",
                    f.implicit ? f.bytes_implicit : f.bytes_explicit,
                    f.implicit ? "stored" : "implicit",
                    f.implicit ? f.bytes_explicit : f.bytes_implicit);
    }
    return f;
}

/*
 * After learning, a pass over the edges reads 4 bytes of id and a record of 32
 * or more; with the weights written out 8 bytes and a row of beliefs, which is
 * faster.  So they are, but where they would take 2 GiB, or more than a quarter
 * of what the run may use.
 */
bool kith__lcm_writes_out(const kith__task *task)
{
    const int64_t bytes = 4 * task->W.rows[task->n];
    const int64_t limit = task->job ? task->job->memory : 0;

    return bytes < INT64_C(2) << 30 && (limit == 0 || bytes <= limit / 4);
}
