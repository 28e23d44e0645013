#include <sys/stat.h>

#include "check.h"
#include "data/files.h"

static bool exists(const char *name)
{
    return access(check_path(name), F_OK) == 0;
}

TEST(a_folder_that_cannot_be_renamed_leaves_the_old_one)
{
    kith__folder f;
    kith_error err = {0};

    CHECK(mkdir(check_path("set"), 0777) == 0);
    check_file("set/old", "x");
    CHECK_OK(kith__folder_begin(check_path("set"), true, &f, &err));
    CHECK(rmdir(f.temp) == 0); /* so that the rename fails */
    CHECK(kith__folder_commit(&f, &err) == KITH_ERR_IO);
    CHECK(strstr(err.text, "cannot create the folder"));
    kith__folder_release(&f);
    CHECK(exists("set/old"));
}

TEST(a_folder_replaces_the_one_behind_a_link)
{
    kith__folder f;
    kith_error err = {0};

    CHECK(mkdir(check_path("real"), 0777) == 0);
    check_file("real/old", "x");
    CHECK(symlink("real", check_path("link")) == 0);
    CHECK_OK(kith__folder_begin(check_path("link"), true, &f, &err));
    CHECK_OK(kith__folder_commit(&f, &err));
    kith__folder_release(&f);
    CHECK(exists("real") && exists("link") && !exists("real/old"));
}

TEST(only_folders_without_files_are_empty)
{
    CHECK(mkdir(check_path("bare"), 0777) == 0);
    CHECK(kith__folder_empty(check_path("bare")));
    check_file("bare/.hidden", "");
    CHECK(!kith__folder_empty(check_path("bare")));
    CHECK(!kith__folder_empty(check_path("missing")));
}
