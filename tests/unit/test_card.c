/*
 * test_card.c: what is kept of a verdict comes back as it was, and cards are
 * written of it.
 */
#include "generated.h"
#include "models/model_object.h"
#include "report/record.h"

typedef struct fixture {
    kith_dataset *data;
    kith_protocol nodes;
    kith_classification *c;
    kith_verdict *v;
} fixture;

static void set_up(fixture *f)
{
    kith_train_options o;
    kith_verdict_input in;
    kith_error err;

    kith_train_options_init(&o);
    o.fixed = KITH_FIX_ALL;
    f->data = generated_with(150, 3, 12, .8, 10);
    CHECK_OK(kith_protocol_make(f->data, NULL, .2, 1, &f->nodes, &err));
    CHECK_OK(kith_classify(f->data, "linbp", &f->nodes, &o, KITH_KEEP_UNSEEN,
                           &f->c, &err));
    kith_verdict_input_of(&in, f->data, &f->nodes, f->c);
    CHECK_OK(kith_verdict_new(&in, &f->v, &err));
}

static void tear_down(fixture *f)
{
    kith_verdict_free(f->v);
    kith_classification_free(f->c);
    kith_protocol_release(&f->nodes);
    kith_dataset_free(f->data);
}

TEST(a_record_is_the_verdict_after_a_trip_through_a_file)
{
    char a[KITH_SENTENCE], b[KITH_SENTENCE];
    kith_model *m = NULL;
    kith__record r;
    kith_error err;
    bool known;
    fixture f;

    set_up(&f);
    CHECK_OK(kith_model_keep_verdict(f.c->model, f.v, &err));
    CHECK_OK(kith_model_save(f.c->model, check_path("kept.km"), &err));
    CHECK_OK(kith_model_open(check_path("kept.km"), &m, &err));
    CHECK_OK(kith__record_of(m, &r, &known, &err));
    CHECK(known);
    CHECK_INT(r.v.nodes, 150);
    CHECK_INT(r.columns, 12);
    CHECK_INT(r.edges, kith_graph_edges(f.data->graph));
    CHECK(strcmp(r.version, kith_version()) == 0);
    CHECK_INT(r.v.trust, f.v->trust);
    CHECK_INT(r.v.scores.nodes, f.v->scores.nodes);
    CHECK_NEAR(r.v.scores.auc, f.v->scores.auc, 0);
    CHECK_NEAR(r.v.scores.ece, f.v->scores.ece, 0);
    CHECK_NEAR(r.v.intervals.log_loss.high, f.v->intervals.log_loss.high, 0);
    CHECK_NEAR(r.v.right.low, f.v->right.low, 0);
    CHECK(memcmp(r.v.evidence, f.v->evidence, sizeof(r.v.evidence)) == 0);
    for (int s = 0; s < KITH_SENTENCES; s++)
        CHECK(strcmp(kith_verdict_say(&r.v, (kith_sentence)s, a),
                     kith_verdict_say(f.v, (kith_sentence)s, b)) == 0);
    kith__record_release(&r);
    kith_model_free(m);
    tear_down(&f);
}

TEST(records_that_do_not_fit_are_refused)
{
    kith_model *m;
    char *text;
    size_t length;
    kith_error err;
    fixture f;

    set_up(&f);
    m = f.c->model;
    CHECK_OK(kith_model_keep_verdict(m, f.v, &err));
    for (int64_t i = 0; i < m->n_record; i++) {
        const double was = m->record[i];
        kith_status st;

        m->record[i] = -1e300;
        st = kith_card(m, NULL, i % 2 != 0, &text, &length, &err);
        CHECK(st == KITH_OK || st == KITH_ERR_CORRUPT);
        kith_array_free(text);
        m->record[i] = was;
    }
    m->record[0] = (double)NAN;
    CHECK_INT(kith_card(m, NULL, false, &text, &length, &err),
              KITH_ERR_CORRUPT);
    m->record[0] = 150;
    m->n_record--;
    CHECK_INT(kith_card(m, NULL, false, &text, &length, &err),
              KITH_ERR_CORRUPT);
    m->n_record++;
    tear_down(&f);
}

static void forget(kith_model *m)
{
    kith_array_free(m->record);
    kith_array_free(m->note);
    m->record = NULL;
    m->note = NULL;
}

TEST(cards_survive_every_failed_allocation)
{
    char *text;
    size_t length;
    kith_error err;
    fixture f;

    set_up(&f);
    CHECK_OOM(st = kith_model_keep_verdict(f.c->model, f.v, NULL),
              forget(f.c->model));
    CHECK_OK(kith_model_keep_verdict(f.c->model, f.v, &err));
    CHECK_OOM(st = kith_card(f.c->model, "To try", true, &text, &length, NULL),
              kith_array_free(text));
    CHECK_OOM(st = kith_card(f.c->model, NULL, false, &text, &length, NULL),
              kith_array_free(text));
    tear_down(&f);
}
