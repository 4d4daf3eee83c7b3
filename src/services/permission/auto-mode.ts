import { orAborted } from "@quoll/async/or-aborted";
import type { AgentSource } from "../../contracts/agent.ts";
import { errorMessage, UserFacingError } from "../../contracts/errors.ts";
import type { CallJudge, JudgeAnswer, JudgeRequest, PermissionRequest } from "../../contracts/permission.ts";
import type { RuleLayer } from "../../contracts/settings.ts";
import type { OpenedNetwork, Subject } from "../../contracts/subject.ts";
import { shownHost } from "./judge/line-network.ts";
import type { PermissionDeps } from "./permission-deps.ts";
import type { Rule } from "./rules/rule.ts";

/** After this many refusals by the judge, in a row or in a session, a person is asked instead. */
export const MAX_JUDGE_REFUSALS_IN_A_ROW = 3;
export const MAX_JUDGE_REFUSALS_IN_SESSION = 20;

/** Layers whose text a repository may have written: hidden from the judge until the folder is trusted. */
const REPOSITORY_LAYERS: ReadonlySet<RuleLayer> = new Set(["project", "foreign"]);

/** Counts the refusals by the judge of mode auto. */
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

  /** A person allowed a call, so the judge may decide again. */
  forget(): void {
    this.#inARow = 0;
    this.#total = 0;
  }

  /** The reason why a person is asked instead of the judge; undefined while the judge may decide. */
  get exhausted(): string | undefined {
    if (this.#inARow >= MAX_JUDGE_REFUSALS_IN_A_ROW)
      return `the judge of mode auto refused ${this.#inARow} calls in a row`;
    if (this.#total >= MAX_JUDGE_REFUSALS_IN_SESSION)
      return `the judge of mode auto refused ${this.#total} calls in this session`;
    return undefined;
  }
}

/**
 * Checks that mode auto can begin, and names the rules that have no effect in it.
 * @throws {UserFacingError} (exit 2) nobody can judge, or the settings forbid the mode.
 */
export function assertAutoMode(
  { deciders, notices }: Pick<PermissionDeps, "deciders" | "notices">,
  rules: readonly Rule[],
): void {
  if (!deciders.judge) {
    throw new UserFacingError(
      "Mode auto is not available here: it needs a model that judges calls, and settings can forbid it (disableAutoMode). Choose another mode.",
      2,
    );
  }
  const wide = rules.filter(({ wide }) => wide !== undefined).map(({ text }) => text);
  if (wide.length > 0)
    notices.notify(`Mode auto ignores these rules because they would bypass the judge: ${wide.join(", ")}.`);
}

export type JudgeFacts = {
  readonly rules: readonly Rule[];
  readonly isTrusted: boolean;
  readonly userWords: readonly string[];
  readonly agent?: AgentSource | undefined;
};

/**
 * The judge's input: the person's messages, the rules, and the subjects of the call. Tool results are left out on
 * purpose.
 * @param opened The network that a yes opens to the call, in the sandbox.
 */
export function judgeRequest(
  { toolName, call }: PermissionRequest,
  facts: JudgeFacts,
  opened?: OpenedNetwork,
): JudgeRequest {
  const hosts = (opened?.hosts ?? []).map(shownHost);
  return {
    ...(facts.agent && { agent: facts.agent }),
    toolName,
    touches: [
      ...call.subjects.map(touch),
      ...hosts.map((host) => `every command of this call can connect to ${host}, from the sandbox`),
    ],
    input: JSON.stringify(call.input) ?? "null",
    userWords: facts.userWords,
    rules: facts.rules
      .filter(({ layer }) => facts.isTrusted || !REPOSITORY_LAYERS.has(layer))
      .map(({ decision, text }) => `${decision} ${text}`),
  };
}

/** A phrase that describes one subject in full. */
function touch(subject: Subject): string {
  switch (subject.action) {
    case "read":
    case "write": {
      const link = subject.given === undefined ? "" : `, given as ${subject.given}`;
      return `${subject.action}s ${subject.inside ?? subject.path}${link}`;
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

/** Asks the judge. A judge that throws, or hangs until the call is aborted, counts as unsure. */
export async function askJudge(judge: CallJudge, make: () => JudgeRequest, signal: AbortSignal): Promise<JudgeAnswer> {
  try {
    return await orAborted(judge.judge(make(), signal), signal);
  } catch (error) {
    return { verdict: "unsure", reason: signal.aborted ? "it was interrupted" : errorMessage(error) };
  }
}
