# kith.spdx.json: what the command and the library are made of, as SPDX 2.3, with
# the versions that are linked here.  The same parts give the same bytes: the
# date is SOURCE_DATE_EPOCH's, or none.
set(parts)
function(kith_part name version license how)
    set(parts ${parts} "${name}|${version}|${license}|${how}" PARENT_SCOPE)
endfunction()

kith_part(xxhash "${XXHASH_VERSION}" BSD-2-Clause DYNAMIC_LINK)
kith_part(liblbfgs "${LBFGS_VERSION}" MIT DYNAMIC_LINK)
if(KITH_WITH_OPENMP AND CMAKE_C_COMPILER_ID STREQUAL "GNU")
    kith_part(libgomp "${CMAKE_C_COMPILER_VERSION}"
        "GPL-3.0-or-later WITH GCC-exception-3.1" DYNAMIC_LINK)
elseif(KITH_WITH_OPENMP)
    kith_part(libomp "${CMAKE_C_COMPILER_VERSION}"
        "Apache-2.0 WITH LLVM-exception" DYNAMIC_LINK)
endif()
if(KITH_WITH_BLAS) # loaded when it is first needed
    kith_part(openblas "${OPENBLAS_VERSION}" BSD-3-Clause DEPENDS_ON)
endif()
if(KITH_WITH_ZLIB)
    kith_part(zlib "${ZLIB_VERSION}" Zlib DYNAMIC_LINK)
endif()
if(KITH_WITH_EXPAT)
    kith_part(expat "${EXPAT_VERSION}" MIT DYNAMIC_LINK)
endif()
if(KITH_WITH_SQLITE)
    kith_part(sqlite3 "${SQLITE_VERSION}" blessing DYNAMIC_LINK)
endif()
if(KITH_WITH_ZSTD)
    kith_part(zstd "${ZSTD_VERSION}" "BSD-3-Clause OR GPL-2.0-only" DYNAMIC_LINK)
endif()

function(kith_package out id name version license)
    set(${out} "    {
      \"SPDXID\": \"SPDXRef-${id}\",
      \"name\": \"${name}\",
      \"versionInfo\": \"${version}\",
      \"downloadLocation\": \"NOASSERTION\",
      \"filesAnalyzed\": false,
      \"licenseConcluded\": \"NOASSERTION\",
      \"licenseDeclared\": \"${license}\",
      \"copyrightText\": \"NOASSERTION\",
      \"externalRefs\": [
        {
          \"referenceCategory\": \"PACKAGE-MANAGER\",
          \"referenceType\": \"purl\",
          \"referenceLocator\": \"pkg:generic/${name}@${version}\"
        }
      ]
    }" PARENT_SCOPE)
endfunction()

kith_package(packages kith kith "${PROJECT_VERSION}" MIT)
set(relations "    {
      \"spdxElementId\": \"SPDXRef-DOCUMENT\",
      \"relationshipType\": \"DESCRIBES\",
      \"relatedSpdxElement\": \"SPDXRef-kith\"
    }")
foreach(part IN LISTS parts)
    string(REPLACE "|" ";" part "${part}")
    list(GET part 0 name)
    list(GET part 1 version)
    list(GET part 2 license)
    list(GET part 3 how)
    kith_package(package "${name}" "${name}" "${version}" "${license}")
    string(APPEND packages ",\n${package}")
    string(APPEND relations ",
    {
      \"spdxElementId\": \"SPDXRef-kith\",
      \"relationshipType\": \"${how}\",
      \"relatedSpdxElement\": \"SPDXRef-${name}\"
    }")
endforeach()

set(created "1970-01-01T00:00:00Z")
if(DEFINED ENV{SOURCE_DATE_EPOCH})
    string(TIMESTAMP created "%Y-%m-%dT%H:%M:%SZ" UTC)
endif()
string(SHA1 digest "${packages}")
file(CONFIGURE OUTPUT kith.spdx.json @ONLY CONTENT [[{
  "spdxVersion": "SPDX-2.3",
  "dataLicense": "CC0-1.0",
  "SPDXID": "SPDXRef-DOCUMENT",
  "name": "kith-@PROJECT_VERSION@",
  "documentNamespace": "https://spdx.org/spdxdocs/kith-@PROJECT_VERSION@-@digest@",
  "creationInfo": {
    "created": "@created@",
    "creators": [
      "Tool: cmake/sbom.cmake"
    ]
  },
  "packages": [
@packages@
  ],
  "relationships": [
@relations@
  ]
}
]])
