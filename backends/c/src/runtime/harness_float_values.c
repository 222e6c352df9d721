// Floating-point numbers are passed on as their bits.
enum { PS_FLOAT = 2, PS_DOUBLE = 3 };

static void ps_print(const struct ps_test *test, uint64_t value)
{
    uint32_t bits = (uint32_t)value;
    float f;
    double d;
    switch (test->is_signed) {
    case PS_FLOAT:
        __builtin_memcpy(&f, &bits, sizeof f);
        printf("%.9g", (double)f);
        break;
    case PS_DOUBLE:
        __builtin_memcpy(&d, &value, sizeof d);
        printf("%.17g", d);
        break;
    case 1:
        printf("%lld", (long long)value);
        break;
    default:
        printf("%llu", (unsigned long long)value);
    }
}

// The checksum of the globals that a function names: of the bytes of each cell, the lowest first.
// Cells with floating-point numbers have a negative size, and all NaNs count as one.
static uint32_t ps_memory(const struct ps_test *test)
{
    uint32_t crc = 0xffffffffu;
    for (int i = 0; i < test->n_objects; i++) {
        const volatile unsigned char *cell = test->objects[i].at;
        int is_float = test->objects[i].cell_size < 0;
        int size = is_float ? -test->objects[i].cell_size : test->objects[i].cell_size;
        for (int n = 0; n < test->objects[i].n_cells; n++, cell += size) {
            uint64_t value = 0;
            for (int k = 0; k < size; k++) {
                int at = __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? k : size - 1 - k;
                value |= (uint64_t)cell[at] << (8 * k);
            }
            if (is_float && size == 4 && (value & 0x7fffffffu) > 0x7f800000u)
                value = 0x7fc00000u;
            if (is_float && size == 8 && (value & 0x7fffffffffffffffu) > 0x7ff0000000000000u)
                value = 0x7ff8000000000000u;
            crc = ps_crc_add(crc, value, size);
        }
    }
    return ~crc;
}

