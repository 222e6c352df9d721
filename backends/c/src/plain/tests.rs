//! What plain C looks like.

use pathsmith_symlang::lang::text::parse;
use pathsmith_symlang::lang::{Program, Scalar};
use pathsmith_symlang::{FuncId, GlobalId};

use super::*;
use crate::options::{Control, FunctionOptions, Linkage, Placement};

fn options(program: &Program, control: Control) -> PlainOptions {
    let function = FunctionOptions { control, linkage: Linkage::NoIpa, ..Default::default() };
    let functions = vec![function; program.functions.len()];
    PlainOptions {
        lowering: COptions { functions, ..COptions::default() },
        has_noipa: true,
        arguments: Arguments::Literal,
        initialised: Initialised::AtEntry,
        arrangement: Arrangement::AsTheGraph,
        main: PlainMain::Returned(FuncId::new(program.functions.len() - 1), vec![0]),
    }
}

/// The C of a program whose last function is called.
fn plain(text: &str, control: Control) -> String {
    let program = parse("test", text).unwrap();
    plain_c(&program, &options(&program, control)).unwrap()
}

#[track_caller]
fn check(text: &str, expected: &str) {
    assert_eq!(plain(text, Control::Structured), expected.trim_start());
}

#[test]
fn loops_are_loops() {
    check(
        "fn f(n: i32) -> i32 { var i: i32 = 0; var s: i32 = 0;
            entry: goto head;
            head: if i < n goto body else exit;
            body: s = s + i * 3; i = i + 1; goto head;
            exit: return s; }
        realize f(3) = 9 via entry (head body)^3 head exit;",
        "
__attribute__((noipa)) int f(int a) {
    int c = 0;
    for (int b = 0; b < a; b++) c += b * 3;
    return c;
}
int main(void) { if (f(3) != 9) __builtin_abort(); }
",
    );
    check(
        "fn f(a: i64) -> i64 { var b: i64 = 0;
            entry: goto body;
            body: b = b + a; a = a + -1i64; if a > 5i64 goto body else exit;
            exit: return b; }
        realize f(6) = 6 via entry body exit;",
        "
__attribute__((noipa)) long long f(long long a) {
    long long b = 0;
    do {
        b += a;
        a--;
    } while (a > 5);
    return b;
}
int main(void) { if (f(6) != 6) __builtin_abort(); }
",
    );
}

#[test]
fn what_does_not_nest_is_goto() {
    let text = "fn f(a: i32, b: i32) -> i32 {
            entry: if a goto left else right;
            left: b = b + 1; if b > 10 goto exit else right;
            right: b = b * 2; goto left;
            exit: return b; }
        realize f(1, 12) = 13 via entry left exit;";
    let structured = plain(text, Control::Structured);
    assert!(structured.contains("goto L"), "{structured}");
    assert_eq!(
        plain(text, Control::Gotos),
        "\
__attribute__((noipa)) int f(int a, int b) {
    if (!a) goto L3;
L2: b++;
    if (b > 10) return b;
L3: b *= 2;
    goto L2;
}
int main(void) { if (f(1, 12) != 13) __builtin_abort(); }
"
    );
}

/// Blocks stand behind those that lead to them, so that few gotos are left.
#[test]
fn gotos_are_no_ladder() {
    let text = "fn f(a: i32, b: i32) -> i32 {
            entry: goto B4;
            B2: b = 0; if a goto B5 else B2;
            B4: b = b - 3; if a + b >= 0 goto B7 else B2;
            B5: goto B4;
            B6: if b goto B5 else B6;
            B7: if a < b goto exit else B6;
            exit: return 0; }
        realize f(1, 5) = 0 via entry B4 B7 exit;";
    let program = parse("test", text).unwrap();
    let mut options = options(&program, Control::Gotos);
    options.arrangement = Arrangement::ForReaders;
    assert_eq!(
        plain_c(&program, &options).unwrap(),
        "\
__attribute__((noipa)) int f(int a, int b) {
L3: b -= 3;
    if (a + b >= 0) goto L6;
L2: b = 0;
    if (a) goto L3;
    goto L2;
L5: if (b) goto L3;
    goto L5;
L6: if (a < b) return 0;
    goto L5;
}
int main(void) { if (f(1, 5)) __builtin_abort(); }
"
    );
}

#[test]
fn casts_and_suffixes_stand_where_nothing_converts() {
    check(
        "fn f(a: u8, b: u16, c: i64, d: u32) -> i64 { var e: u16 = 0; var g: u32 = 0;
            entry:
            e = a + 4294967287u32;
            g = b * a + d;
            g = g ^ u32(i64(e) + c);
            if i32(a) + 5 < i32(b) goto more else exit;
            more: c = c + i64(i32(d)) * 5i64; goto exit;
            exit: return c - 9223372036854775807i64; }
        realize f(9, 3, 1, 2) = -9223372036854775806 via entry exit;",
        "
__attribute__((noipa)) long long f(unsigned char a, unsigned short b, long long c, unsigned d) {
    unsigned short e = (unsigned)a - 9;
    unsigned i = (unsigned)b * a + d;
    i ^= (unsigned)(e + c);
    if (a + 5 < b) c += (int)d * 5ll;
    return c - 9223372036854775807;
}
int main(void) { if (f(9, 3, 1, 2) != -9223372036854775806) __builtin_abort(); }
",
    );
}

#[test]
fn switches_and_calls() {
    check(
        "fn g(x: i32) -> i32 { entry: return x + 1; }
        fn f(a: i32) -> i32 {
            entry: switch a { 1 -> one, 7 -> one, 2 -> two, else -> exit };
            one: a = g(a); goto exit;
            two: a = max(a, 5); goto exit;
            exit: return a; }
        realize f(7) = 8 via entry one exit;",
        "
__attribute__((noipa)) int g(int a) {
    return a + 1;
}
__attribute__((noipa)) int f(int b) {
    switch (b) {
    case 1:
    case 7:
        b = g(b);
        break;
    case 2:
        b = b < 5 ? 5 : b;
        break;
    }
    return b;
}
int main(void) { if (f(7) != 8) __builtin_abort(); }
",
    );
}

#[test]
fn globals_that_are_left_and_variables_outside() {
    let text = "global d: [i32; 6] = [0, 0, 0, 0, 0, 9];
        global unused: i32 = 4;
        fn f(a: i32) -> i32 { var v: i32 = 7;
            entry: d[a] = v; return 0; }
        realize f(2) = 0 leaving 3 via entry;";
    let program = parse("test", text).unwrap();
    let cell = LeftCell {
        global: GlobalId::new(0),
        element: Some(2),
        value: Scalar::new(pathsmith_symlang::lang::IntTy::I32, 7),
    };
    let mut options = options(&program, Control::Structured);
    options.main = PlainMain::Left(FuncId::new(0), 0, cell);
    options.arguments = Arguments::Volatile;
    options.lowering.functions[0].vars =
        vec![Placement::default(), Placement { storage: Storage::Global, ..Placement::default() }];
    let body = [
        "    a[b] = c;",
        "    return 0;",
        "}",
        "int main(void) { volatile int b = 2; f(b); if (a[2] != 7) __builtin_abort(); }\n",
    ]
    .join("\n");
    let head = "int a[6] = {[5] = 9};\nint c;\n__attribute__((noipa)) int f(int b) {\n";
    assert_eq!(plain_c(&program, &options).unwrap(), format!("{head}    c = 7;\n{body}"));
    options.initialised = Initialised::AtStart;
    let head = head.replace("int c;", "int c = 7;");
    assert_eq!(plain_c(&program, &options).unwrap(), format!("{head}{body}"));
}

#[test]
fn what_is_called_again_has_to_be_as_it_was() {
    let text = "global d: i32 = 0;
        fn f(a: i32) -> i32 { entry: d = a; return d; }
        realize f(2) = 2 via entry;
        realize f(3) = 3 via entry;";
    let program = parse("test", text).unwrap();
    let mut options = options(&program, Control::Structured);
    plain_c(&program, &options).unwrap();
    options.main = PlainMain::Returned(FuncId::new(0), vec![0, 1]);
    let error = plain_c(&program, &options).unwrap_err().to_string();
    assert!(error.contains("globals as they were"), "{error}");
}

/// As a person writes it: constants behind comparisons, `&&`, one declaration for a type, no suffix
/// that changes nothing, no comparison with 0.
#[test]
fn it_reads_as_if_a_person_wrote_it() {
    let text = "fn f(a: i64, b: i64) -> i64 { var c: i64 = 0; var d: i64 = 0;
            entry: c = b - a; if 17592186044361i64 < a goto more else exit;
            more: if select(b == 3i64, 1, 0) goto most else exit;
            most: d = a + 7i64; if -3 > i32(b) goto stay else exit;
            stay: goto stay;
            exit: return 0i64; }
        realize f(5, 2) = 0 via entry exit;";
    let program = parse("test", text).unwrap();
    let mut options = options(&program, Control::Structured);
    let outside = Placement { storage: Storage::Global, ..Placement::default() };
    options.lowering.functions[0].vars = vec![Placement::default(), Placement::default()];
    options.lowering.functions[0].vars.extend([outside, outside]);
    options.initialised = Initialised::AtStart;
    options.arrangement = Arrangement::ForReaders;
    assert_eq!(
        plain_c(&program, &options).unwrap(),
        "\
long long c, d;
__attribute__((noipa)) long long f(long long a, long long b) {
    c = b - a;
    if (a > 17592186044361 && (b == 3 ? 1 : 0) != 0) {
        d = a + 7;
        if ((int)b < -3) for (;;) {}
    }
    return 0;
}
int main(void) { if (f(5, 2)) __builtin_abort(); }
"
    );
}

/// A loop that counts is a `for` loop for readers, if its condition holds at first.
#[test]
fn loops_that_count_are_for_loops() {
    let counting = |start: &str| {
        let text = format!(
            "global d: [i32; 39] = [0; 39];
            fn f() -> i32 {{ var i: u8 = 0; var j: u8 = 0; var k: i32 = {start};
            entry: i = 1u32; goto outer;
            outer: j = 1u32; goto body;
            body: d[i * 8u32 + j] = 7; j = j + 1u32; if j < 7u32 goto body else next;
            next: i = i + 1u32; if i < 5u32 goto outer else last;
            last: d[k] = 1; k = k + 3; if k < 20 goto last else exit;
            exit: return 0; }}"
        );
        let program = parse("test", &text).unwrap();
        let mut options = options(&program, Control::Structured);
        options.arrangement = Arrangement::WithForLoops;
        options.main = PlainMain::None;
        plain_c(&program, &options).unwrap()
    };
    assert_eq!(
        counting("2"),
        "\
int a[39];
__attribute__((noipa)) int f(void) {
    for (unsigned char b = 1; b < 5; b++) {
        for (unsigned char c = 1; c < 7; c++) a[b * 8u + c] = 7;
    }
    for (int d = 2; d < 20; d += 3) a[d] = 1;
    return 0;
}
"
    );
    let not_at_first = counting("20");
    assert!(not_at_first.contains("} while (d < 20);"), "{not_at_first}");
}

/// What is declared with its first assignment stands with what else has its type.
#[test]
fn one_declaration_for_a_type() {
    check(
        "fn f(a: i32) -> i32 { var b: i32 = 0; var c: i32 = 0; var d: i64 = 0; var e: i32 = 5;
            entry: b = a + 1; d = i64(b); c = b * 2; goto more;
            more: e = e + c; if e < a goto more else exit;
            exit: return e + b + i32(d); }
        realize f(1) = 13 via entry more exit;",
        "
__attribute__((noipa)) int f(int a) {
    int e = 5, b = a + 1;
    long long d = b;
    int c = b * 2;
    do e += c; while (e < a);
    return e + b + (int)d;
}
int main(void) { if (f(1) != 13) __builtin_abort(); }
",
    );
}

/// Narrow unsigned variables are stepped like others; what could overflow is not shortened.
#[test]
fn narrow_variables_are_stepped() {
    check(
        "fn f(a: u8, b: u16) -> u32 {
            entry: a = a + 1u32; b = b - 4294967290u32; b = b * 65535u32; b = b + 2147483647u32;
            return a + b; }
        realize f(1, 1) = 65530 via entry;",
        "
__attribute__((noipa)) unsigned f(unsigned char a, unsigned short b) {
    a++;
    b += 6;
    b = b * 65535u;
    b = b + 2147483647u;
    return (unsigned)a + b;
}
int main(void) { if (f(1, 1) != 65530) __builtin_abort(); }
",
    );
}

#[test]
fn constant_conditions_are_decided() {
    check(
        "fn f(a: i32) -> i32 { var c: i32 = 1;
            entry: goto head;
            head: if a > 0 goto body else exit;
            body: c = 0; if 0 goto head else exit;
            exit: return c; }
        realize f(0) = 1 via entry head exit;",
        "
__attribute__((noipa)) int f(int a) {
    int b = 1;
    if (a > 0) b = 0;
    return b;
}
int main(void) { if (f(0) != 1) __builtin_abort(); }
",
    );
}

#[test]
fn unused_variables_and_dead_code_are_left_out() {
    check(
        "fn f(a: i32) -> i32 { var u: i32 = 3; var b: i32 = 0;
            entry: b = a + a * -2; goto next;
            next: goto more;
            more: if b goto exit else more;
            exit: return b; }
        realize f(1) = -1 via entry next more exit;",
        "
__attribute__((noipa)) int f(int a) {
    int c = a + a * -2;
    while (!c) {}
    return c;
}
int main(void) { if (f(1) != -1) __builtin_abort(); }
",
    );
}

/// NaN is neither less than a number nor not, and zeros are two results.
#[test]
fn floating_point_numbers_read_as_such() {
    check(
        "fn f(a: f64, b: f32) -> f64 { var c: f32 = 0.1; var u: u8 = 0;
            entry: c = c * b + 2.0f32; if a < 1.5 goto exit else more;
            more: a = a - -0.0; u = u8(c); a = a + f64(c) / f64(u); goto exit;
            exit: return a; }
        realize f(-0.0, 1.0) = -0.0 via entry exit;",
        "
__attribute__((noipa)) double f(double a, float b) {
    float c = 0.1f;
    unsigned char d;
    c = c * b + 2.0f;
    if (!(a < 1.5)) {
        a -= -0.0;
        d = (unsigned char)(unsigned)c;
        a += (double)c / (double)d;
    }
    return a;
}
static int is_other_double(double a, double b) { return __builtin_memcmp(&a, &b, sizeof a); }
int main(void) { if (is_other_double(f(-0.0, 1.0f), -0.0)) __builtin_abort(); }
",
    );
}
