import { readFileSync } from "node:fs";
import { readdir, stat } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { errorCode } from "../contracts/errors.ts";
import { parsedJson } from "../contracts/parsed-json.ts";
import { AppendFile } from "./append-file.ts";
import { waitForLock } from "./lock-file.ts";
import type { PastePlace, SavedPastes } from "./paste-files.ts";
import { realPathOrSelf } from "./paths.ts";
import { replacePrivateFile } from "./private-file.ts";

/** The maximum number of prompts to keep; a file with twice as many is trimmed. */
const MAX_PROMPTS = 1_000;

/** The maximum number of other projects whose prompts are read, and the size of the largest file that is read. */
const MAX_OTHER_PROJECTS = 50;
const MAX_OTHER_BYTES = 4 * 1024 * 1024;

const LOCK_WAIT_MS = 2_000;

/** `pastes`: those of the placeholders in the text that still exist; absent for a text without pastes of its own. */
export type SavedPrompt = { readonly text: string; readonly pastes?: ReadonlyMap<string, string> };

/** A prompt with its pastes folded. */
export type FoldedPrompt = { readonly text: string; readonly pastes: ReadonlyMap<string, string> };

type PromptHistory = {
  load(): Promise<readonly SavedPrompt[]>;
  /** The prompts of the projects in the same folder, newest first, project by project; without pastes. */
  loadOthers(): Promise<readonly string[]>;
  /** @param folded Kept instead of the text if its pastes can be written: they stay while the session does. */
  add(text: string, folded?: FoldedPrompt): Promise<void>;
};

/** A line of the file: a text, or a text with the places of its pastes. */
type SavedLine = string | { readonly text: string; readonly pastes: SavedPastes };

/**
 * The prompts typed in a project, oldest first: one JSON value per line, readable only by this user. Several processes
 * may write at once.
 * @param pastes Where large pastes of the session are kept; undefined if nothing is saved.
 */
export function promptHistory(file: string, pastes?: PastePlace): PromptHistory {
  let adding: Promise<unknown> = Promise.resolve();
  return {
    async load() {
      const prompts = readPrompts(file);
      if (prompts.length > 2 * MAX_PROMPTS) await cutBack(file);
      return withPastes(prompts.slice(-MAX_PROMPTS), pastes?.folder);
    },
    async loadOthers() {
      const files = await otherFiles(file);
      return files.flatMap((one) => readPrompts(one).slice(-MAX_PROMPTS).map(textOf).toReversed());
    },
    add(text, folded) {
      const added = adding.then(async () => addLocked(file, (folded && (await lineOf(folded, pastes))) ?? text));
      adding = added.catch(() => undefined);
      return added;
    },
  };
}

/** @returns undefined if the pastes can't be kept. */
async function lineOf({ text, pastes }: FoldedPrompt, place: PastePlace | undefined): Promise<SavedLine | undefined> {
  try {
    return place && { text, pastes: (await import("./paste-files.ts")).writePastes(place, pastes) };
  } catch {
    return undefined;
  }
}

/** The newest pastes are read first, as far as the limits allow. */
async function withPastes(lines: readonly SavedLine[], folder: string | undefined): Promise<readonly SavedPrompt[]> {
  if (lines.every((line) => typeof line === "string")) return lines.map((text) => ({ text }));
  const { PasteReader } = await import("./paste-files.ts");
  const reader = folder === undefined ? undefined : new PasteReader(folder);
  const prompts = lines.toReversed().map((line): SavedPrompt => {
    if (typeof line === "string") return { text: line };
    const read = Object.entries(line.pastes).flatMap(([name, place]) => {
      const text = reader?.read(place);
      return text === undefined ? [] : [[name, text] as const];
    });
    return { text: line.text, pastes: new Map(read) };
  });
  return prompts.reverse();
}

function textOf(line: SavedLine): string {
  return typeof line === "string" ? line : line.text;
}

async function addLocked(file: string, line: SavedLine): Promise<void> {
  const attempt = await waitForLock(lockOf(file), LOCK_WAIT_MS);
  using _lock = "lock" in attempt ? attempt.lock : undefined;
  using history = new AppendFile(realPathOrSelf(file));
  history.appendLines(toLine(line));
}

function lockOf(file: string): string {
  return `${file}.lock`;
}

/** Keeps the newest prompts, unless another process writes just now: then a later start does it. */
async function cutBack(file: string): Promise<void> {
  const attempt = await waitForLock(lockOf(file), 0);
  if (!("lock" in attempt)) return;
  using _lock = attempt.lock;
  replacePrivateFile(file, readPrompts(file).slice(-MAX_PROMPTS).map(toLine).join(""));
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

function toLine(line: SavedLine): string {
  return `${JSON.stringify(line)}\n`;
}

function readHistory(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    if (errorCode(error) === "ENOENT") return "";
    throw error;
  }
}

function readPrompts(file: string): readonly SavedLine[] {
  // A crash may have cut the last line.
  return readHistory(file).split("\n").map(parsedJson).filter(isLine);
}

function isLine(value: unknown): value is SavedLine {
  if (typeof value === "string") return true;
  const { text, pastes } = { ...(value as object | null) } as Partial<Record<string, unknown>>;
  if (typeof text !== "string" || typeof pastes !== "object" || pastes === null) return false;
  return Object.values(pastes).every((place) => typeof place === "string");
}
