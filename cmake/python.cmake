# The extension module of the Python package, one for all CPythons from 3.9 on
# (the stable ABI), and beside it the package's files: BUILD/python/kith.  Not
# with the sanitizers, which the interpreter would have to be started with.
if(NOT KITH_BUILD_PYTHON OR KITH_SANITIZE OR KITH_FUZZ)
    return()
endif()
# Debian's own; another comes with -DPython3_EXECUTABLE=...
if(NOT Python3_EXECUTABLE AND EXISTS /usr/bin/python3)
    set(Python3_EXECUTABLE /usr/bin/python3)
endif()
find_package(Python3 3.9 QUIET COMPONENTS Interpreter Development.Module)
if(NOT Python3_Development.Module_FOUND)
    message(STATUS "No Python package is built: python3-dev is not installed")
    return()
endif()

set(python_dir "${PROJECT_BINARY_DIR}/python/kith")
file(GLOB python_sources CONFIGURE_DEPENDS python/ext/*.c)
file(GLOB python_files CONFIGURE_DEPENDS python/kith/*)

add_library(kith_python MODULE ${python_sources})
target_include_directories(kith_python SYSTEM PRIVATE ${Python3_INCLUDE_DIRS})
target_link_libraries(kith_python PRIVATE
    kith_flags kith_static ${KITH_LIBRARIES})
# The library's names stay inside: nothing but the module's start is exported.
target_link_options(kith_python PRIVATE
    ${KITH_HARD_LINKS} "LINKER:--exclude-libs,ALL")
set_target_properties(kith_python PROPERTIES
    PREFIX ""
    OUTPUT_NAME _kith
    SUFFIX .abi3.so
    C_VISIBILITY_PRESET hidden
    LIBRARY_OUTPUT_DIRECTORY "${python_dir}")
file(MAKE_DIRECTORY "${python_dir}")
foreach(file IN LISTS python_files)
    if(NOT IS_DIRECTORY "${file}")
        cmake_path(GET file FILENAME name)
        file(CREATE_LINK "${file}" "${python_dir}/${name}" SYMBOLIC)
    endif()
endforeach()
