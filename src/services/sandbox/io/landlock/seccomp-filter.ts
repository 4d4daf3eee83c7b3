import { IO_URING_SETUP, type KernelNumbers } from "./kernel-numbers.ts";

/** Offsets in `struct seccomp_data` (linux/seccomp.h); the lower half of an argument on little-endian machines. */
const NUMBER_AT = 0;
const ARCH_AT = 4;
const FIRST_ARGUMENT_AT = 16;
const SECOND_ARGUMENT_AT = 24;

/** Instructions of classic BPF (linux/bpf_common.h). */
const LOAD = 0x20;
const JUMP_IF_EQUAL = 0x15;
const JUMP_IF_AT_LEAST = 0x35;
const RETURN = 0x06;

const ALLOW = 0x7fff0000;
const KILL_PROCESS = 0x80000000;
const REFUSE = 0x00050000;
const EPERM = 1;
const ENOSYS = 38;

const AF_NETLINK = 16;
/** ioctls that inject characters into a terminal's input. */
const TIOCSTI = 0x5412;
const TIOCLINUX = 0x541c;

type Instruction = readonly [code: number, ifTrue: number, ifFalse: number, value: number];

/**
 * A system call filter, as the bytes of `struct sock_filter[]`. The filter denies new sockets (except netlink, which
 * only describes the machine's own interfaces; socket pairs use another call and stay allowed), io_uring, which could
 * create sockets unseen, and input injection into a terminal. Calls of another architecture end the process.
 */
export function seccompFilter(
  kernel: KernelNumbers,
  { refusesTruncate }: { readonly refusesTruncate: boolean },
): Uint8Array<ArrayBuffer> {
  const program: Instruction[] = [
    [LOAD, 0, 0, ARCH_AT],
    [JUMP_IF_EQUAL, 1, 0, kernel.auditArch],
    [RETURN, 0, 0, KILL_PROCESS],
    [LOAD, 0, 0, NUMBER_AT],
  ];
  if (kernel.foreignFrom !== undefined)
    program.push([JUMP_IF_AT_LEAST, 0, 1, kernel.foreignFrom], [RETURN, 0, 0, KILL_PROCESS]);
  program.push(...refuse(IO_URING_SETUP, ENOSYS));
  if (refusesTruncate) program.push(...refuse(kernel.truncate, EPERM));
  program.push(
    [JUMP_IF_EQUAL, 0, 4, kernel.socket],
    [LOAD, 0, 0, FIRST_ARGUMENT_AT],
    [JUMP_IF_EQUAL, 1, 0, AF_NETLINK],
    [RETURN, 0, 0, REFUSE | EPERM],
    [RETURN, 0, 0, ALLOW],
    [JUMP_IF_EQUAL, 0, 4, kernel.ioctl],
    [LOAD, 0, 0, SECOND_ARGUMENT_AT],
    [JUMP_IF_EQUAL, 1, 0, TIOCSTI],
    [JUMP_IF_EQUAL, 0, 1, TIOCLINUX],
    [RETURN, 0, 0, REFUSE | EPERM],
    [RETURN, 0, 0, ALLOW],
  );
  return encode(program);
}

function refuse(call: number, error: number): readonly Instruction[] {
  return [
    [JUMP_IF_EQUAL, 0, 1, call],
    [RETURN, 0, 0, REFUSE | error],
  ];
}

const INSTRUCTION_BYTES = 8;

function encode(program: readonly Instruction[]): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(program.length * INSTRUCTION_BYTES);
  const view = new DataView(bytes.buffer);
  for (const [at, [code, ifTrue, ifFalse, value]] of program.entries()) {
    view.setUint16(at * INSTRUCTION_BYTES, code, true);
    view.setUint8(at * INSTRUCTION_BYTES + 2, ifTrue);
    view.setUint8(at * INSTRUCTION_BYTES + 3, ifFalse);
    view.setUint32(at * INSTRUCTION_BYTES + 4, value >>> 0, true);
  }
  return bytes;
}
