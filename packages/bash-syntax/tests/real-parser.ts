import { resolve } from "node:path";
import { loadShellParser } from "../src/load-parser.ts";

const modules = resolve(import.meta.dir, "../../../node_modules");

export const WASM = {
  runtime: resolve(modules, "web-tree-sitter/web-tree-sitter.wasm"),
  grammar: resolve(modules, "tree-sitter-bash/tree-sitter-bash.wasm"),
};

/** The real grammar, loaded once for the process. */
export const parser = await loadShellParser(WASM);
