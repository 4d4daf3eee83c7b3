import { MAIN_AGENT } from "../../../src/contracts/agent.ts";
import { NO_USAGE } from "../../../src/contracts/message.ts";
import { type Entry, type EntryBody, makeEntry } from "../../../src/contracts/session.ts";
import { project } from "../../../src/engine/project.ts";
import { pathOf } from "../../../src/services/session/entry-path.ts";
import { FinishedResults } from "../../../src/services/session/finished-results.ts";
import { formatEntry } from "../../../src/services/session/session-file.ts";
import type { seededRandom } from "../../support/seeded-random.ts";
import { asStarted, assistant, result, results, user } from "./support.ts";

type SeededRandom = ReturnType<typeof seededRandom>;

const CHILD = { agentId: "a1", parentAgentId: MAIN_AGENT.agentId };
const BAD_LINES = ['{"v":2,"id":', "garbage", "", "   ", '{"v":2}', "\u0000\u0000\u0000", "[1,2]"];

/** Writes a random session: turns, calls, branches, compactions of each form, `/clear`, agents, and damage. */
export class RandomSession {
  readonly #random: SeededRandom;
  readonly #results = new FinishedResults();
  /** Written by a Quoll that repeated the results in their message. */
  readonly #isOld: boolean;
  #entries: Entry[] = [];
  #lines: string[] = [];
  #lastId: string | null = null;
  #childId: string | null = null;
  #count = 0;

  constructor(random: SeededRandom) {
    this.#random = random;
    this.#isOld = random.below(4) === 0;
  }

  /** The lines of the file. @param isDamaged True to damage some of them. */
  write(steps: number, isDamaged: boolean): string {
    this.#add({ kind: "session", sessionId: "s1", cwd: "/p", version: "1" });
    for (let step = 0; step < steps; step += 1) this.#step(isDamaged);
    const text = this.#lines.join("");
    return isDamaged && this.#random.below(3) === 0 ? text.slice(0, -1 - this.#random.below(60)) : text;
  }

  #step(isDamaged: boolean): void {
    const { below: int } = this.#random;
    const chance = int(100);
    if (chance < 55) this.#turn();
    else if (chance < 65) this.#callsOf(int(4));
    else if (chance < 75) this.#compact();
    else if (chance < 78) this.#undo();
    else if (chance < 82) this.#branch();
    else if (chance < 92) this.#note(int(9));
    else if (chance < 93) this.#clear();
    else if (chance < 96) this.#child();
    else if (isDamaged) this.#damage();
  }

  #add(body: EntryBody, more: object = {}): Entry {
    this.#count += 1;
    const place = { parentId: this.#lastId, agent: MAIN_AGENT };
    const made = makeEntry(body, place, { id: `e${this.#count}`, now: this.#count * 1_000 });
    // A newer Quoll may write fields that this one does not know.
    const newer = this.#random.below(20) === 0 ? { newer: { at: this.#count } } : {};
    const entry = { ...made, ...more, ...newer };
    this.#entries.push(entry);
    this.#lines.push(formatEntry(this.#isOld ? entry : this.#results.stored(entry)));
    this.#lastId = entry.id;
    return entry;
  }

  #id(): string {
    this.#count += 1;
    // Some ids need an escape, and some messages come twice.
    if (this.#random.below(30) === 0) return `m"${this.#count}\u00e9`;
    return this.#random.below(40) === 0 ? `m${this.#random.below(this.#count) + 1}` : `m${this.#count}`;
  }

  #turn(): void {
    const { below: int } = this.#random;
    const id = this.#id();
    const by = int(8) === 0 ? ({ by: "harness" } as const) : {};
    const announced = int(10) === 0 ? { announced: [`tool${int(3)}`] } : {};
    this.#add({ kind: "user", message: user(id, `words ${id}`), prompt: `words ${id}`, ...by, ...announced });
    for (let round = int(4); round > 0; round -= 1) this.#callsOf(1 + int(3));
    if (int(8) > 0) this.#answer([]);
    if (int(6) > 0) {
      const reason = this.#random.pick(["completed", "completed", "aborted", "failed"]);
      this.#add({ kind: "turn_finished", reason, costUsd: 0 });
    }
  }

  #answer(ids: readonly string[]): string {
    const id = this.#id();
    const { role: _, id: __, ...rest } = assistant(id, ...ids);
    const tokens = this.#random.below(5) === 0 ? NO_USAGE : { ...NO_USAGE, inputTokens: 1_000, outputTokens: 10 };
    // The adapters of providers put the id last.
    const isLast = this.#random.below(2) === 0;
    const message = isLast ? { role: "assistant" as const, ...rest, id } : { role: "assistant" as const, id, ...rest };
    this.#add({ kind: "assistant", message: { ...message, usage: tokens } });
    return id;
  }

  #callsOf(calls: number): void {
    const { below: int } = this.#random;
    this.#count += calls;
    // Answers may use an id again, but none has two calls with one id.
    const ids = [...new Set(Array.from({ length: calls }, (_, at) => `t${int(4) === 0 ? int(9) : this.#count + at}`))];
    const early = ids.slice(0, int(2));
    for (const id of early) this.#add(asStarted(id), int(2) === 0 ? {} : { answerId: "lost" });
    const answerId = this.#answer(ids);
    for (const id of ids.slice(early.length)) if (int(8) > 0) this.#add({ ...asStarted(id), answerId } as EntryBody);
    const ended = ids.filter(() => int(10) > 0).map((id) => result(id, `out ${int(99)}`));
    for (const one of ended) this.#add({ kind: "tool_finished", result: one, answerId });
    if (int(10) === 0) return;
    const given = ended.filter(() => int(12) > 0).map((one) => (int(4) === 0 ? { ...one, content: "cut" } : one));
    const note = int(4) === 0 ? [{ type: "text", text: `note ${this.#count}` } as const] : [];
    const { role, id, content } = results(this.#id(), ...given);
    this.#add({ kind: "results", message: { role, id, content: [...content, ...note] } });
  }

  get #path(): readonly Entry[] {
    return pathOf(this.#entries, this.#lastId);
  }

  #compact(): void {
    const { below: int, pick } = this.#random;
    const { messages, entryIds } = project(this.#path);
    if (messages.length === 0) return;
    const summary = int(4) > 0 ? { summary: user(this.#id(), `summary ${this.#count}`) } : {};
    const at = int(messages.length);
    const report = { droppedMessages: 1, keptMessages: this.#count, checked: 0, added: [] };
    const stubbed = messages.find(({ role }) => role === "user" && int(3) === 0);
    const stub = { messageId: stubbed?.id ?? "none", at: 0, block: { type: "text", text: "[cut]" } } as const;
    const form = int(12);
    const kept = { firstKeptId: int(20) === 0 ? "unknown" : (entryIds[at] ?? "") };
    this.#add({
      kind: "compacted",
      why: pick(["full", "manual", "image_too_large"]),
      stubs: int(3) === 0 ? [stub] : [],
      ...(form < 8 && kept),
      ...(form === 8 && { lastKeptId: entryIds[at] ?? "" }),
      ...(form < 2 && { keptIds: [pick(messages).id] }),
      ...(form === 9 && { removedIds: [pick(messages).id] }),
      ...summary,
      ...(int(2) === 0 && { report }),
      note: "n",
    });
  }

  #undo(): void {
    const compacted = this.#path.filter(({ kind }) => kind === "compacted");
    const one = this.#random.below(4) === 0 ? compacted.at(this.#random.below(compacted.length + 1)) : compacted.at(-1);
    if (one) this.#add({ kind: "uncompacted", compactedId: one.id });
  }

  #branch(): void {
    const from = this.#lastId;
    const path = this.#path;
    const isNear = this.#random.below(3) > 0;
    const at = isNear
      ? path.length - 1 - this.#random.below(Math.min(20, path.length))
      : this.#random.below(path.length);
    this.#lastId = path[at]?.id ?? null;
    this.#add({ kind: "branch", from });
  }

  #note(kind: number): void {
    if (kind < 2) this.#add({ kind: "note", optional: true, text: `note ${this.#count}` });
    else if (kind < 4) this.#add({ kind: "tools", optional: true, mode: "late", array: [`T${this.#count}`] });
    else if (kind < 6) this.#add({ kind: "pinned", optional: true, ids: [`m${this.#count}`] });
    else if (kind === 6) this.#add({ kind: "worktree", optional: true, name: `w${this.#count}` });
    else if (kind === 7) this.#add({ kind: "bookmark", optional: true, at: 3 } as unknown as EntryBody);
    else this.#add({ kind: "shown", optional: true, fact: { type: "notice", message: `n ${this.#count}` } });
  }

  #clear(): void {
    if (this.#random.below(4) > 0) return;
    this.#add({ kind: "cleared" });
  }

  /** An entry of a child agent between those of the session's own. */
  #child(): void {
    this.#count += 1;
    const body: EntryBody = { kind: "user", message: user(`c${this.#count}`), prompt: "child" };
    const place = { parentId: this.#childId, agent: CHILD };
    const entry = makeEntry(body, place, { id: `c${this.#count}`, now: 0 });
    this.#childId = entry.id;
    this.#entries.push(entry);
    this.#lines.push(formatEntry(entry));
  }

  #damage(): void {
    const { below: int, pick } = this.#random;
    const at = int(this.#lines.length);
    const line = this.#lines[at] ?? "";
    const kind = int(5);
    if (kind === 0) this.#lines.push(`${pick(BAD_LINES)}\n`);
    else if (kind === 1) this.#lines.push(line);
    else if (kind === 2) this.#lines[at] = line.replace(/.{5}(?=.{9}$)/, "\u0000\u0000");
    else if (kind === 3) this.#lines[at] = `${line.slice(0, int(line.length))}\n`;
    else this.#lines.splice(at, 1);
  }
}
