import { readFileSync } from "node:fs";
import { readdir, stat } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { errorCode } from "../contracts/errors.ts";
import { AppendFile } from "./append-file.ts";
import { waitForLock } from "./lock-file.ts";
import { realPathOrSelf } from "./paths.ts";
import { replacePrivateFile } from "./private-file.ts";

/** The maximum number of prompts to keep; a file with twice as many is trimmed. */
const MAX_PROMPTS = 1_000;

/** The maximum number of other projects whose prompts are read, and the size of the largest file that is read. */
const MAX_OTHER_PROJECTS = 50;
const MAX_OTHER_BYTES = 4 * 1024 * 1024;

const LOCK_WAIT_MS = 2_000;

type PromptHistory = {
  load(): Promise<readonly string[]>;
  /** The prompts of the projects in the same folder, newest first, project by project. */
  loadOthers(): Promise<readonly string[]>;
  add(text: string): Promise<void>;
};

/**
 * The prompts typed in a project, oldest first: one JSON string per line, readable only by this user. Several processes
 * may write at once.
 */
export function promptHistory(file: string): PromptHistory {
  let adding: Promise<unknown> = Promise.resolve();
  return {
    async load() {
      const prompts = readPrompts(file);
      if (prompts.length > 2 * MAX_PROMPTS) await cutBack(file);
      return prompts.slice(-MAX_PROMPTS);
    },
    async loadOthers() {
      const files = await otherFiles(file);
      return files.flatMap((one) => readPrompts(one).slice(-MAX_PROMPTS).toReversed());
    },
    add(text) {
      const added = adding.then(() => addLocked(file, text));
      adding = added.catch(() => undefined);
      return added;
    },
  };
}

async function addLocked(file: string, text: string): Promise<void> {
  const attempt = await waitForLock(lockOf(file), LOCK_WAIT_MS);
  try {
    append(file, text);
  } finally {
    if ("lock" in attempt) attempt.lock.release();
  }
}

function lockOf(file: string): string {
  return `${file}.lock`;
}

function append(file: string, text: string): void {
  const history = new AppendFile(realPathOrSelf(file));
  try {
    // A crash may have cut the last line: start a new line so that the next prompt does not join it.
    history.append(history.endsLine() ? toLine(text) : `\n${toLine(text)}`);
  } finally {
    history.close();
  }
}

/** Keeps the newest prompts, unless another process writes just now: then a later start does it. */
async function cutBack(file: string): Promise<void> {
  const attempt = await waitForLock(lockOf(file), 0);
  if (!("lock" in attempt)) return;
  try {
    replacePrivateFile(file, readPrompts(file).slice(-MAX_PROMPTS).map(toLine).join(""));
  } finally {
    attempt.lock.release();
  }
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
