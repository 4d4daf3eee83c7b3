import { oneLine } from "@quoll/terminal-text/one-line";
import { callTarget } from "../../contracts/call-target.ts";
import { mapTexts } from "../../contracts/map-texts.ts";
import type { AssistantMessage, ToolResultBlock, ToolUseBlock } from "../../contracts/message.ts";
import { type Comparison, compareResults } from "./compare.ts";
import { type RecordedResult, resultsAfter, type Step } from "./recording.ts";

/** One call of the recording, and its result in the replay. */
export type MatchedCall = {
  /** The number of the call, 1 for the first call of the recording. */
  readonly number: number;
  readonly use: ToolUseBlock;
  /** The recorded result; undefined if the process died during the call. */
  readonly recorded: RecordedResult | undefined;
  /** A short title for one screen line. */
  readonly title: string;
  /** The reason why the recorded result was returned instead of running the call. */
  notRun: string | undefined;
  /** Refused in the recording and in the replay. */
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

export type CallMatcherDeps = {
  /** The reason why a call cannot be run at all, known in advance; undefined for other calls. */
  unplayable(use: ToolUseBlock, recorded: RecordedResult): string | undefined;
  /** Replaces folders in a text by placeholders: see path-placeholders.ts. */
  hide(text: string): string;
};

const ID_PREFIX = "replay-";
/** Tools whose results are sorted by modification times, which a copy does not reproduce exactly. */
const ANY_ORDER: ReadonlySet<string> = new Set(["Glob", "Grep"]);
const KEPT_RESULT = /\bresult-([\w-]+)\.txt\b/g;
const MAX_TITLE_COLUMNS = 100;
const NOT_REACHED = "the replay ended before this call";

/**
 * The calls of a recording, in order. Each call gets a new id in the replay, because ids in a recording may repeat from
 * answer to answer.
 */
export class CallMatcher {
  readonly #calls: MatchedCall[] = [];
  readonly #byId = new Map<string, MatchedCall>();
  readonly #messages = new Map<AssistantMessage, AssistantMessage>();

  /** For each recorded id, the replay id of the newest call. */
  readonly #ids = new Map<string, string>();
  readonly #hide: CallMatcherDeps["hide"];

  constructor(steps: readonly Step[], { unplayable, hide }: CallMatcherDeps) {
    this.#hide = hide;
    for (const [index, step] of steps.entries()) {
      if (step.kind !== "answer") continue;
      const results = resultsAfter(steps, index);
      const content = step.message.content.map((block) =>
        block.type === "tool_use" ? this.#add(callTarget(block), results.get(block.id), unplayable) : block,
      );
      this.#messages.set(step.message, { ...step.message, content });
    }
  }

  /** A recorded answer with the ids of the replay. */
  messageOf(recorded: AssistantMessage): AssistantMessage {
    return this.#messages.get(recorded) ?? recorded;
  }

  find(toolUseId: string): MatchedCall | undefined {
    return this.#byId.get(toolUseId);
  }

  /** Returns the recorded result of a call instead of running it. */
  giveBack(call: MatchedCall, why: string): void {
    call.notRun ??= why;
  }

  finished(result: ToolResultBlock): void {
    const call = this.#byId.get(result.toolUseId);
    if (call) call.now = mapTexts(result, this.#hide);
  }

  /** True if the recording shows that nobody could be asked about a plan. */
  get wasAlone(): boolean {
    return this.#calls.some(({ recorded }) => recorded?.end?.kind === "unanswered");
  }

  outcomes(): readonly CallOutcome[] {
    return this.#calls.map(outcomeOf);
  }

  #add(
    use: ToolUseBlock,
    recorded: RecordedResult | undefined,
    unplayable: CallMatcherDeps["unplayable"],
  ): ToolUseBlock {
    const number = this.#calls.length + 1;
    const id = `${ID_PREFIX}${number}`;
    const notRun = recorded
      ? (cancelled(recorded) ?? unplayable(use, recorded))
      : "the recording has no result of this call";
    const call: MatchedCall = {
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
    // A call that is not run gets an empty input, because the engine might reject the recorded one first.
    // Ids in the input belong to earlier calls, even if a later call has the same id.
    const input = mapTexts(use.input, (text) => this.#renamed(text));
    this.#ids.set(use.id, id);
    return notRun === undefined ? { ...use, id, input } : { type: "tool_use", id, name: use.name, input: {} };
  }

  /** A result that was too large is in a file that is named after its call. */
  #renamed(text: string): string {
    return text.replace(KEPT_RESULT, (name, id: string) => name.replace(id, () => this.#ids.get(id) ?? id));
  }
}

/** A short description without asking the tool: the command, path or pattern of the call. */
function titleOf({ input }: ToolUseBlock): string {
  const told = ["command", "file_path", "path", "pattern"].map((name) => input[name]);
  const [first = ""] = told.filter((value) => typeof value === "string");
  return oneLine(first, MAX_TITLE_COLUMNS);
}

/** True if a result is a refusal, as opposed to a failed call. */
export function isRefusal({ ran, end }: RecordedResult): boolean {
  return !ran && end?.kind === "refused";
}

function cancelled({ end }: RecordedResult): string | undefined {
  return end?.kind === "interrupted" ? "it was interrupted in the recording" : undefined;
}

function outcomeOf(call: MatchedCall): CallOutcome {
  const { number, use, recorded, notRun, now, isRefusedAgain: isRefused } = call;
  const about = { number, tool: use.name, title: call.title };
  if (isRefused && now) return { ...about, status: "same", without: [], isRefused };
  if (notRun !== undefined) return { ...about, status: "not run", why: notRun };
  if (!now || !recorded) return { ...about, status: "not run", why: NOT_REACHED };
  const compared: Comparison = compareResults(recorded, now, { anyOrder: ANY_ORDER.has(use.name) });
  if (!compared.isSame) return { ...about, status: "differs", diff: compared.diff, without: compared.without };
  return { ...about, status: "same", without: compared.without, isRefused: isRefusal(recorded) };
}
