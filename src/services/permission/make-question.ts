import type { PermissionRequest, Question } from "../../contracts/permission.ts";
import type { SandboxState } from "../../contracts/ports.ts";
import type { Subject } from "../../contracts/subject.ts";
import { decisive } from "./explain.ts";
import { describeHazards, type Guarding } from "./guarding.ts";
import type { Confinement, Evaluation } from "./judgement.ts";
import { commandRisks, questionReason, tellsNoWayBack } from "./question-words.ts";

const RUN_TITLE = "Run this command?";

export type Asking = {
  readonly id: string;
  readonly request: PermissionRequest;
  readonly evaluation: Evaluation;
  readonly guarding: Guarding | undefined;
  /** Of the sandbox that commands run in; undefined where there is none, or the call is no command. */
  readonly sandbox: SandboxState | undefined;
  /** One more reason beside the judgements. */
  readonly more: string | undefined;
  readonly suggestions: readonly string[];
  readonly sessionRules: readonly string[];
  /** Absolute: paths below it are told relative to it. */
  readonly projectRoot: string;
  /** The words of the offer about all confined commands, where it is made. */
  readonly consent: string | undefined;
};

/** What a person is asked: what would happen, why it is asked, what could be lost, where it would run, what may be remembered. */
export function makeQuestion(asking: Asking): Question {
  const { id, request, evaluation, guarding, sandbox, more, suggestions, sessionRules, consent, projectRoot } = asking;
  const { toolUseId, toolName, call } = request;
  const asked = decisive(evaluation.judgements, "ask");
  const first = asked.find(({ subject }) => subject !== undefined)?.subject ?? call.subjects[0];
  const shown = guarding && tellsNoWayBack(evaluation) ? { ...guarding, found: { kind: "off" as const } } : guarding;
  const risks = commandRisks(call.subjects, shown);
  const confinement = describeConfinement(sandbox, evaluation.confinementAfterYes);
  return {
    id,
    kind: "permission",
    toolUseId,
    toolName,
    title: call.preview?.kind === "command" ? RUN_TITLE : titleOf(toolName, first),
    preview: call.preview ?? { kind: "text", text: call.title },
    reason: questionReason(evaluation, projectRoot, more),
    hazards: shown ? describeHazards(shown) : [],
    ...(risks && { risks }),
    suggestions,
    sessionRules,
    ...(confinement !== undefined && { confinement }),
    ...(consent !== undefined && { consent }),
  };
}

/** Where a command runs, in a few words; undefined where there is no sandbox. */
export function describeConfinement(state: SandboxState | undefined, confinement: Confinement): string | undefined {
  if (state?.kind === undefined) return undefined;
  if (confinement === "none") return "outside the sandbox";
  return state.strength === "weak" ? `in the weaker sandbox (${state.kind})` : "in the sandbox";
}

function titleOf(toolName: string, subject: Subject | undefined): string {
  switch (subject?.action) {
    case "read":
      return "Read this?";
    case "write":
      return "Change this file?";
    case "execute":
      return RUN_TITLE;
    case "network":
      return `Connect to ${subject.host}?`;
    case "use":
      return `Let ${toolName} use ${subject.name}?`;
    default:
      return `Let ${toolName} run?`;
  }
}
