# KITH_HARDENING to compile with, KITH_HARD_LINKS to link with: what makes a
# fault that is still there harder to use.  Not with the sanitizers, which look
# for the same and get in each other's way.
option(KITH_HARDENED "Stack protector, _FORTIFY_SOURCE, RELRO and the like" ON)
include(CheckCCompilerFlag)
include(CheckLinkerFlag)
include(CheckPIESupported)

set(KITH_HARDENING)
set(KITH_HARD_LINKS)
if(KITH_HARDENED AND NOT KITH_SANITIZE AND NOT KITH_FUZZ)
    check_pie_supported(LANGUAGES C)
    set(CMAKE_POSITION_INDEPENDENT_CODE ON) # for programs: -fPIE and -pie
    foreach(flag IN ITEMS stack-protector-strong stack-clash-protection
            cf-protection)
        string(MAKE_C_IDENTIFIER "C_HAS_F_${flag}" known)
        check_c_compiler_flag("-f${flag}" ${known})
        if(${known})
            list(APPEND KITH_HARDENING "-f${flag}")
        endif()
    endforeach()
    # It needs optimisation, and distributions may have set their own already.
    if(NOT CMAKE_BUILD_TYPE STREQUAL "Debug" AND
       NOT CMAKE_C_FLAGS MATCHES "_FORTIFY_SOURCE")
        list(APPEND KITH_HARDENING -U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=2)
    endif()
    foreach(flag IN ITEMS relro now noexecstack)
        check_linker_flag(C "-Wl,-z,${flag}" C_LINKS_Z_${flag})
        if(C_LINKS_Z_${flag})
            list(APPEND KITH_HARD_LINKS "-Wl,-z,${flag}")
        endif()
    endforeach()
endif()
