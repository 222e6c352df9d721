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

static void ps_print(const struct ps_test *test, uint64_t value)
{
    if (test->is_signed)
        printf("%lld", (long long)value);
    else
        printf("%llu", (unsigned long long)value);
}

// The checksum of the globals that a function names: of the bytes of each cell, the lowest first.
static uint32_t ps_memory(const struct ps_test *test)
{
    uint32_t crc = 0xffffffffu;
    for (int i = 0; i < test->n_objects; i++) {
        const volatile unsigned char *cell = test->objects[i].at;
        int size = test->objects[i].cell_size;
        for (int n = 0; n < test->objects[i].n_cells; n++, cell += size) {
            for (int k = 0; k < size; k++) {
                int at = __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? k : size - 1 - k;
                crc = ps_crc_add(crc, cell[at], 1);
            }
        }
    }
    return ~crc;
}

// Returns whether the realization returned what it should, and left in memory what it should.
static int ps_check(const struct ps_test *test, int number, uint64_t *result, uint32_t *memory)
{
    int64_t in[PS_MAX_PARAMS];
    for (int i = 0; i < test->n_params; i++)
        in[i] = test->in[number * test->n_params + i];
    if (test->reset)
        test->reset();
    ps_limit_time(test->limit);
    *result = test->run(number, in);
    ps_limit_time(0);
    *memory = ps_memory(test);
    if (*result != test->out[number])
        return 0;
    return !test->leaving || test->leaving[number] < 0 || test->leaving[number] == *memory;
}

// Prints the result of a realization, for people.
static void ps_show(const struct ps_test *test, int number, int is_right, uint64_t result,
                    uint32_t memory)
{
    printf("%s %s #%d: ", is_right ? "ok" : "WRONG", test->name, number);
    if (!is_right && result == test->out[number]) {
        printf("memory %lu, expected memory %lld", (unsigned long)memory,
               (long long)test->leaving[number]);
    } else {
        ps_print(test, result);
        if (!is_right) {
            printf(", expected ");
            ps_print(test, test->out[number]);
        }
    }
    printf("\n");
}

int main(int argc, char **argv)
{
    static volatile int n_checked, n_failed;
    static volatile int t, r;
    static const char *volatile nonce;
    nonce = argc > 1 ? argv[1] : 0;
    setvbuf(stdout, 0, _IOLBF, 0);
#ifndef PS_NO_HANDLERS
    ps_handle_signals();
#endif
    for (t = 0; t < ps_n_tests; t++) {
        for (r = 0; r < ps_tests[t]->n_realizations; r++) {
            const struct ps_test *test = ps_tests[t];
            uint64_t result;
            uint32_t memory;
            n_checked++;
            int number = sigsetjmp(ps_before_call, 1);
            if (number) {
                ps_limit_time(0);
                n_failed++;
                int is_hang = number == SIGVTALRM;
                if (nonce)
                    printf("%s %d %d %s %d\n", nonce, t, r, is_hang ? "hung" : "crashed",
                           is_hang ? ps_tests[t]->limit : number);
                else if (is_hang)
                    printf("HUNG %s #%d: no end after %d ms\n", ps_tests[t]->name, r,
                           ps_tests[t]->limit);
                else
                    printf("CRASHED %s #%d: signal %d\n", ps_tests[t]->name, r, number);
                break;
            }
            int is_right = ps_check(test, r, &result, &memory);
            n_failed += !is_right;
            if (nonce)
                printf("%s %d %d %llx %lx\n", nonce, t, r, (unsigned long long)result,
                       (unsigned long)memory);
            else
                ps_show(test, r, is_right, result, memory);
        }
    }
    if (nonce)
        printf("%s done %d\n", nonce, n_checked);
    else
        printf("done: %d checked, %d failed\n", n_checked, n_failed);
    return n_failed != 0;
}
