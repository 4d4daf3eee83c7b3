import { oneLine } from "@quoll/terminal-text/one-line";
import type { AgentSource } from "../../../contracts/agent.ts";
import { EXTENSION_TOOL_PREFIX } from "../../../contracts/extension.ts";
import { isHookCall } from "../../../contracts/hook.ts";
import type { PermissionRequest } from "../../../contracts/permission.ts";
import type { SandboxState } from "../../../contracts/ports.ts";
import type { PermissionBody, QuestionHead } from "../../../contracts/question.ts";
import { isOutsideCall } from "../../../contracts/served-session.ts";
import type { OpenedNetwork, Subject } from "../../../contracts/subject.ts";
import type { ToolCall } from "../../../contracts/tool.ts";
import { decisive } from "../judge/explain.ts";
import { describeHazards, type HazardAssessment } from "../judge/hazard-assessment.ts";
import type { Confinement, Evaluation, Judgement } from "../judge/judgement.ts";
import { shownHost } from "../judge/line-network.ts";
import { commandRisks, questionReason, rootCause, saysNoBackup } from "./question-text.ts";

const RUN_TITLE = "Run this command?";
/** The tools whose calls name what they use. */
const USE_TITLES: ReadonlyMap<string, (name: string) => string> = new Map([
  ["Agent", (name: string) => `Start the agent ${name}?`],
  ["Skill", (name: string) => `Use the skill ${name}?`],
]);
/** The name of an MCP server's tool. */
const SERVER_TOOL = /^mcp__([\w.-]+?)__([\w.-]+)$/;

export type PermissionQuestion = QuestionHead & { readonly body: PermissionBody };

export type Asking = {
  readonly id: string;
  /** The agent that makes the call. */
  readonly agent: Pick<AgentSource, "agentId" | "parentAgentId" | "label">;
  readonly request: PermissionRequest;
  readonly evaluation: Evaluation;
  readonly hazardAssessment: HazardAssessment | undefined;
  /** The state of the sandbox; undefined if there is none, or if the call is not a command. */
  readonly sandbox: SandboxState | undefined;
  /** An additional reason besides the judgements. */
  readonly more: string | undefined;
  readonly suggestions: readonly string[];
  readonly sessionRules: readonly string[];
  /** The absolute project root; paths below it are shown relative to it. */
  readonly projectRoot: string;
  /** The text of the offer to run all confined commands without a question, if the offer is made. */
  readonly consent: string | undefined;
  /** Describes the powers of commands in this sandbox, with these hosts open. */
  scopeOf(state: SandboxState, hosts: readonly string[]): string | undefined;
};

/**
 * The question for a person: the effect of the call, the reasons, the hazards, where it would run, and the rules an
 * answer can add.
 */
export function makeQuestion(asking: Asking): PermissionQuestion {
  const { id, request, evaluation, hazardAssessment, sandbox, more, suggestions, sessionRules, consent, projectRoot } =
    asking;
  const { toolUseId, toolName, call } = request;
  const { agentId, parentAgentId, label } = asking.agent;
  const asked = decisive(evaluation.judgements, "ask");
  const first = asked.find(({ subject }) => subject !== undefined)?.subject ?? call.subjects[0];
  const shown =
    hazardAssessment && saysNoBackup(evaluation)
      ? { ...hazardAssessment, found: { kind: "off" as const } }
      : hazardAssessment;
  const risks = commandRisks(call.subjects, shown);
  const confinement = describeConfinement(sandbox, evaluation.confinementAfterYes, evaluation.opened);
  const isInside = confinement !== undefined && evaluation.confinementAfterYes === "sandbox";
  const reach =
    isInside && sandbox ? asking.scopeOf(sandbox, (evaluation.opened?.hosts ?? []).map(shownHost)) : undefined;
  const { reason, isUsual } = questionReason(evaluation, projectRoot, more);
  const hazards = shown ? describeHazards(shown) : [];
  const isOwnInput = isHookCall(toolUseId) || isOutsideCall(toolUseId);
  const body: PermissionBody = {
    kind: "permission",
    call: { toolUseId, toolName, ...(isOwnInput && { input: call.input }) },
    preview: call.preview ?? { kind: "text", text: call.title },
    reason,
    ...(isUsual && { isUsual: true }),
    ...(hazards.length > 0 && { hazards }),
    ...(risks && { risks }),
    ...(isRisky(asked) && { isRisky: true }),
    suggestions,
    sessionRules,
    ...(confinement !== undefined && { confinement }),
    ...(confinement !== undefined && !isInside && { isOutside: true }),
    ...(isInside && evaluation.opened && { opensNetwork: true }),
    ...(reach !== undefined && { reach }),
    ...(consent !== undefined && { consent }),
  };
  const title = call.preview?.kind === "command" ? RUN_TITLE : titleOf(call, toolName, first);
  return { id, agentId, parentAgentId, ...(label && { agentLabel: label }), title, body };
}

/** Commands that change what others see. */
const SENDING = /^(?:git(?: -\S+)* push|docker push|gh (?:pr|issue|release|repo) )/;

/** True if allowing the call would reach beyond the project or reveal a secret, although nothing is destroyed. */
function isRisky(asked: readonly Judgement[]): boolean {
  return asked.some(({ subject, cause }) => {
    const { kind } = rootCause(cause);
    if (kind === "secret") return true;
    if (subject?.action === "write") return kind === "outside" || kind === "protected";
    return subject?.action === "execute" && SENDING.test(`${subject.command} `);
  });
}

/** Where a command runs, as a short phrase; undefined if there is no sandbox. */
export function describeConfinement(
  state: SandboxState | undefined,
  confinement: Confinement,
  opened?: OpenedNetwork,
): string | undefined {
  if (state?.kind === undefined) return undefined;
  if (confinement === "none") return "outside the sandbox";
  const place = state.strength === "weak" ? `in the weaker sandbox (${state.kind})` : "in the sandbox";
  return opened ? `${place}, with access to ${opened.hosts.map((host) => oneLine(shownHost(host))).join(", ")}` : place;
}

function titleOf({ question }: Pick<ToolCall, "question">, toolName: string, subject: Subject | undefined): string {
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
      return subject.extension === undefined
        ? (USE_TITLES.get(toolName)?.(subject.name) ?? `Let ${toolName} use ${subject.name}?`)
        : `Let the extension ${subject.extension} run ${toolName.slice(EXTENSION_TOOL_PREFIX.length)}?`;
    default:
      return question ?? toolTitle(toolName);
  }
}

function toolTitle(toolName: string): string {
  const [, server, tool] = SERVER_TOOL.exec(toolName) ?? [];
  return tool === undefined ? `Let ${toolName} run?` : `Let the server ${server} run ${tool}?`;
}
