import { join } from "node:path";
import { oneLine } from "@quoll/terminal-text/one-line";
import type { Entry, SessionPreview } from "../../contracts/session.ts";
import { lockHolder } from "../../platform/lock-file.ts";
import { readHead, readTail } from "../../platform/read-chunks.ts";
import { SESSION_ENDING, sessionLock } from "./session-file.ts";

/** The number of bytes read from the end: more than a usual last turn. */
const TAIL_BYTES = 96 * 1024;
/** The first entry names the folder. */
const HEAD_BYTES = 8 * 1024;
const MAX_TEXT_COLUMNS = 600;

/**
 * The end of a saved session: its last prompt and answer, where it works, and if it is open. Only the beginning and the end of the
 * file are read.
 * @returns what was found; empty for a file that can't be read.
 * @param folder The sessions of the project; absolute.
 */
export function previewSession(folder: string, sessionId: string): SessionPreview {
  const path = join(folder, `${sessionId}${SESSION_ENDING}`);
  try {
    const [first = ""] = readHead(path, HEAD_BYTES).split("\n", 1);
    const tail = readTail(path, TAIL_BYTES);
    const isOpen = lockHolder(sessionLock(folder, sessionId)) !== undefined;
    return { ...startOf(first, tail), ...endOf(tail), ...(isOpen && { isOpen }) };
  } catch {
    return {};
  }
}

/** The prompts are counted if the read end is the whole file. */
function startOf(line: string, tail: string): SessionPreview {
  const entry = entryOf(line);
  if (entry?.kind !== "session") return {};
  return {
    folder: entry.cwd,
    ...(entry.branch !== undefined && { branch: entry.branch }),
    ...(tail.startsWith(line) && { prompts: promptsIn(tail) }),
  };
}

function promptsIn(text: string): number {
  const entries = text.split("\n").flatMap((line) => (line.includes('"kind":"user"') ? (entryOf(line) ?? []) : []));
  return entries.filter((entry) => entry.kind === "user" && !entry.by && !entry.parentAgentId).length;
}

/** The newest entry of each kind is used. */
function endOf(text: string): SessionPreview {
  const found: { -readonly [Key in keyof SessionPreview]: SessionPreview[Key] } = {};
  for (const line of text.split("\n").reverse()) {
    const entry = MARKS.some((mark) => line.includes(mark)) ? entryOf(line) : undefined;
    if (!entry || entry.parentAgentId) continue;
    if (entry.kind === "user" && !entry.by) found.lastPrompt ??= oneLine(entry.prompt, MAX_TEXT_COLUMNS);
    if (entry.kind === "assistant") found.lastAnswer ??= answerOf(entry);
    if (entry.kind === "setup" && entry.worktree !== undefined) found.worktree ??= entry.worktree;
    if (found.lastPrompt !== undefined && found.lastAnswer !== undefined) break;
  }
  return found;
}

const MARKS = ['"kind":"user"', '"kind":"assistant"', '"kind":"setup"'];

/** The text of an answer; undefined for an answer that only calls tools. */
function answerOf({ message }: Extract<Entry, { kind: "assistant" }>): string | undefined {
  const text = message.content.flatMap((block) => (block.type === "text" ? [block.text] : [])).join(" ");
  return text.trim() === "" ? undefined : oneLine(text, MAX_TEXT_COLUMNS);
}

/** Undefined for the first piece of the end, which may begin in the middle of a line. */
function entryOf(line: string): Entry | undefined {
  try {
    return JSON.parse(line) as Entry;
  } catch {
    return undefined;
  }
}
