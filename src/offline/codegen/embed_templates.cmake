# cmake -D OUTPUT=FILE -D TEMPLATES=FILE;... -P embed_templates.cmake: writes the C++ file that holds the texts of the
# templates by their names.
set(text "// Made by embed_templates.cmake.\n#include \"offline/codegen/templates.hpp\"\n\nnamespace aapc::codegen {\n\n")
string(APPEND text "const Templates& templates() {\n    static const Templates all{\n")
foreach(template IN LISTS TEMPLATES)
  get_filename_component(name ${template} NAME)
  file(READ ${template} contents)
  string(APPEND text "        {\"${name}\", R\"template(${contents})template\"},\n")
endforeach()
string(APPEND text "    };\n    return all;\n}\n\n}  // namespace aapc::codegen\n")
file(WRITE ${OUTPUT} "${text}")
