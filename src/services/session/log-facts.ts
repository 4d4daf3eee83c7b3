import { parsedJson } from "../../contracts/parsed-json.ts";
import type { Entry } from "../../contracts/session.ts";
import { readByteLines } from "../../platform/read-byte-lines.ts";
import { lineOf, titleOf } from "./session-title.ts";

/** The fields that every entry has at its beginning, up to its kind. */
const START = /^\{"v":\d+,"id":"((?:[^"\\]|\\.)*)","parentId":(?:null|"(?:[^"\\]|\\.)*"),"time":"[^"]*","kind":"(\w+)"/;
/** More than the fields at the beginning of an entry. */
const START_BYTES = 400;
const MAX_TEXT_CHARS = 240;
/** The beginning of a text from which `MAX_TEXT_CHARS` are taken; more would take longer. */
const MAX_RAW_CHARS = 2_000;
const MAX_PLACE_CHARS = 500;

/** The conversations of a session that a list can show; older ones are found by `/search`. */
const MAX_ENDED = 100;

/** The facts of a conversation that `/clear` ended. */
export type EndedFacts = {
  /** The id of the entry that ended it. */
  readonly id: string;
  /** Milliseconds since the epoch. */
  readonly endedAt: number;
  readonly prompts: number;
  readonly prompt?: string;
  readonly title?: string;
  readonly lastPrompt?: string;
};

/** The facts that a list shows of a session. All of them can be read again from the session's log. */
export type LogFacts = {
  /** Bytes of the log that were read: up to the end of its last complete line. */
  readonly read: number;
  /** The id of the log's first entry: another log under the same name has another one. */
  readonly firstId?: string;
  /** The first prompt of the conversation, as a title. */
  readonly prompt?: string;
  readonly name?: string;
  /** By a model. */
  readonly title?: string;
  readonly isPinned?: boolean;
  readonly isArchived?: boolean;
  readonly isHeadless?: boolean;
  /** True if `/clear` ended the conversation: its facts stand until the first prompt of the next one. */
  readonly isCleared?: boolean;
  /** The id of the entry that the conversation's first prompt follows. */
  readonly begins?: string;
  /** True if a rewind left no prompt in the conversation. */
  readonly isRewound?: boolean;
  /** The newest conversations with prompts that `/clear` ended, oldest first. */
  readonly ended?: readonly EndedFacts[];
  readonly folder?: string;
  readonly branch?: string;
  readonly worktree?: string;
  readonly rootId?: string;
  /** Of the conversation. */
  readonly prompts: number;
  /** Null if a turn had an unknown price. */
  readonly costUsd: number | null;
  readonly lastPrompt?: string;
  readonly lastAnswer?: string;
};

export const NO_FACTS: LogFacts = { read: 0, prompts: 0, costUsd: 0 };

type Changing = { -readonly [Key in keyof LogFacts]: LogFacts[Key] };
type Start = { readonly id: string; readonly kind: string };

/**
 * Reads the facts of a log. A log only grows, so of a known log only the new lines are read.
 * @param file `bytes`: the size of the log.
 * @throws {Error} the log can't be read.
 */
export function readFacts(file: { readonly path: string; readonly bytes: number }, known?: LogFacts): LogFacts {
  const reading = new FactsReading(known && isSameLog(file, known) ? known : NO_FACTS);
  for (const { bytes, end, complete } of readByteLines(file.path, reading.facts.read))
    if (complete) reading.add(bytes, end);
  return reading.finish();
}

/** False if the log was replaced by another one, or was cut. */
function isSameLog({ path, bytes }: { readonly path: string; readonly bytes: number }, known: LogFacts): boolean {
  if (known.read > bytes) return false;
  if (known.read === 0) return true;
  for (const first of readByteLines(path)) return startOf(first.bytes)?.id === known.firstId;
  return false;
}

class FactsReading {
  readonly facts: Changing;
  #lastPrompt: string | undefined;
  #lastAnswer: string | undefined;

  constructor(known: LogFacts) {
    this.facts = { ...known };
  }

  add(line: Buffer, end: number): void {
    this.facts.read = end;
    const start = startOf(line);
    if (!start) return;
    this.facts.firstId ??= copyOf(start.id);
    const entry = PARSED.has(start.kind) ? entryOf(line) : undefined;
    if (entry) this.#take(entry);
  }

  finish(): LogFacts {
    const { facts } = this;
    if (this.#lastPrompt !== undefined) facts.lastPrompt = this.#lastPrompt;
    if (this.#lastAnswer !== undefined) facts.lastAnswer = this.#lastAnswer;
    return facts;
  }

  #take(entry: Entry): void {
    const { facts } = this;
    if (entry.kind === "label") this.#takeLabel(entry);
    else if (entry.parentAgentId) return;
    else if (entry.kind === "session") this.#takeStart(entry);
    else if (entry.kind === "user") this.#takePrompt(entry);
    else if (entry.kind === "assistant") this.#lastAnswer = answerOf(entry) || this.#lastAnswer;
    else if (entry.kind === "branch") facts.isRewound = (entry.parentId ?? "") === facts.begins;
    else if (entry.kind === "cleared") this.#endConversation(entry);
    else if (entry.kind === "turn_finished") facts.costUsd = sumOf(facts.costUsd, entry.costUsd);
    else if (entry.kind === "setup" && entry.worktree) facts.worktree = lineOf(`${entry.worktree}`, MAX_PLACE_CHARS);
  }

  #takeLabel({ name, title, isPinned, isArchived }: Extract<Entry, { kind: "label" }>): void {
    if (typeof name === "string") this.facts.name = titleOf(name) ?? "";
    if (typeof title === "string") this.facts.title = titleOf(title) ?? "";
    if (isPinned !== undefined) this.facts.isPinned = isPinned === true;
    if (isArchived !== undefined) this.facts.isArchived = isArchived === true;
  }

  #takeStart({ cwd, branch, isHeadless, rootId }: Extract<Entry, { kind: "session" }>): void {
    if (typeof cwd === "string") this.facts.folder ??= lineOf(cwd, MAX_PLACE_CHARS);
    if (typeof branch === "string") this.facts.branch ??= lineOf(branch, MAX_PLACE_CHARS);
    if (typeof rootId === "string") this.facts.rootId ??= rootId;
    if (isHeadless) this.facts.isHeadless = true;
  }

  #takePrompt({ by, prompt, parentId }: Extract<Entry, { kind: "user" }>): void {
    if (by || typeof prompt !== "string") return;
    if (this.facts.isCleared) this.#beginConversation();
    if (this.facts.isRewound || this.facts.begins === undefined) this.facts.begins = parentId ?? "";
    delete this.facts.isRewound;
    this.facts.prompts += 1;
    const beginning = prompt.slice(0, MAX_RAW_CHARS);
    const title = this.facts.prompt ?? titleOf(beginning);
    if (title !== undefined) this.facts.prompt = title;
    this.#lastPrompt = lineOf(beginning, MAX_TEXT_CHARS);
  }

  #endConversation({ id, time }: Entry): void {
    const { facts } = this;
    if (facts.isCleared || facts.prompts === 0) return;
    facts.isCleared = true;
    if (facts.isRewound) return;
    const { prompts, prompt, title } = facts;
    const lastPrompt = this.#lastPrompt ?? facts.lastPrompt;
    const one = {
      id,
      endedAt: Date.parse(time) || 0,
      prompts,
      ...(prompt !== undefined && { prompt }),
      ...(title !== undefined && { title }),
      ...(lastPrompt !== undefined && { lastPrompt }),
    };
    facts.ended = [...(facts.ended ?? []), one].slice(-MAX_ENDED);
  }

  /** A name that the person gave stays with the session. */
  #beginConversation(): void {
    const { facts } = this;
    for (const fact of ["isCleared", "begins", "isRewound", "prompt", "title", "lastAnswer"] as const)
      delete facts[fact];
    facts.prompts = 0;
    this.#lastAnswer = undefined;
  }
}

const PARSED: ReadonlySet<string> = new Set([
  "session",
  "user",
  "assistant",
  "setup",
  "turn_finished",
  "label",
  "branch",
  "cleared",
]);

function sumOf(sum: number | null, cost: number | null): number | null {
  return sum === null || typeof cost !== "number" ? null : sum + cost;
}

/** An answer that only calls tools has no text. */
function answerOf(entry: Extract<Entry, { kind: "assistant" }>): string {
  if (!Array.isArray(entry.message?.content)) return "";
  const texts = entry.message.content.flatMap((block) => (block.type === "text" ? [block.text] : []));
  return lineOf(texts.join(" ").slice(0, MAX_RAW_CHARS), MAX_TEXT_CHARS);
}

/** A match refers to the whole text that was read; its copy lets that go. */
function copyOf(match: string): string {
  return Buffer.from(match, "latin1").toString("latin1");
}

function startOf(line: Buffer): Start | undefined {
  const [whole, id = "", kind = ""] = START.exec(line.toString("latin1", 0, START_BYTES)) ?? [];
  if (whole !== undefined) return { id, kind };
  const entry = entryOf(line);
  return entry && { id: entry.id, kind: entry.kind };
}

/** Undefined for a damaged line. The fields of an entry are not checked here. */
function entryOf(line: Buffer): Entry | undefined {
  const value = parsedJson(line.toString("utf8"));
  const isEntry = typeof value === "object" && value !== null && "id" in value && "kind" in value;
  return isEntry ? (value as Entry) : undefined;
}
