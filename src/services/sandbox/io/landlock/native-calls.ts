/** The used part of Bun's `bun:ffi`, which Node does not have. */
type Ffi = {
  dlopen(
    library: string,
    symbols: Readonly<Record<string, { readonly args: readonly string[]; readonly returns: string }>>,
  ): { readonly symbols: Readonly<Record<string, (...args: readonly (number | bigint)[]) => number | bigint>> };
  ptr(view: NodeJS.TypedArray): number;
};

/** The needed functions of the C library. Buffers passed to a call stay in memory as long as this object. */
export interface NativeCalls {
  /** A system call by number, with up to six arguments; -1 when the kernel refused. */
  call(number: number, ...args: readonly (number | NodeJS.TypedArray)[]): number;
  prctl(option: number, ...args: readonly (number | NodeJS.TypedArray)[]): number;
  /** Replaces this process. Returns only on failure. */
  execute(file: string, args: readonly string[], env: Readonly<Record<string, string>>): void;
  /** The address of a value, for use inside another structure. */
  address(view: NodeJS.TypedArray): number;
  /**
   * Restores the default action of a signal: runtimes ignore some signals, and an executed program would inherit that.
   */
  resetSignal(number: number): void;
}

/** glibc, then musl. */
const LIBRARIES = ["libc.so.6", "libc.musl-x86_64.so.1", "libc.musl-aarch64.so.1"];
const LONG = "i64";

/** @throws {Error} this runtime can't call C, or no known C library exists. */
export async function nativeCalls(): Promise<NativeCalls> {
  const ffi = await loadFfi();
  const { syscall, prctl, execve, signal } = openLibrary(ffi).symbols;
  if (!syscall || !prctl || !execve || !signal) throw new Error("the C library lacks a function");
  const kept: NodeJS.TypedArray[] = [];
  const keep = <View extends NodeJS.TypedArray>(view: View): View => {
    kept.push(view);
    return view;
  };
  const address = (view: NodeJS.TypedArray) => ffi.ptr(keep(view));
  const argument = (value: number | NodeJS.TypedArray) => (typeof value === "number" ? value : address(value));
  const filled = (args: readonly (number | NodeJS.TypedArray)[], count: number) =>
    Array.from({ length: count }, (_, at) => argument(args[at] ?? 0));
  const pointers = (texts: readonly string[]) =>
    address(BigUint64Array.from([...texts.map((text) => BigInt(address(cString(text)))), 0n]));
  return {
    call: (number, ...args) => Number(syscall(number, ...filled(args, 6))),
    prctl: (option, ...args) => Number(prctl(option, ...filled(args, 4))),
    execute(file, args, env) {
      const entries = Object.entries(env).map(([name, value]) => `${name}=${value}`);
      execve(address(cString(file)), pointers(args), pointers(entries));
    },
    address,
    resetSignal: (number) => void signal(number, 0),
  };
}

/** A zero-terminated C string. */
export function cString(text: string): Buffer {
  return Buffer.from(`${text}\0`);
}

async function loadFfi(): Promise<Ffi> {
  if (process.versions.bun === undefined) throw new Error("only Bun can call the kernel directly");
  // The name is built so that no bundler resolves it: only Bun has this module.
  const name = ["bun", "ffi"].join(":");
  return (await import(name)) as Ffi;
}

function openLibrary(ffi: Ffi) {
  let problem: unknown;
  for (const library of LIBRARIES) {
    try {
      return ffi.dlopen(library, {
        syscall: { args: Array.from({ length: 7 }, () => LONG), returns: LONG },
        prctl: { args: ["i32", LONG, LONG, LONG, LONG], returns: "i32" },
        execve: { args: ["ptr", "ptr", "ptr"], returns: "i32" },
        signal: { args: ["i32", LONG], returns: LONG },
      });
    } catch (error) {
      problem = error;
    }
  }
  throw new Error("no C library was found", { cause: problem });
}
