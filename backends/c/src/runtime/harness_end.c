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
