#ifndef _GNU_SOURCE
#define _GNU_SOURCE // signals and timers, for main
#endif
#include <stdint.h>

// Code that is never run may be anything, and code that is run may compare what never differs.
#pragma GCC diagnostic ignored "-Wunused-label"
#pragma GCC diagnostic ignored "-Wunused-function"
#pragma GCC diagnostic ignored "-Wunused-parameter"
#pragma GCC diagnostic ignored "-Wunused-variable"
#pragma GCC diagnostic ignored "-Wunused-but-set-variable"
#pragma GCC diagnostic ignored "-Wunused-but-set-parameter"
#pragma GCC diagnostic ignored "-Wtautological-compare"
#pragma GCC diagnostic ignored "-Wtype-limits"
#pragma GCC diagnostic ignored "-Wdiv-by-zero"
#pragma GCC diagnostic ignored "-Woverflow"
#pragma GCC diagnostic ignored "-Wshift-count-overflow"
#pragma GCC diagnostic ignored "-Wshift-count-negative"
#pragma GCC diagnostic ignored "-Wshift-negative-value"
#pragma GCC diagnostic ignored "-Wshift-overflow"
#pragma GCC diagnostic ignored "-Wbool-operation"
#pragma GCC diagnostic ignored "-Warray-bounds"
#pragma GCC diagnostic ignored "-Wuninitialized"
#ifdef __clang__
#define PS_NOIPA __attribute__((noinline))
#pragma clang diagnostic ignored "-Wself-assign"
#pragma clang diagnostic ignored "-Wsometimes-uninitialized"
#pragma clang diagnostic ignored "-Winteger-overflow"
#pragma clang diagnostic ignored "-Wconstant-conversion"
#pragma clang diagnostic ignored "-Wxor-used-as-pow"
#else
#define PS_NOIPA __attribute__((noipa))
#pragma GCC diagnostic ignored "-Waggressive-loop-optimizations"
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#pragma GCC diagnostic ignored "-Wbool-compare"
#pragma GCC diagnostic ignored "-Wint-in-bool-context"
#pragma GCC diagnostic ignored "-Wduplicated-branches"
#endif

// A global that a function names.
struct ps_object {
    const volatile void *at;
    int n_cells;
    int cell_size; // in bytes
};

// A function with its realizations: inputs, each with the output that it has to return, and with
// the checksum of what it has to leave in globals, unless that is negative.
struct ps_test {
    const char *name;
    uint64_t (*run)(int realization, const int64_t *in);
    const volatile int64_t *in;
    const volatile uint64_t *out;
    int n_params;
    int n_realizations;
    int limit; // how long a call may run, in milliseconds of its own time
    int is_signed;
    void (*reset)(void); // gives the globals that it reaches their initial values, 0 if none
    const volatile int64_t *leaving; // 0 if nothing is known of any realization
    const struct ps_object *objects;
    int n_objects;
};
extern const struct ps_test *const ps_tests[];
extern const int ps_n_tests;

// What the optimizer has to have at some point goes here.
extern volatile uint64_t ps_sink;
void ps_see(uint64_t value);

// A CRC-32 after the lowest bytes of a value.
uint32_t ps_crc_add(uint32_t crc, uint64_t value, int n_bytes);

