import { closeSync, openSync, writeSync } from "node:fs";
import { MAIN_AGENT } from "../../src/contracts/agent.ts";
import {
  type AssistantMessage,
  NO_USAGE,
  type ToolResultBlock,
  type UserMessage,
} from "../../src/contracts/message.ts";
import { type EntryBody, makeEntry } from "../../src/contracts/session.ts";
import { FinishedResults } from "../../src/services/session/finished-results.ts";
import { formatEntry } from "../../src/services/session/session-file.ts";

/** Calls in a turn, each with a result. */
const CALLS = 8;
const RESULT_CHARS = 16_000;
/** Turns between two compactions. */
const TURNS_A_COMPACTION = 40;
/** Turns that a compaction keeps. */
const KEPT_TURNS = 5;
const START = Date.UTC(2026, 0, 1);

export type LargeSession = {
  readonly file: string;
  readonly sessionId: string;
  readonly cwd: string;
  /** The file has at least this size; the last turn is complete. */
  readonly bytes: number;
  /** Turns after the last compaction. */
  readonly turnsAfter?: number;
};

/**
 * Writes the file of a session with many turns, large results and a compaction every forty turns, as a long piece of
 * work leaves it.
 * @returns the number of turns.
 */
export function writeLargeSession({ file, sessionId, cwd, bytes, turnsAfter = 20 }: LargeSession): number {
  const fd = openSync(file, "w", 0o600);
  try {
    const writer = new SessionWriter(fd);
    writer.add({ kind: "session", sessionId, cwd, version: "0.1.0" });
    let turn = 0;
    let sinceCompaction = 0;
    for (; writer.bytes < bytes || sinceCompaction !== turnsAfter; turn += 1) {
      addTurn(writer, turn);
      sinceCompaction += 1;
      if (sinceCompaction < TURNS_A_COMPACTION) continue;
      addCompaction(writer, turn);
      sinceCompaction = 0;
    }
    writer.flush();
    return turn;
  } finally {
    closeSync(fd);
  }
}

/** Writes entries that follow one another. */
class SessionWriter {
  readonly #fd: number;
  readonly #results = new FinishedResults();
  #lines: string[] = [];
  #waiting = 0;
  #count = 0;
  #lastId: string | null = null;
  bytes = 0;

  constructor(fd: number) {
    this.#fd = fd;
  }

  add(body: EntryBody): void {
    this.#count += 1;
    const id = idOf(this.#count);
    const place = { parentId: this.#lastId, agent: MAIN_AGENT };
    const entry = makeEntry(body, place, { id, now: START + this.#count * 1_000 });
    this.#lastId = id;
    const line = formatEntry(this.#results.stored(entry));
    this.#lines.push(line);
    this.bytes += line.length;
    this.#waiting += line.length;
    if (this.#waiting > 1_000_000) this.flush();
  }

  flush(): void {
    writeSync(this.#fd, this.#lines.join(""));
    this.#lines = [];
    this.#waiting = 0;
  }
}

function addTurn(writer: SessionWriter, turn: number): void {
  writer.add({ kind: "user", prompt: `question ${turn}`, message: wordsOf(`u${turn}`, `question ${turn}`) });
  for (let call = 0; call < CALLS; call += 1) addCall(writer, `${turn}-${call}`);
  writer.add({ kind: "assistant", message: answerOf(`a${turn}`, [{ type: "text", text: `answer ${turn}` }]) });
  writer.add({ kind: "turn_finished", reason: "completed", costUsd: 0.01 });
}

function addCall(writer: SessionWriter, name: string): void {
  const toolUseId = `toolu_${name}`;
  const answerId = `a${name}`;
  const use = { type: "tool_use", id: toolUseId, name: "Bash", input: { command: `cat part-${name}` } } as const;
  writer.add({ kind: "assistant", message: answerOf(answerId, [use]) });
  writer.add({ kind: "tool_started", toolUseId, toolName: "Bash", answerId });
  const result: ToolResultBlock = { type: "tool_result", toolUseId, content: linesOf(name), isError: false };
  writer.add({ kind: "tool_finished", result, answerId });
  const fact = { type: "call", toolUseId, title: `cat part-${name}`, durationMs: 12 } as const;
  writer.add({ kind: "shown", optional: true, fact });
  writer.add({ kind: "results", message: { role: "user", id: `r${name}`, content: [result] } });
}

function addCompaction(writer: SessionWriter, turn: number): void {
  const firstKeptId = firstEntryOf(turn - KEPT_TURNS + 1);
  const summary = wordsOf(`s${turn}`, `Summary of the work up to turn ${turn}. ${linesOf(`s${turn}`).slice(0, 4_000)}`);
  const report = { droppedMessages: 500, keptMessages: 10, checked: 4, added: [] };
  writer.add({ kind: "compacted", why: "full", stubs: [], firstKeptId, summary, report, note: "Summarised." });
}

/** The entries of turns have a fixed number, so the id of a turn's first entry follows from its place. */
function firstEntryOf(turn: number): string {
  const entries = CALLS * 5 + 3;
  const compactions = Math.floor(turn / TURNS_A_COMPACTION);
  const count = 2 + turn * entries + compactions;
  return idOf(count);
}

function idOf(count: number): string {
  return `${count.toString(16).padStart(8, "0")}-0000-4000-8000-000000000000`;
}

function wordsOf(id: string, text: string): UserMessage {
  return { role: "user", id, content: [{ type: "text", text }] };
}

function answerOf(id: string, content: AssistantMessage["content"]): AssistantMessage {
  const stopReason = content.some(({ type }) => type === "tool_use") ? "tool_use" : "end_turn";
  return {
    role: "assistant",
    id,
    model: "m",
    content,
    stopReason,
    usage: { ...NO_USAGE, inputTokens: 50_000, outputTokens: 50 },
  };
}

/** Lines as a build or a search prints them. */
function linesOf(seed: string): string {
  const lines: string[] = [];
  let chars = 0;
  for (let at = 0; chars < RESULT_CHARS; at += 1) {
    const line = `${seed}:${at}: const value${at % 97} = compute("part ${at % 31}", { depth: ${at % 7}, isOpen: ${at % 2 === 0} });`;
    lines.push(line);
    chars += line.length + 1;
  }
  return lines.join("\n");
}
