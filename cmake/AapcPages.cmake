# Manual pages and completions, written by the program itself, which is where their words are. Run by the installation:
#   cmake -D PROGRAM=bin/aapc -D DIRECTORY=pages -D WRITTEN=aapc-topology.5 -P AapcPages.cmake
# WRITTEN is the page on topology files, which people write.
function(page output)
  execute_process(COMMAND ${PROGRAM} ${ARGN} OUTPUT_VARIABLE text COMMAND_ERROR_IS_FATAL ANY)
  file(WRITE ${DIRECTORY}/${output} "${text}")
endfunction()

file(REMOVE_RECURSE ${DIRECTORY})
page(man1/aapc.1 manual)
file(STRINGS ${DIRECTORY}/man1/aapc.1 lines REGEX "^.fBaapc [a-z]+.fR$")
foreach(line IN LISTS lines)
  string(REGEX REPLACE "^.fBaapc ([a-z]+).fR$" "\\1" command "${line}")
  page(man1/aapc-${command}.1 manual ${command})
endforeach()
file(COPY ${WRITTEN} DESTINATION ${DIRECTORY}/man5)
page(man7/aapc-environment.7 manual environment)
page(bash-completion/completions/aapc completion bash)
page(zsh/site-functions/_aapc completion zsh)
page(fish/vendor_completions.d/aapc.fish completion fish)

# Debian wants pages packed, and without the time at which that was.
find_program(GZIP gzip)
if(GZIP)
  file(GLOB pages ${DIRECTORY}/man1/*.1 ${DIRECTORY}/man5/*.5 ${DIRECTORY}/man7/*.7)
  execute_process(COMMAND ${GZIP} -9 -n -f ${pages} COMMAND_ERROR_IS_FATAL ANY)
endif()
