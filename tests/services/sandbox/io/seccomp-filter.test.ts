import { expect, test } from "bun:test";
import { kernelNumbers } from "../../../../src/services/sandbox/io/landlock/kernel-numbers.ts";
import { seccompFilter } from "../../../../src/services/sandbox/io/landlock/seccomp-filter.ts";

type Call = { readonly arch: number; readonly number: number; readonly args?: readonly number[] };

const ALLOW = 0x7fff0000;
const KILL = 0x80000000;
const errno = (code: number) => 0x00050000 | code;

/** Runs a program of classic BPF as the kernel does, for the four instructions that are used. */
function verdict(program: Uint8Array, { arch, number, args = [] }: Call): number {
  const data = new DataView(new ArrayBuffer(64));
  data.setUint32(0, number, true);
  data.setUint32(4, arch, true);
  for (const [at, value] of args.entries()) data.setBigUint64(16 + at * 8, BigInt(value), true);
  const code = new DataView(program.buffer);
  let accumulator = 0;
  for (let at = 0; at < program.length / 8; at += 1) {
    const [operation, value] = [code.getUint16(at * 8, true), code.getUint32(at * 8 + 4, true)];
    const [ifTrue, ifFalse] = [code.getUint8(at * 8 + 2), code.getUint8(at * 8 + 3)];
    if (operation === 0x20) accumulator = data.getUint32(value, true);
    else if (operation === 0x15) at += accumulator === value ? ifTrue : ifFalse;
    else if (operation === 0x35) at += accumulator >= value ? ifTrue : ifFalse;
    else if (operation === 0x06) return value;
    else throw new Error(`Instruction ${operation} is not known.`);
  }
  throw new Error("The program ran past its end.");
}

test.each(["x64", "arm64"])("on %s sockets are refused, but netlink; ordinary calls are not", (name) => {
  const kernel = kernelNumbers(name);
  if (!kernel) throw new Error(`${name} is not known.`);
  const program = seccompFilter(kernel, { refusesTruncate: false });
  const ask = (number: number, ...args: number[]) => verdict(program, { arch: kernel.auditArch, number, args });
  for (const family of [1, 2, 10, 17, 40]) expect(ask(kernel.socket, family, 1, 0)).toBe(errno(1));
  expect(ask(kernel.socket, 16, 3, 0)).toBe(ALLOW);
  expect(ask(425)).toBe(errno(38));
  for (const request of [0x5412, 0x541c]) expect(ask(kernel.ioctl, 0, request)).toBe(errno(1));
  for (const request of [0x5401, 0x5413]) expect(ask(kernel.ioctl, 0, request)).toBe(ALLOW);
  for (const number of [0, 1, 2, 3, 59, 221, 262, kernel.truncate, kernel.capset]) expect(ask(number)).toBe(ALLOW);
});

test("calls in another architecture's way end the process: they would have other numbers", () => {
  const kernel = kernelNumbers("x64");
  if (!kernel) throw new Error("x64 is not known.");
  const program = seccompFilter(kernel, { refusesTruncate: false });
  expect(verdict(program, { arch: 0x40000003, number: 102 })).toBe(KILL);
  expect(verdict(program, { arch: kernel.auditArch, number: 0x40000000 + 41 })).toBe(KILL);
  expect(kernelNumbers("riscv64")).toBeUndefined();
});

test("where Landlock does not know truncation, the call itself is refused", () => {
  const kernel = kernelNumbers("x64");
  if (!kernel) throw new Error("x64 is not known.");
  const program = seccompFilter(kernel, { refusesTruncate: true });
  expect(verdict(program, { arch: kernel.auditArch, number: kernel.truncate })).toBe(errno(1));
  expect(verdict(program, { arch: kernel.auditArch, number: 1 })).toBe(ALLOW);
});
