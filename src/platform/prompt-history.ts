import { readFileSync } from "node:fs";
import { appendFile } from "node:fs/promises";
import { dirname } from "node:path";
import { errorCode } from "../contracts/errors.ts";
import { makePrivateFolder, PRIVATE_FILE_MODE, replacePrivateFile } from "./private-file.ts";

/** Prompts kept; a file that has grown to twice as many is cut back. */
const MAX_PROMPTS = 1_000;

/** What was typed in a project, oldest first: one JSON string a line, readable by this user alone. */
export function promptHistory(file: string): { load(): Promise<readonly string[]>; add(text: string): Promise<void> } {
  let isWhole = false;
  return {
    async load() {
      const prompts = readPrompts(file);
      if (prompts.length <= MAX_PROMPTS) return prompts;
      const kept = prompts.slice(-MAX_PROMPTS);
      if (prompts.length > 2 * MAX_PROMPTS) replacePrivateFile(file, kept.map(toLine).join(""));
      return kept;
    },
    async add(text) {
      makePrivateFolder(dirname(file));
      // A crash may have torn the last line: what is typed now must not become a part of it.
      const start = isWhole || endsWhole(file) ? "" : "\n";
      isWhole = true;
      await appendFile(file, start + toLine(text), { mode: PRIVATE_FILE_MODE });
    },
  };
}

function toLine(text: string): string {
  return `${JSON.stringify(text)}\n`;
}

function endsWhole(file: string): boolean {
  const text = readHistory(file);
  return text === "" || text.endsWith("\n");
}

function readHistory(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    if (errorCode(error) === "ENOENT") return "";
    throw error;
  }
}

function readPrompts(file: string): readonly string[] {
  return readHistory(file)
    .split("\n")
    .flatMap((line) => {
      try {
        const value: unknown = JSON.parse(line);
        return typeof value === "string" ? [value] : [];
      } catch {
        // A line that was torn by a crash: the others are whole.
        return [];
      }
    });
}
