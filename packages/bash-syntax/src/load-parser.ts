import { Language, Parser } from "web-tree-sitter";
import { parse } from "./parse.ts";
import type { ShellParser } from "./types.ts";

/** Each is a file's path, or its bytes. */
export type ParserWasm = {
  /** `web-tree-sitter/web-tree-sitter.wasm`. */
  readonly runtime: string | Uint8Array;
  /** `tree-sitter-bash/tree-sitter-bash.wasm`. */
  readonly grammar: string | Uint8Array;
};

let starting: Promise<void> | undefined;

/**
 * Starts the runtime once per process. A second start would replace the heap of web-tree-sitter, and parsers on the
 * first heap would be freed in the second.
 */
function startRuntime(runtime: ParserWasm["runtime"]): Promise<void> {
  const source = typeof runtime === "string" ? { locateFile: () => runtime } : { wasmBinary: runtime };
  starting ??= Parser.init(source).catch((error: unknown) => {
    starting = undefined;
    throw error;
  });
  return starting;
}

/**
 * Loads the grammar in about 55 ms. Calls may run side by side: all parsers share the runtime of the first call.
 * @param spentMs A clock in milliseconds that limits each parse. With a clock of processor time, a busy machine does
 * not make parses fail.
 * @throws {Error} a file is missing or is not the wasm that web-tree-sitter expects.
 */
export async function loadShellParser(
  { runtime, grammar }: ParserWasm,
  spentMs: () => number = () => performance.now(),
): Promise<ShellParser> {
  await startRuntime(runtime);
  const parser = new Parser();
  parser.setLanguage(await Language.load(grammar));
  return { parse: (source) => parse(parser, source, spentMs) };
}
