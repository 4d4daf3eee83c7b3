import { dlopen, FFIType, ptr } from "bun:ffi";
import { closeSync, openSync, read, writeSync } from "node:fs";
import { promisify } from "node:util";
import { Terminal as Xterm } from "@xterm/headless";

type Options = { readonly columns: number; readonly rows: number; readonly bytesPerSecond: number };

const readSome = promisify(read);
/** Linux: the ioctl that sets a terminal's size. */
const TIOCSWINSZ = 0x5414;
/** One read in each, as from a line that is slow but steady. */
const STEP_MS = 50;

/**
 * A program in a pseudo terminal that is read slowly, as over a bad line, its screen kept by xterm.js. Bun's own pseudo
 * terminal is always read at once, so this one is opened by the C library. For Linux with glibc.
 */
export function slowTerminal(command: readonly string[], { columns, rows, bytesPerSecond }: Options) {
  const { controller, program } = openTerminal(columns, rows);
  const xterm = new Xterm({ cols: columns, rows, scrollback: 20_000, allowProposedApi: true });
  xterm.onData((data) => void writeSync(controller, data));
  const { CI: _, NO_COLOR: __, ...inherited } = process.env;
  const child = Bun.spawn([...command], {
    env: { ...inherited, TERM: "xterm-256color", NODE_ENV: "production" },
    stdio: [program, program, program],
  });
  closeSync(program);
  let speed = bytesPerSecond;
  let output = "";
  const decoder = new TextDecoder();
  const ended = readAll();

  async function readAll(): Promise<void> {
    const buffer = Buffer.alloc(65_536);
    for (;;) {
      const length = Math.max(1, Math.min(buffer.length, Math.round((speed * STEP_MS) / 1_000)));
      // A controller whose program has ended can't be read.
      const { bytesRead } = await readSome(controller, buffer, 0, length, null).catch(() => ({ bytesRead: 0 }));
      if (bytesRead === 0) return;
      const bytes = buffer.subarray(0, bytesRead);
      output += decoder.decode(bytes, { stream: true });
      await new Promise<void>((resolve) => xterm.write(Uint8Array.from(bytes), resolve));
      if (speed < buffer.length) await Bun.sleep((1_000 * bytesRead) / speed);
    }
  }

  return {
    child,
    get output(): string {
      return output;
    },
    /** The screen and what was scrolled away. */
    get all(): string {
      const { active } = xterm.buffer;
      return Array.from({ length: active.length }, (_, at) => active.getLine(at)?.translateToString(true) ?? "")
        .join("\n")
        .trimEnd();
    },
    type: (text: string) => void writeSync(controller, text),
    /** From now on, so many bytes a second are read. */
    readAt(next: number): void {
      speed = next;
    },
    async [Symbol.asyncDispose]() {
      child.kill("SIGKILL");
      await child.exited;
      await ended;
      closeSync(controller);
      xterm.dispose();
    },
  };
}

/** Both ends of a new pseudo terminal. */
function openTerminal(columns: number, rows: number): { readonly controller: number; readonly program: number } {
  const { symbols } = dlopen("libc.so.6", {
    grantpt: { args: [FFIType.i32], returns: FFIType.i32 },
    unlockpt: { args: [FFIType.i32], returns: FFIType.i32 },
    ptsname: { args: [FFIType.i32], returns: FFIType.cstring },
    ioctl: { args: [FFIType.i32, FFIType.u64, FFIType.ptr], returns: FFIType.i32 },
  });
  const controller = openSync("/dev/ptmx", "r+");
  symbols.grantpt(controller);
  symbols.unlockpt(controller);
  symbols.ioctl(controller, BigInt(TIOCSWINSZ), ptr(Uint16Array.from([rows, columns, 0, 0])));
  return { controller, program: openSync(String(symbols.ptsname(controller)), "r+") };
}
