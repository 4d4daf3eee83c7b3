import { readFileSync } from "node:fs";
import { appendFile, readdir, stat } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { errorCode } from "../contracts/errors.ts";
import { makePrivateFolder, PRIVATE_FILE_MODE, replacePrivateFile } from "./private-file.ts";

/** The maximum number of prompts to keep; a file with twice as many is trimmed. */
const MAX_PROMPTS = 1_000;

/** The maximum number of other projects whose prompts are read, and the size of the largest file that is read. */
const MAX_OTHER_PROJECTS = 50;
const MAX_OTHER_BYTES = 4 * 1024 * 1024;

type PromptHistory = {
  load(): Promise<readonly string[]>;
  /** The prompts of the projects in the same folder, newest first, project by project. */
  loadOthers(): Promise<readonly string[]>;
  add(text: string): Promise<void>;
};

/** The prompts typed in a project, oldest first: one JSON string per line, readable only by this user. */
export function promptHistory(file: string): PromptHistory {
  let isWhole = false;
  return {
    async load() {
      const prompts = readPrompts(file);
      if (prompts.length <= MAX_PROMPTS) return prompts;
      const kept = prompts.slice(-MAX_PROMPTS);
      if (prompts.length > 2 * MAX_PROMPTS) replacePrivateFile(file, kept.map(toLine).join(""));
      return kept;
    },
    async loadOthers() {
      const files = await otherFiles(file);
      return files.flatMap((one) => readPrompts(one).slice(-MAX_PROMPTS).toReversed());
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

/** The histories of other projects, beginning with the one that was written last. */
async function otherFiles(own: string): Promise<readonly string[]> {
  const folder = dirname(own);
  const names = await readdir(folder).catch(() => []);
  const others = names.filter((name) => name.endsWith(".jsonl") && name !== basename(own));
  const found = await Promise.all(
    others.map(async (name) => {
      const path = join(folder, name);
      const status = await stat(path).catch(() => undefined);
      return status?.isFile() && status.size <= MAX_OTHER_BYTES ? [{ path, at: status.mtimeMs }] : [];
    }),
  );
  const newest = found.flat().sort((a, b) => b.at - a.at);
  return newest.slice(0, MAX_OTHER_PROJECTS).map(({ path }) => path);
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
