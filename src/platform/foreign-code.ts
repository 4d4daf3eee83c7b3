import { Console } from "node:console";
import { Writable } from "node:stream";

const METHODS = [
  ...(["log", "info", "warn", "error", "debug", "trace", "dir", "dirxml", "table", "assert"] as const),
  ...(["count", "countReset", "group", "groupCollapsed", "groupEnd", "time", "timeEnd", "timeLog"] as const),
];

export type HeldCode<Owner> = {
  /** The owner of the code that runs now; undefined for Quoll's own code. */
  owner(): Owner | undefined;
  /** @param owner Undefined if the text came from `console`, whoever used it. */
  print(text: string, owner: Owner | undefined): void;
};

/**
 * Keeps code of other authors from ending the process with `process.exit` and from writing to stdout and stderr, which
 * would break the output of a run or the screen. Our own writes pass. Quoll itself ends with `exitProcess`.
 * @returns the function that ends this.
 */
export function holdForeignCode<Owner>(held: HeldCode<Owner>): () => void {
  const ends = [holdConsole(held), holdWrites(process.stdout, held), holdWrites(process.stderr, held), holdExit()];
  return () => {
    for (const end of ends) end();
  };
}

function holdConsole<Owner>({ owner, print }: HeldCode<Owner>): () => void {
  let from: Owner | undefined;
  const stream = new Writable({
    write: (chunk, _encoding, done) => {
      print(String(chunk), from);
      done();
    },
  });
  const held = new Console({ stdout: stream, stderr: stream, colorMode: false });
  const before = METHODS.map((name) => [name, Object.getOwnPropertyDescriptor(console, name)] as const);
  // The screen's library sets methods of its own later; these must not count.
  for (const name of METHODS)
    Object.defineProperty(console, name, {
      configurable: true,
      get:
        () =>
        (...given: readonly unknown[]) => {
          from = owner();
          Reflect.apply(held[name], held, given);
        },
      set: () => undefined,
    });
  return () => {
    for (const [name, descriptor] of before) if (descriptor) Object.defineProperty(console, name, descriptor);
  };
}

function holdWrites<Owner>(stream: NodeJS.WriteStream, { owner, print }: HeldCode<Owner>): () => void {
  const { write } = stream;
  const before = Object.getOwnPropertyDescriptor(stream, "write");
  const value = (...given: readonly unknown[]): unknown => {
    const from = owner();
    if (from === undefined) return Reflect.apply(write, stream, given);
    const [chunk, ...more] = given;
    print(typeof chunk === "string" ? chunk : new TextDecoder().decode(chunk as Uint8Array), from);
    const done = more.find((one) => typeof one === "function");
    if (done) queueMicrotask(() => Reflect.apply(done, undefined, []));
    return true;
  };
  Object.defineProperty(stream, "write", { configurable: true, writable: true, value });
  return () => {
    if (before) Object.defineProperty(stream, "write", before);
    else Reflect.deleteProperty(stream, "write");
  };
}

/** The stack does not name the caller: a call at the end of a function leaves no frame of the function. */
function holdExit(): () => void {
  const { exit } = process;
  process.exit = (code) => {
    throw new Error(`it called process.exit(${code ?? ""}), which an extension can't do`);
  };
  return () => {
    process.exit = exit;
  };
}
