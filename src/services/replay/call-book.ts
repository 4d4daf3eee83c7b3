import { type AssistantMessage, type ToolResultBlock, type ToolUseBlock, textOf } from "../../contracts/message.ts";
import { type Comparison, compareResults } from "./compare.ts";
import { mapTexts } from "./places.ts";
import { type RecordedResult, resultsAfter, type Step } from "./recording.ts";

/** One call of the recording, and what became of it now. */
export type BookedCall = {
  /** 1 for the first of the recording. */
  readonly number: number;
  readonly use: ToolUseBlock;
  /** Undefined when the call died with its process. */
  readonly recorded: RecordedResult | undefined;
  /** A screen line's worth of it. */
  readonly title: string;
  /** Why the recorded result was given back in place of a run. */
  notRun: string | undefined;
  /** Refused then and now. */
  isRefusedAgain: boolean;
  now: ToolResultBlock | undefined;
};

export type CallOutcome = {
  readonly number: number;
  readonly tool: string;
  readonly title: string;
} & (
  | { readonly status: "same"; readonly without: readonly string[]; readonly isRefused: boolean }
  | { readonly status: "differs"; readonly diff: readonly string[]; readonly without: readonly string[] }
  | { readonly status: "not run"; readonly why: string }
);

export type BookDeps = {
  /** Why a call can't be run at all, known beforehand; undefined for one that can. */
  unplayable(use: ToolUseBlock, recorded: RecordedResult): string | undefined;
  /** Puts the placeholders of folders into a text: see places.ts. */
  hide(text: string): string;
};

const ID_PREFIX = "replay-";
const CANCELLED = /^Cancelled by the user before it ran\.|\[interrupted by the user[ ;]/;
/** How refusals begin, of whoever refused. */
const REFUSED = /^(?:Refused\b|Plan mode is on: nothing may be changed|The user refused this call)/;
const ALONE = /^Nobody is there to agree\b/;
/** Whose results come in the order of files' times, which a copy can't have quite as they were. */
const ANY_ORDER: ReadonlySet<string> = new Set(["Glob", "Grep"]);
const KEPT_RESULT = /\bresult-([\w-]+)\.txt\b/g;
const MAX_TITLE_CHARS = 100;
const NOT_REACHED = "the replay did not come to it";

/**
 * The calls of a recording, in order. Each has an id of its own in the replay: those of a recording may repeat from answer to
 * answer.
 */
export class CallBook {
  readonly #calls: BookedCall[] = [];
  readonly #byId = new Map<string, BookedCall>();
  readonly #messages = new Map<AssistantMessage, AssistantMessage>();

  /** The id in the replay of the newest call that had an id in the recording. */
  readonly #ids = new Map<string, string>();
  readonly #hide: BookDeps["hide"];

  constructor(steps: readonly Step[], { unplayable, hide }: BookDeps) {
    this.#hide = hide;
    for (const [index, step] of steps.entries()) {
      if (step.kind !== "answer") continue;
      const results = resultsAfter(steps, index);
      const content = step.message.content.map((block) =>
        block.type === "tool_use" ? this.#book(block, results.get(block.id), unplayable) : block,
      );
      this.#messages.set(step.message, { ...step.message, content });
    }
  }

  /** A recorded answer as it is played. */
  messageOf(recorded: AssistantMessage): AssistantMessage {
    return this.#messages.get(recorded) ?? recorded;
  }

  find(toolUseId: string): BookedCall | undefined {
    return this.#byId.get(toolUseId);
  }

  /** The result of a call that is given back as it was recorded. */
  giveBack(call: BookedCall, why: string): void {
    call.notRun ??= why;
  }

  finished(result: ToolResultBlock): void {
    const call = this.#byId.get(result.toolUseId);
    if (call) call.now = mapTexts(result, this.#hide);
  }

  /** Whether the recording tells that nobody was there to be asked about a plan. */
  get wasAlone(): boolean {
    return this.#calls.some(({ recorded }) => recorded && ALONE.test(textOf(recorded.content)));
  }

  outcomes(): readonly CallOutcome[] {
    return this.#calls.map(outcomeOf);
  }

  #book(use: ToolUseBlock, recorded: RecordedResult | undefined, unplayable: BookDeps["unplayable"]): ToolUseBlock {
    const number = this.#calls.length + 1;
    const id = `${ID_PREFIX}${number}`;
    const notRun = recorded ? (cancelled(recorded) ?? unplayable(use, recorded)) : "the recording has no result of it";
    const call: BookedCall = {
      number,
      use,
      recorded,
      title: titleOf(use),
      notRun,
      isRefusedAgain: false,
      now: undefined,
    };
    this.#calls.push(call);
    this.#byId.set(id, call);
    // What is not run is not looked at either: its input may be such that the engine would refuse it before.
    // What it names is of calls before it, even where their ids are the same.
    const input = mapTexts(use.input, (text) => this.#renamed(text));
    this.#ids.set(use.id, id);
    return notRun === undefined ? { ...use, id, input } : { type: "tool_use", id, name: use.name, input: {} };
  }

  /** A result that was too large is kept in a file that is named after its call. */
  #renamed(text: string): string {
    return text.replace(KEPT_RESULT, (name, id: string) => name.replace(id, () => this.#ids.get(id) ?? id));
  }
}

/** What a call is about, where the tool itself is not asked: the first words of what it would run, read or look for. */
function titleOf({ input }: ToolUseBlock): string {
  const told = ["command", "file_path", "path", "pattern"].map((name) => input[name]);
  const [first = ""] = told.filter((value) => typeof value === "string");
  const line = first.replace(/\s+/g, " ").trim();
  return line.length > MAX_TITLE_CHARS ? `${line.slice(0, MAX_TITLE_CHARS - 1)}…` : line;
}

/** Whether a result says that the call was refused, not that it could not be made. */
export function isRefusal({ ran, isError, content }: RecordedResult): boolean {
  return !ran && isError && REFUSED.test(textOf(content));
}

function cancelled({ content, isError }: RecordedResult): string | undefined {
  return isError && CANCELLED.test(textOf(content)) ? "it was broken off in the recording" : undefined;
}

function outcomeOf(call: BookedCall): CallOutcome {
  const { number, use, recorded, notRun, now, isRefusedAgain: isRefused } = call;
  const about = { number, tool: use.name, title: call.title };
  if (isRefused && now) return { ...about, status: "same", without: [], isRefused };
  if (notRun !== undefined) return { ...about, status: "not run", why: notRun };
  if (!now || !recorded) return { ...about, status: "not run", why: NOT_REACHED };
  const compared: Comparison = compareResults(recorded, now, { anyOrder: ANY_ORDER.has(use.name) });
  if (!compared.isSame) return { ...about, status: "differs", diff: compared.diff, without: compared.without };
  return { ...about, status: "same", without: compared.without, isRefused: isRefusal(recorded) };
}
