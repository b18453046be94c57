# SPDX-License-Identifier: GPL-3.0-or-later
# Turns files into one C file with the table that engine/base/embed.h declares. Needs nothing but CMake.
#
#   include(cmake/Embed.cmake)
#   weir_embed(EMBEDDED_SOURCE ${PROJECT_SOURCE_DIR}/rules/devices.json ...)
#   add_library(thing OBJECT ${EMBEDDED_SOURCE})
#
# The first argument is a variable that receives the path of the generated file. Files are absolute or relative to the
# caller's folder; the table names them by their path from the project's root, in the order of the arguments. The C
# file is made at build time, again whenever a file or this script changes.

if(NOT CMAKE_SCRIPT_MODE_FILE)
  set(WEIR_EMBED_SCRIPT ${CMAKE_CURRENT_LIST_FILE})

  function(weir_embed variable)
    set(output ${PROJECT_BINARY_DIR}/generated/embedded.c)
    set(files)
    foreach(file IN LISTS ARGN)
      get_filename_component(file ${file} ABSOLUTE)
      list(APPEND files ${file})
    endforeach()
    add_custom_command(
      OUTPUT ${output}
      COMMAND ${CMAKE_COMMAND} -D OUTPUT=${output} -D ROOT=${PROJECT_SOURCE_DIR} -D "FILES=${files}"
              -P ${WEIR_EMBED_SCRIPT}
      DEPENDS ${files} ${WEIR_EMBED_SCRIPT}
      COMMENT "Embedding files"
      VERBATIM)
    set(${variable} ${output} PARENT_SCOPE)
  endfunction()

  return()
endif()

# From here on: the build's call, cmake -D OUTPUT=... -D ROOT=... -D FILES=... -P Embed.cmake

# Characters one by one, since a string literal may hold no more than 4095; sixteen a line.
function(array_of file number out)
  file(READ ${file} hex HEX)
  string(LENGTH "${hex}" length)
  math(EXPR length "${length} / 2")
  string(REGEX REPLACE "(................................)" "\\1\n\t" hex "${hex}")
  string(REGEX REPLACE "([0-9a-f][0-9a-f])" "'\\\\x\\1', " hex "${hex}")
  string(REPLACE " \n" "\n" hex "${hex}")
  file(RELATIVE_PATH name ${ROOT} ${file})
  set(${out}_array "static const char data_${number}[] = {\n\t${hex}0,\n};\n\n" PARENT_SCOPE)
  set(${out}_row "\t{ \"${name}\", data_${number}, ${length} },\n" PARENT_SCOPE)
endfunction()

set(arrays "")
set(rows "")
set(number 0)
foreach(file IN LISTS FILES)
  array_of(${file} ${number} one)
  string(APPEND arrays "${one_array}")
  string(APPEND rows "${one_row}")
  math(EXPR number "${number} + 1")
endforeach()

file(WRITE ${OUTPUT}
     "/* Made by engine/cmake/Embed.cmake. */\n#include \"engine/base/embed.h\"\n\n${arrays}"
     "const struct weir_embedded weir_embedded_files[] = {\n${rows}\t{ NULL, NULL, 0 },\n};\n")
