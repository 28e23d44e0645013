# KITH_WARNINGS: all that gcc 12 or clang 14 can say without false alarms.
include(CheckCCompilerFlag)

set(KITH_WARNINGS)
foreach(warning IN ITEMS
        all extra shadow conversion strict-prototypes missing-prototypes
        old-style-definition missing-declarations redundant-decls
        nested-externs vla alloca undef pointer-arith cast-align cast-qual
        format=2 format-signedness write-strings implicit-fallthrough date-time
        float-equal
        # gcc only
        logical-op duplicated-cond trampolines
        # clang only
        comma loop-analysis unreachable-code conditional-uninitialized
        assign-enum)
    string(MAKE_C_IDENTIFIER "C_HAS_W_${warning}" known)
    check_c_compiler_flag("-W${warning}" ${known})
    if(${known})
        list(APPEND KITH_WARNINGS "-W${warning}")
    endif()
endforeach()
if(NOT KITH_WITH_OPENMP)
    list(APPEND KITH_WARNINGS -Wno-unknown-pragmas)
endif()
if(KITH_WERROR)
    list(APPEND KITH_WARNINGS -Werror)
endif()
