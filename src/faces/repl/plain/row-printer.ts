import { plural } from "@quoll/terminal-text/plural";
import type { FinishedTool, Row, Transcript } from "../../../protocol/transcript/transcript.ts";
import { callLine, resultLines } from "./plain-calls.ts";
import { callsOf, endBefore, type SpokenRow, spokenRow } from "./plain-rows.ts";
import { ROLES } from "./spoken-text.ts";

/** The prompts of a resumed conversation that are told, with what followed. */
const RESUMED_PROMPTS = 3;
/** The maximum number of remembered calls. */
const MAX_CALLS = 1_000;

type Deps = {
  print(lines: readonly string[]): void;
  /** The line that the person typed, if nothing was printed since. */
  typed(): string | undefined;
};

/** Prints each row of the conversation, and each call, once. */
export class RowPrinter {
  readonly #deps: Deps;
  /** The number of printed rows. */
  #printed = 0;
  #hasResumed = false;
  #lastRow: Row | undefined;
  /** The calls whose line is printed, by id. */
  readonly #called = new Set<string>();
  /** The calls whose result is printed, by id. */
  readonly #ended = new Set<string>();
  /** The call whose line was printed last, if nothing was printed since. */
  #lastCall: string | undefined;
  /** The calls whose change a question showed in full. */
  readonly #shownCalls = new Set<string>();

  /** True if something else was printed since the last row. */
  #isBroken = false;

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  /** Something was printed, so that the next result names its call, and the next part of an answer its speaker. */
  interrupted(): void {
    this.#lastCall = undefined;
    this.#isBroken = true;
  }

  /** A question shows this call; it may come before the start of the call. */
  asked(toolUseId: string): void {
    remember(this.#shownCalls, toolUseId);
    remember(this.#called, toolUseId);
  }

  /** Prints what is new. @param isResumed True for the conversation of an earlier process. */
  print({ settled, running, explorations }: Transcript, isResumed: boolean): void {
    for (const row of this.#newRows(settled, isResumed)) {
      this.#deps.print(endBefore(row, this.#lastRow));
      const calls = callsOf(row);
      if (calls) for (const call of calls) this.#printCall(call);
      else this.#printRow(row as SpokenRow);
      this.#lastRow = row;
    }
    this.#printed = settled.length;
    // A call ends for the person when it has ended, even if its row waits for others.
    for (const call of explorations) this.#printCall(call);
    for (const call of running) {
      if (call.finished) this.#printCall(call.finished);
      else this.#announce(call);
    }
  }

  /** Of a resumed conversation, only the newest prompts are told: a long one would take minutes to hear. */
  #newRows(settled: Transcript["settled"], isResumed: boolean): readonly Row[] {
    const rows = settled.slice(this.#printed);
    if (!isResumed || this.#hasResumed) return rows;
    this.#hasResumed = true;
    const prompts = rows.flatMap((row, at) => (row.kind === "user" ? [at] : []));
    const [first] = prompts;
    if (first === undefined) return rows;
    const told = prompts.at(-RESUMED_PROMPTS) ?? first;
    const left = Math.max(0, prompts.length - RESUMED_PROMPTS);
    const about = left > 0 ? `, ${left} earlier left out: /transcript all tells the whole conversation` : "";
    for (const row of rows.slice(0, first)) this.#printRow(row as SpokenRow);
    this.#deps.print([`${ROLES.notice}: resumed after ${plural(prompts.length, "prompt")}${about}.`]);
    return rows.slice(told);
  }

  #printRow(row: SpokenRow): void {
    const isEcho = row.kind === "user" && this.#deps.typed() === row.text.trim();
    if (isEcho) return;
    const [first, ...rest] = spokenRow(row, this.#lastRow);
    if (first === undefined) return;
    const lead = `${ROLES.answer}: `;
    const isTornOff = this.#isBroken && row.kind === "markdown" && !first.startsWith(lead);
    this.#deps.print([isTornOff ? lead + first : first, ...rest]);
    this.#isBroken = false;
  }

  #announce(call: Pick<FinishedTool, "use" | "title">): void {
    const { id } = call.use;
    if (this.#called.has(id)) return;
    remember(this.#called, id);
    this.#deps.print([callLine(call)]);
    this.#lastCall = id;
  }

  #printCall(call: FinishedTool): void {
    const { id } = call.use;
    if (this.#ended.has(id)) return;
    this.#announce(call);
    remember(this.#ended, id);
    this.#deps.print(resultLines(call, { isNext: this.#lastCall === id, wasShown: this.#shownCalls.delete(id) }));
  }
}

/** Adds an id; the oldest one is forgotten. */
function remember(ids: Set<string>, id: string): void {
  ids.add(id);
  const [oldest] = ids.size > MAX_CALLS ? ids : [];
  if (oldest !== undefined) ids.delete(oldest);
}
