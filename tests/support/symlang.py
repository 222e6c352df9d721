"""A second interpreter of SYMLANG, written from docs/symlang.md alone.

It shares no code with pathsmith, and takes valid programs only: `symlang.py FILE DIALECT` reads
calls from standard input, one in each line (`f 1 -2`), and prints how each ends, with the path:

    = 5 leaving 77 via entry B1 exit
    traps division_by_zero via entry
    undefined via entry B1
    out of steps via entry B1 B1 B1
"""

import re
import sys
import zlib

STEPS, DEPTH = 1_000, 100
BITS = {"i8": 8, "u8": 8, "i16": 16, "u16": 16, "i32": 32, "u32": 32, "i64": 64, "u64": 64}
SYMBOLS = r"->|<<|>>|==|!=|<=|>=|[(){}\[\],;:=+\-*/%&|^~<>]"
TOKEN = re.compile(rf"\s+|//[^\n]*|(\?\w+|\w+|{SYMBOLS})")
LEVELS = [["==", "!=", "<", "<=", ">", ">="], ["|"], ["^"], ["&"], ["<<", ">>"], ["+", "-"], ["*", "/", "%"]]
UNARY = ["clz", "ctz", "popcnt", "bswap", "bitrev", "abs"]
BINARY = ["rotl", "rotr", "min", "max", "mulh", "addsat", "subsat", "cmp"]
# What each dialect makes of a situation that it does not define.
UNDEFINED = "undefined"
FATES = {
    "c": dict.fromkeys(
        ["overflow", "zero", "quotient", "remainder", "count", "shifted", "bounds", "count0"],
        UNDEFINED,
    ),
    "wasm": {
        "zero": "traps division_by_zero",
        "quotient": "traps division_overflow",
        "bounds": UNDEFINED,
    },
    "jvm": {"zero": "traps division_by_zero", "bounds": "traps out_of_bounds"},
}


def signed(ty):
    return ty[0] == "i"


def widened(ty):
    return ty if BITS[ty] >= 32 else ty[0] + "32"


def wrap(ty, value):
    value &= (1 << BITS[ty]) - 1
    return value - (1 << BITS[ty]) if signed(ty) and value >> (BITS[ty] - 1) else value


def least(ty):
    return -(1 << (BITS[ty] - 1)) if signed(ty) else 0


def most(ty):
    return least(ty) + (1 << BITS[ty]) - 1


class End(Exception):
    """The run is over, and did not return."""


class Parser:
    def __init__(self, text):
        self.tokens = [m.group(1) for m in TOKEN.finditer(text) if m.group(1)] + [""]
        self.at = 0
        self.globals, self.functions = {}, {}
        # Calls may stand before the function that they call.
        for i, token in enumerate(self.tokens):
            if token == "fn":
                arrow = self.tokens.index("->", i)
                self.functions[self.tokens[i + 1]] = {"ret": self.tokens[arrow + 1]}
        while self.peek():
            self.item()

    def peek(self):
        return self.tokens[self.at]

    def next(self):
        self.at += 1
        return self.tokens[self.at - 1]

    def eat(self, token):
        found = self.peek() == token
        self.at += found
        return found

    def expect(self, token):
        assert self.eat(token), (token, self.tokens[self.at - 5 : self.at + 5])

    def item(self):
        word = self.next()
        if word == "global":
            name, var = self.declaration()
            self.globals[name] = var
        elif word == "fn":
            self.function()
        else:
            # `dialect`, `main` and realizations say nothing of what functions do.
            assert word in ("dialect", "main", "realize"), word
            while self.next() != ";":
                pass

    def number(self):
        negative = self.eat("-")
        word = self.next()
        hexadecimal = word.startswith("0x")
        digits = re.match(r"0x[0-9a-fA-F]+|[0-9]+", word).group()
        value = int(digits, 16 if hexadecimal else 10)
        return -value if negative else value, word[len(digits) :]

    def declaration(self):
        name = self.next()
        self.expect(":")
        is_array = self.eat("[")
        ty = self.next()
        if is_array:
            self.expect(";")
            self.number()
            self.expect("]")
        self.expect("=")
        values = []
        if self.eat("["):
            values.append(self.number()[0])
            if self.eat(";"):
                values *= self.number()[0]
            while self.eat(","):
                values.append(self.number()[0])
            self.expect("]")
        else:
            values.append(self.number()[0])
        self.expect(";")
        return name, (ty, values)

    def function(self):
        name = self.next()
        self.expect("(")
        self.vars, self.named = {}, set()
        while not self.eat(")"):
            param = self.next()
            self.expect(":")
            self.vars[param] = (self.next(), None)
            self.eat(",")
        params = list(self.vars)
        self.expect("->")
        ret = self.next()
        self.expect("{")
        while self.eat("var"):
            local, var = self.declaration()
            self.vars[local] = var
        blocks = {}
        while not self.eat("}"):
            label = self.next()
            self.expect(":")
            blocks[label] = self.block()
        named = [name for name in self.globals if name in self.named]
        function = {"params": params, "ret": ret, "vars": self.vars, "blocks": blocks}
        self.functions[name].update(function, named=named)

    def block(self):
        assigns = []
        while self.peek() not in ("goto", "if", "switch", "return"):
            place = self.place()
            self.expect("=")
            assigns.append((place, self.expr()))
            self.expect(";")
        word = self.next()
        if word == "goto":
            term = (word, self.next())
        elif word == "if":
            cond = self.expr()
            self.expect("goto")
            then = self.next()
            self.expect("else")
            term = (word, cond, then, self.next())
        elif word == "switch":
            on, cases = self.expr(), {}
            self.expect("{")
            while not self.eat("else"):
                value = self.number()[0]
                self.expect("->")
                cases[value] = self.next()
                self.expect(",")
            self.expect("->")
            term = (word, on, cases, self.next())
            self.eat(",")
            self.expect("}")
        elif self.eat("checksum"):
            listed = None
            if self.eat("("):
                listed = []
                while not self.eat(")"):
                    listed.append(self.next())
                    self.eat(",")
                self.named.update(listed)
            term = ("checksum", listed)
        else:
            term = ("return", self.expr())
        self.expect(";")
        return assigns, term

    def place(self):
        name = self.next()
        var = self.vars.get(name) or self.globals[name]
        if name not in self.vars:
            self.named.add(name)
        index = None
        if self.eat("["):
            index = self.expr()
            self.expect("]")
        return ("place", widened(var[0]), name, index)

    def expr(self, level=0):
        if level == len(LEVELS):
            return self.operand()
        left = self.expr(level + 1)
        while self.peek() in LEVELS[level]:
            op = self.next()
            right = self.expr(level + 1)
            left = ("op", "i32" if level == 0 else left[1], op, [left, right])
        return left

    def args(self):
        self.expect("(")
        args = []
        while not self.eat(")"):
            args.append(self.expr())
            self.eat(",")
        return args

    def operand(self):
        word = self.peek()
        if word[0].isdigit() or word == "-" and self.tokens[self.at + 1][0].isdigit():
            value, ty = self.number()
            return ("const", ty or "i32", value)
        if word in ("-", "~"):
            self.next()
            operand = self.operand()
            return ("op", operand[1], "neg" if word == "-" else "~", [operand])
        if self.eat("("):
            inner = self.expr()
            self.expect(")")
            return inner
        if self.tokens[self.at + 1] != "(":
            return self.place()
        self.next()
        args = self.args()
        if word in BITS:
            return ("cast", widened(word), word, args)
        if word == "select":
            return ("op", args[1][1], word, args)
        if word in UNARY or word in BINARY:
            return ("op", "i32" if word == "cmp" else args[0][1], word, args)
        return ("call", self.functions[word]["ret"], word, args)


class Machine:
    def __init__(self, parser, dialect):
        self.functions, self.fates = parser.functions, FATES[dialect]
        self.initial = parser.globals

    def run(self, name, args):
        self.globals = {name: (ty, list(values)) for name, (ty, values) in self.initial.items()}
        self.steps, self.path = STEPS, []
        try:
            ending = f"= {self.call(name, args, 0)}"
        except End as end:
            ending = str(end)
        named = self.functions[name]["named"]
        if named and ending[0] in "=t":
            ending += f" leaving {checksum([self.globals[name] for name in named])}"
        return f"{ending} via {' '.join(self.path)}"

    def hazard(self, name):
        if name in self.fates:
            raise End(self.fates[name])

    def call(self, name, args, depth):
        function = self.functions[name]
        cells = {}
        for var, (ty, values) in function["vars"].items():
            cells[var] = (ty, list(values) if values else [wrap(ty, args[len(cells)])])
        label = next(iter(function["blocks"]))
        while True:
            if self.steps == 0:
                raise End("out of steps")
            self.steps -= 1
            if depth == 0:
                self.path.append(label)
            assigns, term = function["blocks"][label]
            for (_, _, var, index), value in assigns:
                at = 0 if index is None else self.value(index, cells, depth)
                result = self.value(value, cells, depth)
                ty, values = self.find(var, cells)
                self.check_index(at, values)
                values[at] = wrap(ty, result)
            if term[0] == "goto":
                label = term[1]
            elif term[0] == "if":
                label = term[2] if self.value(term[1], cells, depth) else term[3]
            elif term[0] == "switch":
                label = term[2].get(self.value(term[1], cells, depth), term[3])
            elif term[0] == "return":
                return self.value(term[1], cells, depth)
            else:
                listed = list(function["vars"]) + function["named"] if term[1] is None else term[1]
                return checksum([self.find(var, cells) for var in listed])

    def find(self, var, cells):
        return cells[var] if var in cells else self.globals[var]

    def check_index(self, at, values):
        if not 0 <= at < len(values):
            self.hazard("bounds")

    def value(self, expr, cells, depth):
        kind = expr[0]
        if kind == "const":
            return expr[2]
        if kind == "place":
            at = 0 if expr[3] is None else self.value(expr[3], cells, depth)
            values = self.find(expr[2], cells)[1]
            self.check_index(at, values)
            return values[at]
        args = [self.value(arg, cells, depth) for arg in expr[3]]
        if kind == "cast":
            return wrap(expr[2], args[0])
        if kind == "call":
            if depth == DEPTH:
                raise End("out of depth")
            return self.call(expr[2], args, depth + 1)
        if expr[2] == "select":
            return args[1] if args[0] else args[2]
        return self.operate(expr[2], expr[3][0][1], *args)

    def operate(self, op, ty, a, b=0):
        """The value of an operator on operands of type `ty`."""
        width, unsigned = BITS[ty], a & ((1 << BITS[ty]) - 1)
        digits = format(unsigned, f"0{width}b")
        if op in ("+", "-", "*", "neg", "abs"):
            exact = {"+": a + b, "-": a - b, "*": a * b, "neg": -a, "abs": abs(a)}[op]
            if signed(ty) and not least(ty) <= exact <= most(ty):
                self.hazard("overflow")
            return wrap(ty, exact)
        if op in ("/", "%"):
            if b == 0:
                self.hazard("zero")
            if signed(ty) and a == least(ty) and b == -1:
                self.hazard("quotient" if op == "/" else "remainder")
            quotient = abs(a) // abs(b) * (-1 if (a < 0) != (b < 0) else 1)
            return wrap(ty, quotient if op == "/" else a - b * quotient)
        if op in ("<<", ">>"):
            if not 0 <= b < width:
                self.hazard("count")
            count = b % width
            if op == ">>":
                return a >> count
            if signed(ty) and (a < 0 or a << count > most(ty)):
                self.hazard("shifted")
            return wrap(ty, a << count)
        if op in ("clz", "ctz"):
            if a == 0:
                self.hazard("count0")
            return len(digits) - len(digits.lstrip("0") if op == "clz" else digits.rstrip("0"))
        if op in ("rotl", "rotr"):
            count = (b if op == "rotl" else -b) % width
            return wrap(ty, unsigned << count | unsigned >> (width - count))
        simple = {
            "~": lambda: wrap(ty, ~a),
            "&": lambda: a & b,
            "|": lambda: a | b,
            "^": lambda: a ^ b,
            "popcnt": lambda: digits.count("1"),
            "bitrev": lambda: wrap(ty, int(digits[::-1], 2)),
            "bswap": lambda: wrap(ty, int.from_bytes(unsigned.to_bytes(width // 8, "big"), "little")),
            "min": lambda: min(a, b),
            "max": lambda: max(a, b),
            "mulh": lambda: a * b >> width,
            "addsat": lambda: max(least(ty), min(most(ty), a + b)),
            "subsat": lambda: max(least(ty), min(most(ty), a - b)),
            "cmp": lambda: (a > b) - (a < b),
            "==": lambda: int(a == b),
            "!=": lambda: int(a != b),
            "<": lambda: int(a < b),
            "<=": lambda: int(a <= b),
            ">": lambda: int(a > b),
            ">=": lambda: int(a >= b),
        }
        return simple[op]()


def checksum(cells):
    data = bytearray()
    for ty, values in cells:
        for value in values:
            data += (value & ((1 << BITS[ty]) - 1)).to_bytes(BITS[ty] // 8, "little")
    return zlib.crc32(data)


def main():
    sys.setrecursionlimit(1_000_000)
    with open(sys.argv[1], encoding="utf-8") as file:
        machine = Machine(Parser(file.read()), sys.argv[2])
    for line in sys.stdin:
        name, *args = line.split()
        print(machine.run(name, [int(arg) for arg in args]))


main()
