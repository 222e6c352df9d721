#!/usr/bin/env python3
"""Lets PyPI's wasmtime answer pathsmith's questions: `pip install wasmtime` (docs/engines.md)."""

import importlib.metadata
import json
import os
import struct
import sys
import time

import wasmtime

I32, I64 = wasmtime.ValType.i32(), wasmtime.ValType.i64()
ENGINE = wasmtime.Engine()


def crc_add(crc, value, n_bytes):
    for byte in (value & (2**64 - 1)).to_bytes(8, "little")[:n_bytes]:
        crc = (crc & 0xFFFFFFFF) ^ byte
        for _ in range(8):
            crc = (crc >> 1) ^ (0xEDB88320 & -(crc & 1))
    return crc - 2**32 if crc & 2**31 else crc


def argument(text):
    ty, number = text.split(":")
    if ty == "f32":
        return struct.unpack("<f", struct.pack("<i", int(number)))[0]
    if ty == "f64":
        return struct.unpack("<d", struct.pack("<q", int(number)))[0]
    return int(number)


def result_text(value, ty):
    if ty is None:
        return value
    if value != value:
        return "nan"
    if ty == "f32":
        return struct.unpack("<i", struct.pack("<f", value))[0]
    return struct.unpack("<q", struct.pack("<d", value))[0]


def instantiate(module):
    store, linker = wasmtime.Store(ENGINE), wasmtime.Linker(ENGINE)
    linker.define_func("ps", "crc_add", wasmtime.FuncType([I32, I64, I32], [I32]), crc_add)
    return store, linker.instantiate(store, module).exports(store)


def answer(file):
    begun = time.process_time()
    with open(file) as text:
        request = json.load(text)

    def say(*words, flush=True):
        print(request["nonce"], *(str(word).replace("\n", " ") for word in words), flush=flush)

    try:
        with open(os.path.join(os.path.dirname(file), request["module"]), "rb") as module_file:
            module = wasmtime.Module(ENGINE, module_file.read())
        store, exports = instantiate(module)
    except wasmtime.WasmtimeError as error:
        return say("rejected", error)
    say("compiled")
    compiled = time.process_time()
    for number, call in enumerate(request["calls"]):
        try:
            if request["reset"] and not call.get("keep"):
                exports[request["reset"]](store)
            value = exports[call["export"]](store, *map(argument, call["args"]))
            say("value", number, result_text(value, call.get("result")), flush=request["careful"])
        except (wasmtime.Trap, wasmtime.WasmtimeError) as error:
            say("trap", number, error, flush=request["careful"])
            store, exports = instantiate(module)  # A trap leaves memory and globals as they are.
    now = time.process_time()
    micros = (round(1e6 * part) for part in (compiled - begun, now - compiled, now - begun))
    say("done", len(request["calls"]), *micros)


if sys.argv[1:] == ["--version"]:
    sys.exit(print("wasmtime-py", importlib.metadata.version("wasmtime")))
for line in sys.stdin:
    answer(line.rstrip("\n"))
