import { Console } from "node:console";
import { Writable } from "node:stream";

const METHODS = [
  ...(["log", "info", "warn", "error", "debug", "trace", "dir", "dirxml", "table", "assert"] as const),
  ...(["count", "countReset", "group", "groupCollapsed", "groupEnd", "time", "timeEnd", "timeLog"] as const),
];

/**
 * Keeps code of other authors from ending the process with `process.exit` and from writing to stdout with `console`, which
 * would break the output of a run or the screen. Quoll itself ends with `exitProcess`.
 * @param print Receives the text that any code gives to `console`, line feeds included. @returns the function that ends this.
 */
export function holdForeignCode(print: (text: string) => void): () => void {
  const ends = [holdConsole(print), holdExit()];
  return () => {
    for (const end of ends) end();
  };
}

function holdConsole(print: (text: string) => void): () => void {
  const stream = new Writable({
    write: (chunk, _encoding, done) => {
      print(String(chunk));
      done();
    },
  });
  const held = new Console({ stdout: stream, stderr: stream, colorMode: false });
  const before = METHODS.map((name) => [name, Object.getOwnPropertyDescriptor(console, name)] as const);
  // The screen's library sets methods of its own later; these must not count.
  for (const name of METHODS)
    Object.defineProperty(console, name, { configurable: true, get: () => held[name], set: () => undefined });
  return () => {
    for (const [name, descriptor] of before) if (descriptor) Object.defineProperty(console, name, descriptor);
  };
}

/** The stack does not tell who calls: a call at the end of a function leaves no frame of it. */
function holdExit(): () => void {
  const { exit } = process;
  process.exit = (code) => {
    throw new Error(`it called process.exit(${code ?? ""}), which an extension can't do`);
  };
  return () => {
    process.exit = exit;
  };
}
