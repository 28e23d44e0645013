# KITH_LIBRARIES to link, KITH_HAVE to define; each optional part switches off.
find_package(PkgConfig REQUIRED)
pkg_check_modules(XXHASH REQUIRED IMPORTED_TARGET libxxhash)
pkg_check_modules(LBFGS REQUIRED IMPORTED_TARGET liblbfgs)

set(KITH_HAVE)
set(KITH_LIBRARIES PkgConfig::XXHASH PkgConfig::LBFGS m)
set(KITH_PC_REQUIRES libxxhash liblbfgs) # for those who link libkith.a
set(KITH_PC_LIBS -lm)

if(KITH_WITH_OPENMP)
    find_package(OpenMP REQUIRED COMPONENTS C)
    list(APPEND KITH_LIBRARIES OpenMP::OpenMP_C)
    list(APPEND KITH_PC_LIBS ${OpenMP_C_FLAGS})
endif()
if(KITH_WITH_BLAS)
    pkg_check_modules(OPENBLAS REQUIRED openblas)
    list(APPEND KITH_HAVE KITH_HAVE_BLAS)
    # Its header alone: kernels/gemm.c loads the library when it needs it.
    set_source_files_properties(src/kernels/gemm.c PROPERTIES
        INCLUDE_DIRECTORIES "${OPENBLAS_INCLUDE_DIRS}")
    list(APPEND KITH_LIBRARIES ${CMAKE_DL_LIBS})
    pkg_check_modules(LAPACKE IMPORTED_TARGET lapacke) # for the tests alone
endif()
if(KITH_WITH_XGBOOST)
    # Its header alone: models/potentials/boosted_trees.c loads the library.
    find_path(XGBOOST_INCLUDE xgboost/c_api.h REQUIRED)
    list(APPEND KITH_HAVE KITH_HAVE_XGBOOST)
    list(APPEND KITH_LIBRARIES ${CMAKE_DL_LIBS})
endif()
if(KITH_WITH_ZLIB)
    pkg_check_modules(ZLIB REQUIRED IMPORTED_TARGET zlib)
    list(APPEND KITH_HAVE KITH_HAVE_ZLIB)
    list(APPEND KITH_LIBRARIES PkgConfig::ZLIB)
    list(APPEND KITH_PC_REQUIRES zlib)
endif()
if(KITH_WITH_ZSTD)
    pkg_check_modules(ZSTD REQUIRED IMPORTED_TARGET libzstd)
    list(APPEND KITH_HAVE KITH_HAVE_ZSTD)
    list(APPEND KITH_LIBRARIES PkgConfig::ZSTD)
    list(APPEND KITH_PC_REQUIRES libzstd)
endif()
