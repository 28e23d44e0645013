# KITH_WARNINGS: all that gcc 12 or clang 14 can say without false alarms.
include(CheckCCompilerFlag)

set(KITH_WARNINGS)
foreach(warning IN ITEMS
        all extra shadow conversion strict-prototypes missing-prototypes
        old-style-definition missing-declarations redundant-decls
        nested-externs vla alloca undef pointer-arith cast-align
        format=2 format-signedness write-strings implicit-fallthrough date-time
        # gcc only
        logical-op duplicated-cond trampolines
        # clang only
        comma loop-analysis unreachable-code assign-enum)
    string(MAKE_C_IDENTIFIER "C_HAS_W_${warning}" known)
    check_c_compiler_flag("-W${warning}" ${known})
    if(${known})
        list(APPEND KITH_WARNINGS "-W${warning}")
    endif()
endforeach()
# gcc cannot know that `TRY(kith__fail(...))` always jumps; the sanitizers and
# clang-tidy look for what is read before it is set.  And snprintf() may cut.
if(CMAKE_C_COMPILER_ID STREQUAL "GNU")
    list(APPEND KITH_WARNINGS -Wno-maybe-uninitialized -Wno-format-truncation)
endif()
if(NOT KITH_WITH_OPENMP)
    # `num_threads(T)` may be all that uses T.
    list(APPEND KITH_WARNINGS -Wno-unknown-pragmas -Wno-unused-parameter
         -Wno-unused-variable -Wno-unused-but-set-variable)
endif()
# What a sanitizer adds to the code misleads gcc's warnings.
if(KITH_WERROR AND NOT KITH_SANITIZE)
    list(APPEND KITH_WARNINGS -Werror)
endif()
