# Library, headers, kith.pc, CMake package, command, man pages, completions.
include(CMakePackageConfigHelpers)

set(package_dir "${CMAKE_INSTALL_LIBDIR}/cmake/kith")
set(pc_dir "${CMAKE_INSTALL_LIBDIR}/pkgconfig")

install(TARGETS kith_shared EXPORT kithTargets)
install(TARGETS kith_static EXPORT kithStaticTargets)
install(FILES ${public_headers} DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}/kith")

# Paths in kith.pc start at kith.pc itself, so that the tree can be moved.
file(RELATIVE_PATH pc_to_prefix "/${pc_dir}" "/")
cmake_path(NORMAL_PATH pc_to_prefix)
list(JOIN KITH_PC_REQUIRES " " pc_requires)
list(JOIN KITH_PC_LIBS " " pc_libs)
configure_file(cmake/kith.pc.in kith.pc @ONLY)
install(FILES "${PROJECT_BINARY_DIR}/kith.pc" DESTINATION "${pc_dir}")

configure_package_config_file(cmake/kithConfig.cmake.in kithConfig.cmake
    INSTALL_DESTINATION "${package_dir}"
    NO_SET_AND_CHECK_MACRO)
write_basic_package_version_file(kithConfigVersion.cmake
    COMPATIBILITY SameMinorVersion)
install(FILES "${PROJECT_BINARY_DIR}/kithConfig.cmake"
              "${PROJECT_BINARY_DIR}/kithConfigVersion.cmake"
        DESTINATION "${package_dir}")
install(EXPORT kithTargets NAMESPACE kith:: DESTINATION "${package_dir}")
install(EXPORT kithStaticTargets NAMESPACE kith:: DESTINATION "${package_dir}")

install(FILES LICENSE README.md CHANGELOG.md SECURITY.md
              "${PROJECT_BINARY_DIR}/kith.spdx.json"
        DESTINATION "${CMAKE_INSTALL_DOCDIR}" OPTIONAL)
install(DIRECTORY docs/ DESTINATION "${CMAKE_INSTALL_DOCDIR}" OPTIONAL
        FILES_MATCHING PATTERN "*.md")

# The command writes its own man pages and completions, from its option tables.
if(KITH_BUILD_CLI)
    set(docs "${PROJECT_BINARY_DIR}/docs")
    add_custom_command(OUTPUT "${docs}/stamp"
        COMMAND ${CMAKE_COMMAND} -E rm -rf "${docs}"
        COMMAND ${CMAKE_COMMAND} -E make_directory "${docs}/man"
        COMMAND kith_cli docs man "${docs}/man"
        COMMAND kith_cli docs completion bash > "${docs}/kith"
        COMMAND kith_cli docs completion zsh > "${docs}/_kith"
        COMMAND kith_cli docs completion fish > "${docs}/kith.fish"
        COMMAND ${CMAKE_COMMAND} -E touch "${docs}/stamp"
        DEPENDS kith_cli
        COMMENT "Writing man pages and completions"
        VERBATIM)
    add_custom_target(kith_docs DEPENDS "${docs}/stamp")

    install(TARGETS kith_cli)
    install(CODE "execute_process(COMMAND \"${CMAKE_COMMAND}\" --build
        \"${PROJECT_BINARY_DIR}\" --target kith_docs COMMAND_ERROR_IS_FATAL ANY)")
    install(DIRECTORY "${docs}/man/" DESTINATION "${CMAKE_INSTALL_MANDIR}/man1"
            FILES_MATCHING PATTERN "*.1")
    install(FILES "${docs}/kith"
            DESTINATION "${CMAKE_INSTALL_DATADIR}/bash-completion/completions")
    install(FILES "${docs}/_kith"
            DESTINATION "${CMAKE_INSTALL_DATADIR}/zsh/site-functions")
    install(FILES "${docs}/kith.fish"
            DESTINATION "${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d")
endif()
