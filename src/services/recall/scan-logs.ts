import { setImmediate as giveWay } from "node:timers/promises";
import { withFinished } from "../../contracts/finished-results.ts";
import type { ToolResultBlock } from "../../contracts/message.ts";
import type { RecallPassage } from "../../contracts/recall.ts";
import type { Entry } from "../../contracts/session.ts";
import { isNamed, textsOf } from "./entry-texts.ts";
import { linesFrom, type SessionFile, SpilledFiles } from "./io/session-files.ts";
import { type Candidate, candidateOf } from "./matches.ts";
import { readPlace } from "./read-place.ts";
import { type Query, wordScores } from "./recall-query.ts";
import { addHead, type SessionHead } from "./session-head.ts";

/** The maximum number of texts of one log that are kept for the comparison. */
const MAX_KEPT = 200;
/** The id of an entry, at the beginning of its line. */
const ID = /^\{"v":\d+,"id":("(?:[^"\\]|\\.)*")/;
const CLEARED = '"kind":"cleared"';

/** The entries of a log, or of a session that is not saved. */
export type ReadEntries = {
  readonly signal: AbortSignal;
  parse(line: string): Entry | undefined;
};

type Redact = { redact(text: string): string };

/** A log, and the part of it that is searched. */
export type ScannedLog = {
  readonly file: SessionFile;
  /** True to skip everything before the last `cleared`. */
  readonly isSinceCleared: boolean;
};

/** Searches a whole log for the words of a query. @throws the abort reason of `signal`; {Error} the log can't be read. */
export async function scanLog(
  { file, isSinceCleared }: ScannedLog,
  query: Query,
  { parse, signal, redact }: ReadEntries & Redact,
) {
  const { sessionId, projectId } = file;
  const collector = new Collector({ sessionId, projectId, redact }, query, isSinceCleared);
  for await (const { text, offset: at } of linesFrom(file.path, 0, signal)) {
    const entry = parse(text);
    const readText = (part: number) => readPlace(file, { at, part, spilled: "" }, parse)?.found.text;
    if (entry) collector.add(entry, readText);
  }
  return collector.candidates;
}

/** Searches entries in memory for the words of a query. */
export function scanEntries(
  entries: readonly Entry[],
  place: Pick<Candidate, "sessionId" | "projectId">,
  query: Query,
  redact: Redact["redact"],
) {
  const collector = new Collector({ ...place, redact }, query, true);
  for (const entry of entries) collector.add(entry, (part) => textsOf(entry)[part]?.text);
  return collector.candidates;
}

class Collector {
  readonly #place: Pick<Candidate, "sessionId" | "projectId">;
  readonly #redact: Redact["redact"];
  readonly #query: Query;
  readonly #isSinceCleared: boolean;
  #head: SessionHead = {};
  #found: Candidate[] = [];
  #lastPrompt: string | undefined;

  constructor(
    { redact, ...place }: Pick<Candidate, "sessionId" | "projectId"> & Redact,
    query: Query,
    isSinceCleared: boolean,
  ) {
    this.#place = place;
    this.#redact = redact;
    this.#query = query;
    this.#isSinceCleared = isSinceCleared;
  }

  /** @param readText Reads one of the texts of the entry again, by its number. */
  add(entry: Entry, readText: (part: number) => string | undefined): void {
    this.#head = addHead(this.#head, entry, this.#redact);
    if (entry.kind === "cleared" && this.#isSinceCleared) this.#found = [];
    if (entry.kind === "user" && entry.by === undefined) this.#lastPrompt = entry.id;
    for (const [part, found] of textsOf(entry).entries()) {
      const scores = wordScores(found.text, this.#query);
      if (scores.every((score) => score === 0)) continue;
      const place = { ...this.#place, cwd: "", title: "" };
      this.#found.push(candidateOf(place, { entry, found, scores, readText: () => readText(part) }));
    }
    if (this.#found.length > MAX_KEPT * 2) this.#found = this.#best();
  }

  /** The best first. */
  get candidates(): readonly Candidate[] {
    const { cwd = "", title = "" } = this.#head;
    return this.#best()
      .filter(({ entryId }) => !this.#isSinceCleared || entryId !== this.#lastPrompt)
      .map((candidate) => ({ ...candidate, cwd, title }));
  }

  #best() {
    const sumOf = ({ scores }: Candidate) => scores.reduce((sum, one) => sum + one, 0);
    return this.#found.toSorted((a, b) => sumOf(b) - sumOf(a)).slice(0, MAX_KEPT);
  }
}

/** The texts of an id in a log. @throws the abort reason of `signal`; {Error} the log can't be read. */
export async function findInLog({ file, isSinceCleared }: ScannedLog, id: string, { parse, signal }: ReadEntries) {
  const quoted = JSON.stringify(id);
  let entries: Entry[] = [];
  for await (const { text } of linesFrom(file.path, 0, signal)) {
    if (isSinceCleared && text.includes(CLEARED) && parse(text)?.kind === "cleared") entries = [];
    if (!text.includes(quoted)) continue;
    const entry = parse(text);
    if (entry) entries.push(entry);
  }
  entries = await withResults(entries, file, { parse, signal });
  const spilled = new SpilledFiles(file);
  const passages: RecallPassage[] = [];
  for (const passage of findInEntries(entries, file.sessionId, id)) {
    passages.push(passage);
    for (const name of passage.kind === "result" ? spilled.namedIn(passage.text) : []) {
      signal.throwIfAborted();
      const text = spilled.textOf(name);
      if (text !== undefined) passages.push({ ...passage, kind: "spilled", text });
      await giveWay();
    }
  }
  return passages;
}

/** Puts the results that stand in other entries back into the messages that a search by id has found. */
async function withResults(entries: Entry[], { path }: SessionFile, { parse, signal }: ReadEntries): Promise<Entry[]> {
  const wanted = new Set(
    entries
      .flatMap((one) => (one.kind === "results" ? (one.finished ?? []) : []))
      .map(({ entryId }) => JSON.stringify(entryId)),
  );
  if (wanted.size === 0) return entries;
  const results = new Map<string, ToolResultBlock>();
  for await (const { text } of linesFrom(path, 0, signal)) {
    const id = ID.exec(text)?.[1];
    const entry = id !== undefined && wanted.has(id) ? parse(text) : undefined;
    if (entry?.kind === "tool_finished") results.set(entry.id, entry.result);
  }
  return entries.map((one) => (one.kind === "results" ? withFinished(one, (id) => results.get(id)) : one));
}

/** The texts of an id: of the whole entry or message, or of the call and its result. */
export function findInEntries(entries: readonly Entry[], sessionId: string, id: string): readonly RecallPassage[] {
  const passages = new Map<string, RecallPassage>();
  for (const entry of entries.filter((one) => isNamed(one, id))) {
    const texts = textsOf(entry);
    const own = texts.filter((text) => text.id === id);
    for (const { kind, text, id: ownId } of own.length > 0 && entry.id !== id ? own : texts)
      passages.set(`${kind} ${ownId} ${text}`, {
        sessionId,
        entryId: entry.id,
        id: ownId,
        kind,
        time: entry.time,
        text,
      });
  }
  return [...passages.values()];
}
