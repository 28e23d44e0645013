#include <sys/stat.h>

#include "check.h"

TEST(names_of_open_descriptors_are_known)
{
    char own[48];

    snprintf(own, sizeof(own), "/proc/%ld/fd/7", (long)getpid());
    CHECK_INT(kith_path_descriptor("/dev/stdin"), 0);
    CHECK_INT(kith_path_descriptor("/dev/stdout"), 1);
    CHECK_INT(kith_path_descriptor("/dev/stderr"), 2);
    CHECK_INT(kith_path_descriptor("/dev/fd/12"), 12);
    CHECK_INT(kith_path_descriptor("/proc/self/fd/3"), 3);
    CHECK_INT(kith_path_descriptor(own), 7);
}

TEST(other_paths_are_no_descriptors)
{
    static const char *const others[] = {
        "",         "-",          "stdout",     "/dev/null",    "/dev/stdout2",
        "/dev/fd/", "/dev/fd/1x", "/dev/fd/-1", "/proc/1/fd/1", "dev/fd/1"};

    for (size_t i = 0; i < sizeof(others) / sizeof(*others); i++)
        CHECK_INT(kith_path_descriptor(others[i]), -1);
}

TEST(pipes_devices_and_descriptors_are_streams)
{
    CHECK(mkfifo(check_path("pipe"), 0600) == 0);
    CHECK(kith_path_is_stream(check_path("pipe")));
    CHECK(kith_path_is_stream("-"));
    CHECK(kith_path_is_stream("/dev/null"));
    CHECK(kith_path_is_stream("/dev/fd/1"));
    CHECK(!kith_path_is_stream(check_file("file", "x")));
    CHECK(!kith_path_is_stream(check_path("missing")));
    CHECK(!kith_path_is_stream(check_folder()));
}
