// Exits with 0 if arithmetic is that of IEEE 754: rounded to its type after each operation.
static volatile double one = 1, tiny = 0x1p-1074, small = 0x1p-30, zero, huge = 0x1.fffffffffffffp1023;
static volatile float onef = 1, tinyf = 0x1p-149f, smallf = 0x1p-13f, thirdf = 3;

static int is_contracted(double a, double b, double c)
{
    return a * b + c != 0;
}

static int is_reassociated(double a, double b)
{
    return a + b - a == b;
}

int main(void)
{
    double up = one + small, nan = zero / zero;
    float upf = onef + smallf;
    if (is_contracted(up, up, -(1 + 0x1p-29)))
        return 1;
    if (upf * upf - (1 + 0x1p-12f) != 0)
        return 2;
    if (is_reassociated(one, tiny) || is_reassociated(huge, one))
        return 3;
    if (nan == nan || !(nan != nan) || nan < one || nan >= one)
        return 4;
    if (1 / (zero * -one) > 0 || 1 / (-zero + zero) < 0)
        return 5;
    if (tiny * 2 == 0 || tinyf * 2 == 0 || tiny * 2 / 2 != tiny)
        return 6;
    if (onef / thirdf != 0x1.555556p-2f || one / 3 != 0x1.5555555555555p-2)
        return 7;
    if (onef / thirdf * 0.1 != 0x1.111111999999ap-5)
        return 8;
    if (huge * 2 / 2 == huge || __builtin_sqrt(one + one) != 0x1.6a09e667f3bcdp0)
        return 9;
    return 0;
}
