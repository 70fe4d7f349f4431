/// @file
/// How a routine of MPI is defined in place of the MPI's: under its MPI_ name, which C programs call, and under its
/// PMPI_ name, which Open MPI's Fortran bindings and tools that wrap the MPI_ names call.
#pragma once

#define AAPC_INTERPOSED extern "C" __attribute__((visibility("default")))

// Before the definition of aapc_entry_NAME, the typed half of a routine with handles among its arguments: it has the
// parameters of MPI_NAME. forwarding.cpp has the name that programs call, and jumps there.
#define AAPC_ENTRY(NAME) extern "C" __attribute__((visibility("hidden"))) decltype(MPI_##NAME) aapc_entry_##NAME;

#if AAPC_STANDARD_ABI
// The standard ABI leaves the PMPI_ names to the MPI: its Fortran bindings are no part of it, and a tool that wraps the
// MPI_ names is to be entered once.
#define AAPC_ALSO_AS_PMPI(NAME)
#else
// PMPI_NAME is MPI_NAME, which is defined before.
#define AAPC_ALSO_AS_PMPI(NAME) \
    extern "C" __attribute__((visibility("default"), alias("MPI_" #NAME))) decltype(MPI_##NAME) PMPI_##NAME;
#endif
