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

