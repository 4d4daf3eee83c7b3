import { mkdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { dirname, isAbsolute, join } from "node:path";
import { fileURLToPath } from "node:url";
import { randomHex } from "./digest.ts";

/** Paths of the two wasm files: beside the source, beside the bundle, or inside the executable. */
export async function shellGrammarFiles(): Promise<{ readonly runtime: string; readonly grammar: string }> {
  const [runtime, grammar] = await Promise.all([
    import("web-tree-sitter/web-tree-sitter.wasm", { with: { type: "file" } }),
    import("tree-sitter-bash/tree-sitter-bash.wasm", { with: { type: "file" } }),
  ]);
  return { runtime: besideThisFile(runtime.default), grammar: besideThisFile(grammar.default) };
}

/** A bundle names its assets relative to itself. */
function besideThisFile(path: string): string {
  return isAbsolute(path) ? path : join(dirname(fileURLToPath(import.meta.url)), path);
}

/**
 * Extracts an embedded program to the disk, so that the system can run it, once per version.
 * @param source A readable path (a file inside the executable).
 * @param target Absolute path of the copy; its name carries the version.
 */
export function unpackExecutable(source: string, target: string): string {
  const { size } = statSync(source);
  if (statSync(target, { throwIfNoEntry: false })?.size === size) return target;
  mkdirSync(dirname(target), { recursive: true, mode: 0o700 });
  const temporary = `${target}.${randomHex(6)}`;
  try {
    // Files inside the executable can be read, but not copied by the system.
    writeFileSync(temporary, readFileSync(source), { mode: 0o700 });
    renameSync(temporary, target);
  } finally {
    rmSync(temporary, { force: true });
  }
  return target;
}
