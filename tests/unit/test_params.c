/*
 * The table of parameters: what it says of itself, and that all that should
 * read it does.  Checkpoint keys: test_checkpoint_key.c; the command and the
 * page of parameters: tests/cli/docs.test.
 */
#include "models/params.h"

#include "generated.h"
#include "models/model_object.h"
#include "other_value.h"

/* ---- the table ----------------------------------------------------------- */

static bool is_method(const char *name, size_t length)
{
    int count;
    const kith_method_info *all = kith_methods(&count);

    for (int i = 0; i < count; i++)
        if (strlen(all[i].name) == length &&
            memcmp(all[i].name, name, length) == 0)
            return true;
    return false;
}

TEST(every_row_takes_its_default_and_has_a_name_and_methods_of_its_own)
{
    int rows;
    const kith_option_info *row = kith_option_list(&rows);

    for (int i = 0; i < rows; i++) {
        for (const char *at = row[i].methods; at && *at;) {
            const size_t length = strcspn(at, " ");

            CHECK(is_method(at, length));
            at += length + (at[length] != '\0');
        }
        for (int j = 0; j < i; j++) {
            CHECK(strcmp(row[i].name, row[j].name) != 0);
            CHECK(strcmp(row[i].key, row[j].key) != 0);
            CHECK(row[i].slot < 0 || row[i].slot != row[j].slot);
        }
        CHECK(strchr(".?", row[i].help[strlen(row[i].help) - 1]) != NULL);
        CHECK(kith_option_find(row[i].name) == &row[i]);
        CHECK(row[i].type == KITH_OPTION_TEXT ||
              kith__param_accepts(&row[i], row[i].preset));
    }
}

/* Between fields there is padding only, as little as their sizes ask for. */
TEST(every_field_of_the_parameters_has_a_row)
{
    size_t end = 0;
    const kith_option_info *row, *next = NULL;

    do {
        next = NULL;
        for (int slot = 0; (row = kith__param_at_slot(slot)); slot++)
            if (row->at >= end && (!next || row->at < next->at))
                next = row;
        if (next) {
            CHECK(next->at - end < next->size);
            CHECK_INT(next->at,
                      (end + next->size - 1) / next->size * next->size);
            end = next->at + next->size;
        }
    } while (next);
    CHECK(sizeof(kith_params) - end < 8);
}

TEST(the_defaults_are_those_of_the_first_version)
{
    kith_params p;

    kith_params_init(&p);
    CHECK_INT(p.prep, KITH_PREP_L2);
    CHECK_INT(p.smooth, 2);
    CHECK(p.penalty == .5 && p.clamp && !p.balance);
    CHECK_INT(p.iterations, 100);
    CHECK(p.tolerance == 1e-5 && p.damping == 0);
    CHECK(p.g1 == .05 && p.g2 == .0005 && p.lambda == .05);
    CHECK(p.outer == 4 && p.inner == 4);
    CHECK(!p.as_written && !p.uncentred && p.bound == .95);
    CHECK_INT(p.gradient, KITH_GRADIENT_PAPER);
}

TEST(ends_are_open_where_the_row_says)
{
    const struct {
        const char *name;
        double value;
        bool taken;
    } cases[] = {
        {"penalty", 0, false},        {"penalty", 1e-300, true},
        {"penalty", HUGE_VAL, false}, {"damping", 0, true},
        {"damping", 1, false},        {"bound", 0, false},
        {"bound", 1, false},          {"bound", .999, true},
        {"smooth", 8, true},          {"smooth", 9, false},
        {"smooth", 1.5, false},       {"smooth", -1, false},
        {"lambda", NAN, false},       {"hold-out", .9, true},
        {"hold-out", .91, false},     {"gradient", 2, false},
        {"clamp", 2, false},          {"checkpoint", 0, false},
        {"iterations", 0, false},     {"iterations", 1000, true},
    };
    kith_options *o = NULL;
    kith_error err;

    CHECK_OK(kith_options_new(&o, &err));
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        const double was = kith_options_get(o, cases[i].name);

        CHECK_INT(
            kith_options_set_number(o, cases[i].name, cases[i].value, &err),
            cases[i].taken ? KITH_OK : KITH_ERR_ARGUMENT);
        if (cases[i].taken)
            CHECK(kith_options_get(o, cases[i].name) == cases[i].value);
        else
            CHECK(kith_options_get(o, cases[i].name) == was || isnan(was));
    }
    kith_options_free(o);
}

/* ---- options ------------------------------------------------------------- */

TEST(every_row_can_be_set_as_text_and_as_a_number)
{
    int rows;
    const kith_option_info *row = kith_option_list(&rows);
    kith_options *o = NULL, *p = NULL;
    kith_error err;

    CHECK_OK(kith_options_new(&o, &err));
    CHECK_OK(kith_options_new(&p, &err));
    for (int i = 0; i < rows; i++) {
        const double value = other_value(&row[i], row[i].preset);
        const uint32_t was = kith_options_train(o).fixed;
        char text[KITH_OPTION_BUFFER];

        if (row[i].type == KITH_OPTION_TEXT)
            continue;
        kith_option_text(&row[i], value, text);
        CHECK_OK(kith_options_set(o, row[i].name, text, &err));
        CHECK_OK(kith_options_set_number(p, row[i].name, value, &err));
        CHECK_NEAR(kith_options_get(o, row[i].name), value, 1e-12);
        CHECK(kith_options_get(p, row[i].name) == value);
        CHECK_INT(kith_options_train(o).fixed,
                  strcmp(row[i].name, "no-tune") == 0 ? KITH_FIX_ALL
                                                      : was | row[i].fix);
        if (row[i].slot >= 0) {
            const kith_train_options t = kith_options_train(p);

            CHECK(kith_params_get(&t.params, &row[i]) == value);
        }
    }
    kith_options_free(o);
    kith_options_free(p);
}

TEST(options_are_those_of_a_training_unless_they_are_set)
{
    kith_train_options plain, t;
    kith_options *o = NULL;
    kith_model *like = calloc(1, sizeof(*like));
    const kith_job job = {.threads = 3, .memory = 1000};
    kith_error err;

    kith_train_options_init(&plain);
    CHECK_OK(kith_options_new(&o, &err));
    t = kith_options_train(o);
    CHECK(memcmp(&t.params, &plain.params, sizeof(t.params)) == 0);
    CHECK(t.fixed == 0 && t.temperature == 0 && !t.checkpoint && !t.like);
    CHECK_INT(t.params.iterations, 0); /* the method's own */
    CHECK(kith_options_get(o, "hold-out") == .2);
    CHECK(kith_options_get(o, "seed") == 1);
    kith_options_set_job(o, &job);
    kith_options_set_like(o, like);
    CHECK_OK(kith_options_set(o, "checkpoint", "here.kp", &err));
    t = kith_options_train(o);
    CHECK(t.job.threads == 3 && t.job.memory == 1000 && t.like == like);
    CHECK(kith_options_get(o, "threads") == 3);
    CHECK_TEXT(t.checkpoint, "here.kp");
    CHECK_TEXT(kith_options_get_text(o, "checkpoint"), "here.kp");
    CHECK(kith_options_get_text(o, "seed") == NULL);
    CHECK(isnan(kith_options_get(o, "nothing")));
    CHECK_OK(kith_options_set(o, "checkpoint", "", &err));
    CHECK(kith_options_train(o).checkpoint == NULL);
    kith_options_free(o);
    kith_options_free(NULL);
    free(like);
}

TEST(what_cannot_be_set_is_told_in_a_sentence)
{
    const struct {
        const char *name, *value, *text;
    } cases[] = {
        {"lamda", "1", "unknown option 'lamda'; did you mean 'lambda'?"},
        {"iter", "1", "unknown option 'iter'; did you mean 'iterations'?"},
        {"zebra crossing", "1",
         "unknown option 'zebra crossing', expected one that "
         "kith_option_list() has"},
        {"smooth", "9",
         "option 'smooth': expected a whole number from 0 to 8, not '9'"},
        {"smooth", "1.5",
         "option 'smooth': expected a whole number from 0 to 8, not '1.5'"},
        {"penalty", "0",
         "option 'penalty': expected a number, above 0, not "
         "'0'"},
        {"lambda", "-1",
         "option 'lambda': expected a number, at least 0, not '-1'"},
        {"damping", "1",
         "option 'damping': expected a number, at least 0 and "
         "below 1, not '1'"},
        {"g1", "0,5", "option 'g1': expected a number, at least 0, not '0,5'"},
        {"g1", "0x1", "option 'g1': expected a number, at least 0, not '0x1'"},
        {"g1", "nan", "option 'g1': expected a number, at least 0, not 'nan'"},
        {"g1", "1e999",
         "option 'g1': expected a number, at least 0, not "
         "'1e999'"},
        {"g1", " 1", "option 'g1': expected a number, at least 0, not ' 1'"},
        {"g1", "", "option 'g1': expected a number, at least 0, not ''"},
        {"g1", "-", "option 'g1': expected a number, at least 0, not '-'"},
        {"prep", "l3",
         "option 'prep': expected one of none|l2|tfidf|root, not "
         "'l3'"},
        {"prep", "",
         "option 'prep': expected one of none|l2|tfidf|root, not "
         "''"},
        {"balance", "maybe",
         "option 'balance': expected one of no|yes, not "
         "'maybe'"},
    };
    kith_options *o = NULL;
    kith_error err;

    CHECK_OK(kith_options_new(&o, &err));
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        CHECK_INT(kith_options_set(o, cases[i].name, cases[i].value, &err),
                  KITH_ERR_ARGUMENT);
        CHECK_TEXT(err.text, cases[i].text);
        CHECK_INT(kith_options_train(o).fixed, 0);
    }
    CHECK_INT(kith_options_set_number(o, "lamda", 1, NULL), KITH_ERR_ARGUMENT);
    CHECK_OK(kith_options_set(o, "iterations", "1e2", &err));
    CHECK(kith_options_get(o, "iterations") == 100);
    kith_options_free(o);
}

static kith_status new_options(kith_error *err)
{
    kith_options *o = NULL;
    kith_status st = kith_options_new(&o, err);

    if (st == KITH_OK)
        st = kith_options_set(o, "checkpoint", "file", err);
    kith_options_free(o);
    return st;
}

TEST(options_survive_every_failed_allocation)
{
    kith_error err;

    CHECK_OOM(st = new_options(&err), );
}

/* ---- who reads it -------------------------------------------------------- */

typedef struct trained {
    kith_dataset *data;
    kith_model *model;
    kith_solution *solution;
} trained;

static trained train_lcm(void)
{
    trained t = {.data = generated_with(120, 3, 12, .8, 5)};
    kith_train_options o;
    kith_split s = {0};
    kith_error err;

    kith_train_options_init(&o);
    o.fixed = KITH_FIX_ALL;
    CHECK_OK(kith_split_read(t.data, "0", &s, &err));
    CHECK_OK(kith_solution_train(t.data, "lcm", &s, &o, &t.model, &t.solution,
                                 &err));
    kith_split_release(&s);
    return t;
}

static void trained_release(trained *t)
{
    kith_solution_free(t->solution);
    kith_model_free(t->model);
    kith_dataset_free(t->data);
}

TEST(a_model_file_keeps_every_parameter)
{
    trained t = train_lcm();
    const kith_params was = t.model->params;
    const kith_option_info *row;
    kith_error err;

    for (int slot = 0; (row = kith__param_at_slot(slot)); slot++) {
        const double value = other_value(row, kith_params_get(&was, row));
        kith_model *back = NULL;

        t.model->params = was;
        /* tf-idf would ask for its weights */
        kith__param_store(&t.model->params, row, slot == 0 ? 0 : value);
        CHECK_OK(kith_model_save(t.model, check_path("p.km"), &err));
        CHECK_OK(kith_model_open(check_path("p.km"), &back, &err));
        for (int i = 0; (row = kith__param_at_slot(i)); i++)
            CHECK(kith_params_get(kith_model_params(back), row) ==
                  kith_params_get(&t.model->params, row));
        kith_model_free(back);
    }
    t.model->params = was;
    trained_release(&t);
}

TEST(a_report_tells_every_parameter_that_has_a_title)
{
    trained t = train_lcm();
    kith_report_input in = {.solution = t.solution, .title = "t"};
    kith_verdict_input judged;
    kith_verdict *verdict = NULL;
    const kith_option_info *row;
    float *p = room(t.data);
    kith_error err;

    kith_solution_probabilities(t.solution, p);
    kith_verdict_input_init(&judged);
    judged.data = t.data;
    judged.model = t.model;
    judged.probabilities = p;
    CHECK_OK(kith_verdict_new(&judged, &verdict, &err));
    in.verdict = verdict;
    for (int slot = 0; (row = kith__param_at_slot(slot)); slot++)
        if (row->title && kith_option_belongs(row, "lcm")) {
            const kith_params was = t.model->params;
            const double value = other_value(row, kith_params_get(&was, row));
            char wanted[200], word[KITH_OPTION_BUFFER], *html = NULL;
            size_t length;

            kith__param_store(&t.model->params, row, value);
            CHECK_OK(kith_report(&in, &html, &length, &err));
            kith_option_text(row, value, word);
            if (row->type == KITH_OPTION_INTEGER ||
                row->type == KITH_OPTION_REAL)
                snprintf(wanted, sizeof(wanted), "[\"%s\",%s,", row->title,
                         word);
            else
                snprintf(wanted, sizeof(wanted), "[\"%s\",\"%s\",", row->title,
                         word);
            CHECK(html && strstr(html, wanted) != NULL);
            kith_array_free(html);
            t.model->params = was;
        }
    kith_verdict_free(verdict);
    free(p);
    trained_release(&t);
}
