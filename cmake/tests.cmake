# One program per tests/unit/test_*.c and per tests/fuzz/fuzz_*.c;
# tests/run.sh runs them.  CMake's own `ctest` is not used.
if(NOT KITH_FUZZ)
    file(GLOB unit_tests CONFIGURE_DEPENDS tests/unit/test_*.c)
endif()
file(GLOB fuzz_targets CONFIGURE_DEPENDS tests/fuzz/fuzz_*.c)
set(fuzz_helpers tests/fuzz/fuzz.c tests/fuzz/small_set.c)
file(REAL_PATH "../shared/data" shared_data
     BASE_DIRECTORY "${PROJECT_SOURCE_DIR}")

# Tests may do what the library may not; linked, hence heeded, after kith_flags.
add_library(kith_test_leave INTERFACE)
target_compile_options(kith_test_leave INTERFACE
    -Wno-format-nonliteral
    $<$<C_COMPILER_ID:Clang>:-Wno-string-concatenation> # "\xef" "0"
    $<$<C_COMPILER_ID:GNU>:-Wno-clobbered>) # sees setjmp(), not how it is used

# Tests see the library's internals and what it was built with.
add_library(kith_test_flags INTERFACE)
target_compile_definitions(kith_test_flags INTERFACE
    KITH_TESTS="${PROJECT_SOURCE_DIR}/tests"
    KITH_SHARED="${shared_data}"
    ${KITH_HAVE})
if(TARGET PkgConfig::LAPACKE)
    target_compile_definitions(kith_test_flags INTERFACE KITH_HAVE_LAPACKE)
    target_link_libraries(kith_test_flags INTERFACE PkgConfig::LAPACKE)
endif()
target_include_directories(kith_test_flags INTERFACE src)
target_link_libraries(kith_test_flags INTERFACE
    kith_flags kith_test_leave kith_tools kith_static ${KITH_LIBRARIES})

add_library(kith_check OBJECT tests/unit/check.c)
target_link_libraries(kith_check PRIVATE kith_test_flags)

foreach(source IN LISTS unit_tests)
    cmake_path(GET source STEM name)
    add_executable(${name} ${source})
    target_link_libraries(${name} PRIVATE kith_check kith_test_flags)
    set_target_properties(${name} PROPERTIES
        RUNTIME_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/tests/unit")
endforeach()

# The examples, as a user of the shared library compiles them.
file(GLOB examples CONFIGURE_DEPENDS examples/*.c)
foreach(source IN LISTS examples)
    cmake_path(GET source STEM name)
    add_executable(example_${name} ${source})
    target_link_libraries(example_${name} PRIVATE kith_flags kith_shared)
    set_target_properties(example_${name} PROPERTIES
        OUTPUT_NAME ${name}
        RUNTIME_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/examples")
endforeach()

# Seeds of the binary formats come from today's writer.
add_executable(write_seeds tests/fuzz/write_seeds.c ${fuzz_helpers})
target_link_libraries(write_seeds PRIVATE kith_test_flags)
set(seeds "${PROJECT_BINARY_DIR}/tests/fuzz/seeds")
add_custom_command(OUTPUT "${seeds}/stamp"
    COMMAND ${CMAKE_COMMAND} -E rm -rf "${seeds}"
    # clang's OpenMP is not made for ThreadSanitizer: see tests/run.sh
    COMMAND ${CMAKE_COMMAND} -E env
            TSAN_OPTIONS=ignore_noninstrumented_modules=1
            $<TARGET_FILE:write_seeds> "${seeds}"
    COMMAND ${CMAKE_COMMAND} -E touch "${seeds}/stamp"
    DEPENDS write_seeds
    COMMENT "Writing seeds for the fuzzers"
    VERBATIM)
add_custom_target(seeds ALL DEPENDS "${seeds}/stamp")

# libFuzzer brings its own main(); elsewhere replay.c feeds the corpus.
foreach(source IN LISTS fuzz_targets)
    cmake_path(GET source STEM name)
    add_executable(${name} ${source} ${fuzz_helpers})
    target_link_libraries(${name} PRIVATE kith_test_flags)
    if(KITH_FUZZ)
        target_link_options(${name} PRIVATE -fsanitize=fuzzer)
    else()
        target_sources(${name} PRIVATE tests/fuzz/replay.c)
    endif()
    set_target_properties(${name} PROPERTIES
        RUNTIME_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/tests/fuzz")
endforeach()

# What tests/faults runs beside the command, and what it breaks commands with
# (Linux).
add_executable(flips tests/faults/flips.c)
target_link_libraries(flips PRIVATE kith_test_flags)
add_executable(fault tests/faults/fault.c)
target_link_libraries(fault PRIVATE kith_flags)
set_target_properties(flips fault PROPERTIES
    RUNTIME_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/tests/faults")
