#include <fcntl.h>
#include <inttypes.h>
#include <sys/file.h>
#include <sys/stat.h>

#include "check.h"
#include "core/out_set.h"
#include "core/temp_files.h"

static bool holds(const char *name, const char *text)
{
    char found[64] = "";
    FILE *in = fopen(check_path(name), "r");

    if (!in)
        return strcmp(text, "-") == 0;
    found[fread(found, 1, sizeof(found) - 1, in)] = '\0';
    fclose(in);
    return strcmp(found, text) == 0;
}

static void write_new(kith_outputs *s, const char *name)
{
    kith_error err;
    int fd = -1;

    CHECK_OK(kith_outputs_open(s, check_path(name), &fd, &err));
    CHECK(write(fd, "new", 3) == 3);
}

/* Names in the test's folder that begin so. */
static int count(const char *start)
{
    char command[200];
    FILE *in;
    int n = -1;

    snprintf(command, sizeof(command), "ls -A %s | grep -c '^%s'",
             check_folder(), start);
    in = popen(command, "r");
    if (in && fscanf(in, "%d", &n) != 1)
        n = -1;
    if (in)
        pclose(in);
    return n;
}

TEST(a_set_appears_at_the_commit_and_not_before)
{
    kith_outputs *s = NULL;
    kith_error err;

    check_file("a1", "old");
    check_file("a3", "old");
    CHECK_OK(kith_outputs_new(&s, &err));
    write_new(s, "a1");
    write_new(s, "a2");
    CHECK_OK(kith__outputs_add_removal(s, check_path("a3"), &err));
    CHECK(holds("a1", "old") && holds("a2", "-") && holds("a3", "old"));
    CHECK_OK(kith_outputs_commit(s, &err));
    CHECK(holds("a1", "new") && holds("a2", "new") && holds("a3", "-"));
    CHECK_INT(count("\\.a"), 0);
    kith_outputs_free(s);
}

TEST(a_set_that_is_not_committed_leaves_nothing)
{
    kith_outputs *s = NULL;
    kith_error err;

    check_file("b1", "old");
    CHECK_OK(kith_outputs_new(&s, &err));
    write_new(s, "b1");
    write_new(s, "b2");
    kith_outputs_free(s);
    CHECK(holds("b1", "old") && holds("b2", "-"));
    CHECK_INT(count("\\.b"), 0);
}

TEST(if_one_cannot_take_its_place_none_does)
{
    kith_outputs *s = NULL;
    kith_error err;

    check_file("c1", "old");
    check_file("c2", "old");
    CHECK_OK(kith_outputs_new(&s, &err));
    write_new(s, "c0");
    write_new(s, "c1");
    CHECK_OK(kith__outputs_add_removal(s, check_path("c2"), &err));
    write_new(s, "c3");
    CHECK(mkdir(check_path("c3"), 0777) == 0); /* in the meantime */
    check_file("c3/kept", "x");
    CHECK(kith_outputs_commit(s, &err) == KITH_ERR_IO);
    CHECK(strstr(err.path, "c3") && strstr(err.text, "cannot replace"));
    CHECK(holds("c0", "-") && holds("c1", "old") && holds("c2", "old"));
    CHECK(holds("c3/kept", "x"));
    CHECK_INT(count("\\.c"), 0);
    kith_outputs_free(s);
}

TEST(a_set_survives_every_failed_allocation)
{
    check_file("o1", "old");
    check_file("o2", "old");
    CHECK_OOM({
        kith_outputs *s = NULL;
        kith__out *o = NULL;

        st = kith_outputs_new(&s, NULL);
        for (int i = 1; st == KITH_OK && i <= 2; i++) {
            st = kith__out_open(check_path(i == 1 ? "o1" : "o2"), &o, NULL);
            if (st == KITH_OK)
                st = kith__out_write(o, "new", 3, NULL);
            if (st == KITH_OK)
                st = kith__outputs_add(s, o, NULL);
        }
        if (st == KITH_OK)
            st = kith_outputs_commit(s, NULL);
        kith_outputs_free(s);
        if (st != KITH_OK)
            CHECK(holds("o1", "old") && holds("o2", "old"));
    }, );
    CHECK(holds("o1", "new") && holds("o2", "new"));
    CHECK_INT(count("\\.o"), 0);
}

/* ---- killed runs --------------------------------------------------------- */

/* As docs/reliability.md has it: what tells a file from another. */
static const char *identity(const char *name)
{
    static char text[4][96];
    static int turn;
    struct stat at;
    char *out = text[turn++ % 4];

    if (lstat(check_path(name), &at) != 0)
        return "-";
    snprintf(out, sizeof(text[0]), "%" PRIuMAX ".%" PRIdMAX ".%" PRIdMAX ".%ld",
             (uintmax_t)at.st_ino, (intmax_t)at.st_size,
             (intmax_t)at.st_mtim.tv_sec, at.st_mtim.tv_nsec);
    return out;
}

/* What a run leaves that is killed before the first file took its place: the
 * files NAME1 and NAME2 are old, those that wait are new. */
static void leave(const char *name)
{
    char path[2][40], temp[2][60], list[60];
    FILE *out;

    snprintf(list, sizeof(list), ".%s1.kith-set", name);
    for (int i = 0; i < 2; i++) {
        snprintf(path[i], sizeof(path[i]), "%s%d", name, i + 1);
        snprintf(temp[i], sizeof(temp[i]), ".%s.kith-new-1-%d", path[i], i);
        check_file(path[i], "old");
        check_file(temp[i], "new!");
    }
    out = fopen(check_path(list), "w");
    fprintf(out, "kith set 1%c", 0);
    for (int i = 0; i < 2; i++)
        fprintf(out, "f .kith-new-1-%d %s %s %s%c", i, identity(temp[i]),
                identity(path[i]), path[i], 0);
    fprintf(out, "end%c", 0);
    fclose(out);
}

TEST(whoever_opens_the_first_finishes_a_set)
{
    kith_error err;

    leave("d");
    CHECK_OK(kith__outputs_settle(check_path("d2"), &err));
    CHECK(holds("d1", "old") && holds("d2", "old"));
    CHECK_OK(kith__outputs_settle(check_path("d1"), &err));
    CHECK(holds("d1", "new!") && holds("d2", "new!"));
    CHECK_INT(count("\\.d"), 0);
}

TEST(readers_and_writers_do)
{
    kith_error err;
    kith_graph *g = NULL;
    kith_model *m = NULL;
    kith__out *o = NULL;

    leave("e");
    CHECK(kith_graph_read(check_path("e1"), NULL, &g, NULL, &err) != KITH_OK);
    CHECK(holds("e2", "new!"));
    leave("f");
    CHECK(kith_model_open(check_path("f1"), &m, &err) != KITH_OK);
    CHECK(holds("f2", "new!"));
    leave("g");
    CHECK_OK(kith__out_open(check_path("g1"), &o, &err));
    kith__out_abort(o);
    CHECK(holds("g2", "new!"));
}

TEST(a_set_that_is_half_in_place_is_finished)
{
    kith_error err;

    leave("h");
    CHECK(kith__exchange(check_path(".h1.kith-new-1-0"), check_path("h1")));
    CHECK_OK(kith__outputs_settle(check_path("h1"), &err));
    CHECK(holds("h1", "new!") && holds("h2", "new!"));
    CHECK_INT(count("\\.h"), 0);
}

TEST(what_was_changed_since_is_left_alone)
{
    kith_error err;

    leave("i");
    check_file("i2", "mine, later");
    CHECK_OK(kith__outputs_settle(check_path("i1"), &err));
    CHECK(holds("i1", "new!") && holds("i2", "mine, later"));
    CHECK_INT(count("\\.i"), 0);
}

TEST(lists_that_others_wrote_are_refused)
{
    kith_error err = {0};

    leave("j");
    if (geteuid() != 0)
        check_skip("needs root");
    CHECK(chown(check_path(".j1.kith-set"), 1, 1) == 0);
    CHECK(kith__outputs_settle(check_path("j1"), &err) == KITH_ERR_IO);
    CHECK(strstr(err.text, "another user"));
    CHECK(holds("j1", "old"));
}

TEST(broken_lists_are_refused)
{
    static const char *const broken[] = {"kith set 2 and more",
                                         "something else altogether",
                                         "a list that is not, but long enough"};
    kith_error err = {0};

    check_file("k1", "old");
    for (int i = 0; i < 3; i++) {
        check_file(".k1.kith-set", broken[i]);
        CHECK(kith__outputs_settle(check_path("k1"), &err) == KITH_ERR_CORRUPT);
        CHECK(strstr(err.path, ".k1.kith-set"));
    }
}

TEST(leftovers_of_the_dead_are_removed_those_of_the_living_stay)
{
    kith_error err;
    kith__out *o = NULL, *other = NULL;
    int fd;

    check_file(".l.kith-99-0", "dead");
    check_file(".l.kith-new-99-0", "perhaps in a list");
    check_file(".l.kith-new-99-0.bak", "a user's");
    check_file(".l.kith-99", "a user's");
    check_file(".ll.kith-99-0", "of another file");
    check_file(".l.kith-98-0", "alive");
    fd = open(check_path(".l.kith-98-0"), O_RDONLY);
    CHECK(fd >= 0 && flock(fd, LOCK_EX) == 0);
    CHECK_OK(kith__out_open(check_path("l"), &o, &err));
    CHECK(holds(".l.kith-99-0", "-") && holds(".l.kith-98-0", "alive"));
    CHECK(holds(".l.kith-new-99-0", "perhaps in a list"));
    CHECK_OK(kith__out_open(check_path("l"), &other, &err));
    CHECK_OK(kith__out_commit(other, &err));
    CHECK_OK(kith__out_commit(o, &err));
    CHECK(holds("l", "") && holds(".l.kith-new-99-0", "-"));
    CHECK(holds(".l.kith-98-0", "alive") && holds(".l.kith-99", "a user's"));
    CHECK(holds(".l.kith-new-99-0.bak", "a user's"));
    CHECK(holds(".ll.kith-99-0", "of another file"));
    close(fd);
}

TEST(names_may_be_as_long_as_names_can_be)
{
    kith_outputs *s = NULL;
    kith_error err;
    char name[2][256];

    for (int i = 0; i < 2; i++) {
        memset(name[i], 'x', 255);
        name[i][254] = (char)('0' + i);
        name[i][255] = '\0';
        check_file(name[i], "old");
    }
    CHECK_OK(kith_outputs_new(&s, &err));
    write_new(s, name[0]);
    write_new(s, name[1]);
    CHECK_OK(kith_outputs_commit(s, &err));
    CHECK(holds(name[0], "new") && holds(name[1], "new"));
    CHECK_INT(count("\\.x"), 0);
    kith_outputs_free(s);
}
