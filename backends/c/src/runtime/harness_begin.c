// Runs every realization. Exits with 0 if all results are as expected.
//
// After a call that crashes or hangs, the other realizations of its function are skipped, and
// nothing else.
//
// Alone, it compares the results itself and prints a line for each, for people. pathsmith compares
// them on its own side: it passes a nonce as an argument, which a program that was compiled before
// the nonce was drawn cannot know. Every line then begins with the nonce:
//
//     NONCE 2 0 5f3a 1b     function 2, realization 0: value and memory checksum, in hexadecimal
//     NONCE 2 1 hung 60     no end after 60 ms; the other realizations of function 2 are skipped
//     NONCE 2 1 crashed 11  signal 11; they are skipped too
//     NONCE done 17         the last line: how many lines there were before it

#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/time.h>

#define PS_MAX_PARAMS 256

uint32_t ps_crc_add(uint32_t crc, uint64_t value, int n_bytes)
{
    for (int i = 0; i < n_bytes; i++) {
        crc ^= (uint32_t)(value >> (8 * i)) & 0xff;
        for (int bit = 0; bit < 8; bit++)
            crc = (crc >> 1) ^ (0xedb88320u & (0u - (crc & 1)));
    }
    return crc;
}

volatile uint64_t ps_sink;

PS_NOIPA void ps_see(uint64_t value)
{
    ps_sink = value;
}

static sigjmp_buf ps_before_call;

#ifndef PS_NO_HANDLERS
static char ps_signal_stack[1 << 16];

static void ps_on_signal(int number)
{
    siglongjmp(ps_before_call, number);
}

static void ps_handle_signals(void)
{
    static const int numbers[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGABRT, SIGVTALRM};
    stack_t stack = {.ss_sp = ps_signal_stack, .ss_flags = 0, .ss_size = sizeof ps_signal_stack};
    sigaltstack(&stack, 0);
    struct sigaction action = {.sa_handler = ps_on_signal, .sa_flags = SA_ONSTACK | SA_NODEFER};
    sigemptyset(&action.sa_mask);
    for (unsigned i = 0; i < sizeof numbers / sizeof numbers[0]; i++)
        sigaction(numbers[i], &action, 0);
}
#endif

static void ps_limit_time(int milliseconds)
{
    struct itimerval timer = {{0, 0}, {milliseconds / 1000, milliseconds % 1000 * 1000}};
    setitimer(ITIMER_VIRTUAL, &timer, 0);
}

