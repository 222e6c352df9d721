// Runs WebAssembly modules for pathsmith: reads the name of a request file from each line of its
// standard input, and answers with a line for each thing that happens.
'use strict';
const fs = require('fs');
const path = require('path');

const TABLE = new Uint32Array(256).map((_, byte) => {
  for (let bit = 0; bit < 8; bit++) byte = (byte >>> 1) ^ (0xedb88320 & -(byte & 1));
  return byte;
});

function crcAdd(crc, value, nBytes) {
  for (let i = 0; i < nBytes; i++) {
    crc = (crc >>> 8) ^ TABLE[(crc ^ Number(value & 0xffn)) & 0xff];
    value >>= 8n;
  }
  return crc | 0;
}

const imports = { ps: { crc_add: crcAdd } };

// Lines that are still to be written.
let unsaid = [];

function say(line, atOnce) {
  unsaid.push(line);
  if (atOnce) {
    fs.writeSync(1, unsaid.join('\n') + '\n');
    unsaid = [];
  }
}

function oneLine(error) {
  return String(error).replace(/\n/g, ' ');
}

// Floating-point numbers are sent as their bits, which are a signed integer.
const bits = new DataView(new ArrayBuffer(8));

function argument(text) {
  const [type, number] = text.split(':');
  switch (type) {
    case 'f32':
      bits.setInt32(0, Number(number));
      return bits.getFloat32(0);
    case 'f64':
      bits.setBigInt64(0, BigInt(number));
      return bits.getFloat64(0);
    case 'i64':
      return BigInt(number);
    default:
      return Number(number);
  }
}

function resultText(value, type) {
  if (type === undefined) return value;
  if (Number.isNaN(value)) return 'nan';
  if (type === 'f32') {
    bits.setFloat32(0, value);
    return bits.getInt32(0);
  }
  bits.setFloat64(0, value);
  return bits.getBigInt64(0);
}

function micros() {
  const { user, system } = process.cpuUsage();
  return user + system;
}

function answer(file) {
  const begun = micros();
  const request = JSON.parse(fs.readFileSync(file, 'utf8'));
  const bytes = fs.readFileSync(path.join(path.dirname(file), request.module));
  const { nonce } = request;
  const ready = micros();
  let module, instance;
  try {
    module = new WebAssembly.Module(bytes);
    instance = new WebAssembly.Instance(module, imports);
  } catch (error) {
    return say(`${nonce} rejected ${oneLine(error)}`, true);
  }
  const compiled = micros();
  say(`${nonce} compiled`, true);
  let number = 0;
  for (const { export: name, args, keep, result } of request.calls) {
    try {
      if (request.reset && !keep) instance.exports[request.reset]();
      const value = instance.exports[name](...args.map(argument));
      say(`${nonce} value ${number} ${resultText(value, result)}`, request.careful);
    } catch (error) {
      say(`${nonce} trap ${number} ${oneLine(error)}`, request.careful);
      // A trap leaves memory and globals as they are.
      instance = new WebAssembly.Instance(module, imports);
    }
    number++;
  }
  const done = micros();
  say(`${nonce} done ${number} ${compiled - ready} ${done - compiled} ${done - begun}`, true);
}

let unread = '';
const buffer = Buffer.alloc(65536);
for (;;) {
  let n;
  try {
    n = fs.readSync(0, buffer);
  } catch (error) {
    if (error.code === 'EAGAIN') continue;
    throw error;
  }
  if (n === 0) break;
  unread += buffer.toString('utf8', 0, n);
  let end;
  while ((end = unread.indexOf('\n')) >= 0) {
    answer(unread.slice(0, end));
    unread = unread.slice(end + 1);
  }
}
