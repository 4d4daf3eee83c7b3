import { dirname, join } from "node:path";
import { readSmallFile } from "./read-small-file.ts";

/** Names in order of preference within one folder. */
const INSTRUCTION_FILES = ["AGENTS.md", "CLAUDE.md"] as const;
/** Size limit: a larger file is not opened. */
const MAX_FILE_BYTES = 4 * 1024 * 1024;

export type InstructionFile = { readonly path: string; readonly text: string };

/** The nearest readable AGENTS.md or CLAUDE.md from `folder` up to `top`, in full; undefined when there is none. */
export function nearestInstructionFile(folder: string, top: string): InstructionFile | undefined {
  for (let at = folder; ; at = dirname(at)) {
    for (const name of INSTRUCTION_FILES) {
      const path = join(at, name);
      const text = readSmallFile(path, MAX_FILE_BYTES);
      if (text !== undefined && text.trim() !== "") return { path, text };
    }
    if (at === top || dirname(at) === at) return undefined;
  }
}
