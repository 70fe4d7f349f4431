// The same calls from C++.
extern "C" const char language[] = "C++";

#include "calls.c"
