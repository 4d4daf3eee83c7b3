import { resolve } from "node:path";

const modules = resolve(import.meta.dir, "../../../node_modules");

export const WASM = {
  runtime: resolve(modules, "web-tree-sitter/web-tree-sitter.wasm"),
  grammar: resolve(modules, "tree-sitter-bash/tree-sitter-bash.wasm"),
};
