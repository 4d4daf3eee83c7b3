import { appendFileSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { MAIN_AGENT } from "../../src/contracts/agent.ts";
import { type EntryBody, makeEntry } from "../../src/contracts/session.ts";
import { indexFile } from "../../src/services/recall/io/index-file.ts";
import { SessionRecall } from "../../src/services/recall/session-recall.ts";
import { createRedactor } from "../../src/services/redaction/create-redactor.ts";
import { parseEntry } from "../../src/services/session/entry.ts";
import { formatEntry } from "../../src/services/session/session-file.ts";
import type { BenchPlace, Measurement } from "./measurement.ts";

const LOG_BYTES = 20_000_000;
const RESULT_WORDS = 600;

/** The search in the log of one session of 20 MB: the first query, which builds the index, a later one, and the text of an id. */
export async function benchRecall(_: BenchPlace, runs: number): Promise<readonly Measurement[]> {
  const folder = mkdtempSync(join(tmpdir(), "quoll-bench-"));
  try {
    const results = writeLog(join(folder, "sessions", "p"));
    const times = { first: [] as number[], blocked: [] as number[], second: [] as number[], id: [] as number[] };
    for (let run = 0; run < runs; run += 1) {
      rmSync(join(folder, "search"), { recursive: true, force: true });
      const recall = await recallIn(folder);
      const first = await timed(() => search(recall, `name${results - 5}`));
      times.first.push(first.ms);
      times.blocked.push(first.blockedMs);
      times.second.push((await timed(() => search(recall, `name${results - 9}`))).ms);
      times.id.push((await timed(() => recall.find(`c${results - 9}`, "session", AbortSignal.timeout(60_000)))).ms);
      await recall.close();
    }
    const row = (name: string, values: readonly number[]): Measurement => ({
      part: "recall",
      name,
      unit: "ms",
      values,
    });
    return [
      row("first search in a log of 20 MB, which is indexed", times.first),
      row("longest time in it without a turn for other work", times.blocked),
      row("second search", times.second),
      row("text of an id", times.id),
    ];
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function recallIn(folder: string): Promise<SessionRecall> {
  const { redact } = await createRedactor({ key: new Uint8Array(32) });
  return new SessionRecall({
    redact,
    root: join(folder, "sessions"),
    indexPath: indexFile(folder),
    own: { projectId: "p", sessionId: "s" },
    parse: (line) => {
      const read = parseEntry(line);
      return read.kind === "entry" ? read.entry : undefined;
    },
  });
}

async function search(recall: SessionRecall, query: string): Promise<void> {
  const asked = { query, scope: "session", maxMatches: 5, excerptChars: 500 } as const;
  const { matches } = await recall.search(asked, AbortSignal.timeout(60_000));
  if (matches.length === 0) throw new Error(`The search for ${query} found nothing.`);
}

/** Milliseconds of some work, and of the longest pause of the event loop in it. */
async function timed(work: () => Promise<unknown>) {
  const startedAt = performance.now();
  let lastAt = startedAt;
  let blockedMs = 0;
  const look = () => {
    blockedMs = Math.max(blockedMs, performance.now() - lastAt);
    lastAt = performance.now();
  };
  const timer = setInterval(look, 1);
  await work();
  look();
  clearInterval(timer);
  return { ms: performance.now() - startedAt, blockedMs };
}

/** @returns how many results there are. */
function writeLog(folder: string): number {
  mkdirSync(folder, { recursive: true });
  const path = join(folder, "s.jsonl");
  let [bytes, count, text] = [0, 0, ""];
  const add = (body: EntryBody) => {
    const id = `e${bytes}`;
    const line = formatEntry(makeEntry(body, { parentId: null, agent: MAIN_AGENT }, { id, now: 0 }));
    bytes += line.length;
    text += line;
    return id;
  };
  while (bytes < LOG_BYTES) {
    const content = `name${count} ${wordsOf(count)}`;
    const result = { type: "tool_result", toolUseId: `c${count}`, content, isError: false } as const;
    const entryId = add({ kind: "tool_finished", result });
    const message = { role: "user", id: `m${count}`, content: [] } as const;
    add({ kind: "results", message, finished: [{ at: 0, entryId }] });
    count += 1;
    if (text.length < 1_000_000) continue;
    appendFileSync(path, text);
    text = "";
  }
  appendFileSync(path, text);
  return count;
}

/** Words as frequent as in code: few often, many rarely. */
function wordsOf(seed: number): string {
  const word = (at: number) => {
    const spread = ((seed * 31 + at) * 2_654_435_761) % 4_294_967_296;
    return `w${Math.floor((spread / 4_294_967_296) ** 3 * 20_000).toString(36)}`;
  };
  return Array.from({ length: RESULT_WORDS }, (_, at) => word(at)).join(" ");
}
