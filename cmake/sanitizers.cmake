# KITH_SANITIZE and KITH_FUZZ apply to everything that is compiled here.
if(KITH_FUZZ AND NOT CMAKE_C_COMPILER_ID MATCHES "Clang")
    message(FATAL_ERROR "KITH_FUZZ needs clang: cmake --preset fuzz")
endif()

set(sanitizers ${KITH_SANITIZE})
if(KITH_FUZZ)
    list(APPEND sanitizers fuzzer-no-link)
    # Optimised with all of these, its many inlined kernels take clang minutes.
    set_source_files_properties(src/kernels/operator_csr.c PROPERTIES
        COMPILE_OPTIONS "-O0")
endif()
if(sanitizers)
    list(JOIN sanitizers "," sanitizers)
    add_compile_options(-fsanitize=${sanitizers} -fno-sanitize-recover=all
                        -fno-omit-frame-pointer)
    add_link_options(-fsanitize=${sanitizers})
endif()

# A sanitizer's own functions are found only when a program is linked.
set(KITH_NO_UNDEFINED)
if(NOT sanitizers)
    set(KITH_NO_UNDEFINED "LINKER:--no-undefined")
endif()
