import { readFileSync } from "node:fs";
import { appendFile } from "node:fs/promises";
import { dirname } from "node:path";
import { errorCode } from "../contracts/errors.ts";
import { makePrivateFolder, PRIVATE_FILE_MODE, replacePrivateFile } from "./private-file.ts";

/** Most prompts kept; a file with twice as many is trimmed. */
const MAX_PROMPTS = 1_000;

/** The prompts typed in a project, oldest first: one JSON string per line, readable only by this user. */
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
      // A crash may have cut the last line: start a new line so that the next prompt does not join it.
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
        // A crash cut this line; the others are complete.
        return [];
      }
    });
}
