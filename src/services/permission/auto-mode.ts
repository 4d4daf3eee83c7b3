import { errorMessage } from "../../contracts/errors.ts";
import type { CallJudge, JudgeAnswer, JudgeRequest, PermissionRequest } from "../../contracts/permission.ts";
import type { RuleLayer } from "../../contracts/settings.ts";
import type { Subject } from "../../contracts/subject.ts";
import type { Rule } from "./rule.ts";

/** Refusals of the judge, in a row and in a session, after which a person is asked in its place. */
export const MAX_JUDGE_REFUSALS_IN_A_ROW = 3;
export const MAX_JUDGE_REFUSALS_IN_SESSION = 20;

/** Layers whose text a repository may have written: the judge does not read it before the folder is trusted. */
const REPOSITORY_LAYERS: ReadonlySet<RuleLayer> = new Set(["project", "foreign"]);

/** Counts what the judge of mode auto refuses. */
export class JudgeRefusals {
  #inARow = 0;
  #total = 0;

  refused(): void {
    this.#inARow += 1;
    this.#total += 1;
  }

  allowed(): void {
    this.#inARow = 0;
  }

  /** A person has said yes: the judge gets another chance. */
  forget(): void {
    this.#inARow = 0;
    this.#total = 0;
  }

  /** Why a person is asked in the judge's place; undefined while it may judge. */
  get exhausted(): string | undefined {
    if (this.#inARow >= MAX_JUDGE_REFUSALS_IN_A_ROW)
      return `the judge of mode auto refused ${this.#inARow} calls in a row`;
    if (this.#total >= MAX_JUDGE_REFUSALS_IN_SESSION)
      return `the judge of mode auto refused ${this.#total} calls in this session`;
    return undefined;
  }
}

export type JudgeFacts = {
  readonly rules: readonly Rule[];
  readonly isTrusted: boolean;
  readonly userWords: readonly string[];
};

/** What a judge is shown: the person's words, the rules, and the call by what it would touch; nothing that a tool gave back. */
export function judgeRequest({ toolName, call }: PermissionRequest, facts: JudgeFacts): JudgeRequest {
  return {
    toolName,
    touches: call.subjects.map(touch),
    input: JSON.stringify(call.input) ?? "null",
    userWords: facts.userWords,
    rules: facts.rules
      .filter(({ layer }) => facts.isTrusted || !REPOSITORY_LAYERS.has(layer))
      .map(({ decision, text }) => `${decision} ${text}`),
  };
}

/** One phrase for what a subject means, in full. */
function touch(subject: Subject): string {
  switch (subject.action) {
    case "read":
    case "write": {
      const link = subject.given === undefined ? "" : `, given as ${subject.given}`;
      return `${subject.action}s ${subject.path}${link}`;
    }
    case "execute": {
      const set = subject.assignments.length > 0 ? `, with ${subject.assignments.join(" ")}` : "";
      const hazards = subject.hazards.map(({ text }) => `, which ${text}`).join("");
      return `runs ${subject.command}${set}${hazards}`;
    }
    case "network":
      return `connects to ${subject.host}`;
    case "use":
      return `uses ${subject.name}${subject.args === undefined ? "" : ` with ${subject.args}`}`;
  }
}

/** Asks the judge. One that breaks, or hangs until the call is aborted, is unsure. */
export async function askJudge(judge: CallJudge, make: () => JudgeRequest, signal: AbortSignal): Promise<JudgeAnswer> {
  const aborted = Promise.withResolvers<JudgeAnswer>();
  const onAbort = () => aborted.resolve({ verdict: "unsure", reason: "it was interrupted" });
  if (signal.aborted) onAbort();
  signal.addEventListener("abort", onAbort, { once: true });
  try {
    return await Promise.race([judge.judge(make(), signal), aborted.promise]);
  } catch (error) {
    return { verdict: "unsure", reason: errorMessage(error) };
  } finally {
    signal.removeEventListener("abort", onAbort);
  }
}
