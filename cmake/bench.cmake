# What `make bench` runs beside the command: it sees the library's internals.
add_executable(bench_methods bench/methods.c)
target_link_libraries(bench_methods PRIVATE kith_test_flags)
set_target_properties(bench_methods PROPERTIES
    RUNTIME_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/bench")
