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

/**
 * Loads the grammar: about 55 ms, once per process (the caller keeps the result).
 * @throws {Error} a file is missing or is not the wasm that web-tree-sitter expects.
 */
export async function loadShellParser({ runtime, grammar }: ParserWasm): Promise<ShellParser> {
  await Parser.init(typeof runtime === "string" ? { locateFile: () => runtime } : { wasmBinary: runtime });
  const parser = new Parser();
  parser.setLanguage(await Language.load(grammar));
  return { parse: (source) => parse(parser, source) };
}
