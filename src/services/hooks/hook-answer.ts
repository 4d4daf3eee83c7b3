import { z } from "zod";
import { issueSentence } from "../../contracts/describe-issue.ts";
import type { HookEvent, HookOutcome, PermissionAnswer } from "../../contracts/hook.ts";
import type { JsonObject } from "../../contracts/message.ts";
import { readPermissionUpdate } from "../../contracts/permission-update.ts";
import { readToolOutput } from "./hook-output.ts";
import { refusalIn, strangeRefusal, strictestVerdict, verdictWord } from "./refusal.ts";

const words = z.string().nullish();
/** A reason never makes a refusal invalid. */
const reason = z.preprocess((value) => (isText(value) ? value : JSON.stringify(value)), words).optional();
const verdict = z.preprocess(verdictWord, z.enum(["allow", "deny", "ask", "defer"]).nullish());
const decision = z.preprocess(verdictWord, z.enum(["approve", "allow", "block", "deny", "ask"]).nullish());
const answerSchema = z.looseObject({
  async: z.boolean().nullish(),
  continue: z.boolean().nullish(),
  stopReason: reason,
  systemMessage: words,
  decision,
  reason,
  /** Some agents give the verdict here. */
  permissionDecision: verdict,
  permissionDecisionReason: reason,
  hookSpecificOutput: z
    .looseObject({
      permissionDecision: verdict,
      permissionDecisionReason: reason,
      updatedInput: z.record(z.string(), z.unknown()).nullish(),
      additionalContext: words,
      updatedToolOutput: z.unknown().optional(),
      updatedMCPToolOutput: z.unknown().optional(),
      /** PermissionRequest. */
      decision: z
        .looseObject({
          behavior: z.enum(["allow", "deny"]),
          updatedInput: z.record(z.string(), z.unknown()).nullish(),
          message: reason,
          interrupt: z.boolean().nullish(),
          updatedPermissions: z.array(z.unknown()).nullish(),
        })
        .nullish(),
      watchPaths: z.array(z.string()).nullish(),
      retry: z.boolean().nullish(),
      /** Elicitation. */
      action: z.enum(["accept", "decline", "cancel"]).nullish(),
      content: z.record(z.string(), z.unknown()).nullish(),
      worktreePath: words,
      /** MessageDisplay. */
      displayContent: words,
    })
    .nullish(),
});

function isText(value: unknown): boolean {
  return value === undefined || value === null || typeof value === "string";
}

type Answer = z.infer<typeof answerSchema>;
type Permission = NonNullable<HookOutcome["permission"]>;

/** Fields that similar tools know and that have no effect here. */
const IDLE_FIELDS: readonly string[] = ["terminalSequence"];
const WATCHING: readonly HookEvent[] = ["SessionStart", "CwdChanged", "FileChanged"];
/** Events that can't be blocked: the reason goes to the person. */
const UNBLOCKABLE: ReadonlySet<HookEvent> = new Set([
  "Setup",
  "SessionStart",
  "InstructionsLoaded",
  "PermissionDenied",
  "MessageDisplay",
  "Notification",
  "SubagentStart",
  "CwdChanged",
  "DirectoryAdded",
  "FileChanged",
  "WorktreeRemove",
  "PostCompact",
  "StopFailure",
  "SessionEnd",
]);
const IDLE_SPECIFIC_FIELDS: readonly string[] = [
  "initialUserMessage",
  "sessionTitle",
  "reloadSkills",
  "suppressOriginalPrompt",
  "classifierContext",
];
const VERDICT_FIELDS = ["decision", "reason", "permissionDecision", "permissionDecisionReason"];
const NO_REASON = "no reason was given";

/**
 * Reads the answer of one hook, with the field names that hooks of this ecosystem use. A hook that will answer later
 * (`async`) has no answer now.
 * @param toolName The tool of the call that the hook was asked about.
 * @throws {Error} the answer has the wrong form.
 */
export function readHookAnswer(event: HookEvent, value: JsonObject, toolName = ""): HookOutcome {
  const answer = parsed(event, value);
  if (isAnsweredLater(value)) return {};
  const specific = answer.hookSpecificOutput;
  const permission = event === "PreToolUse" ? permissionOf(answer) : undefined;
  const output = event === "PostToolUse" ? outputOf(answer, toolName) : undefined;
  const isBlocked = (answer.decision === "block" || answer.decision === "deny") && permission?.decision !== "deny";
  const block = isBlocked ? { reason: answer.reason || NO_REASON } : undefined;
  const canBlock = !UNBLOCKABLE.has(event);
  const lines = [answer.systemMessage, !canBlock && block?.reason !== NO_REASON ? block?.reason : undefined];
  const systemMessage = lines.filter((line) => line).join("\n");
  return {
    ...(block && canBlock && { block }),
    ...(permission && { permission }),
    ...(event === "PreToolUse" && specific?.updatedInput && { updatedInput: specific.updatedInput }),
    ...(output !== undefined && { updatedOutput: readToolOutput(output) }),
    ...(specific?.additionalContext && { additionalContext: specific.additionalContext }),
    ...(systemMessage !== "" && { systemMessage }),
    ...(answer.continue === false && { stop: { reason: answer.stopReason || NO_REASON } }),
    ...ofEvent(event, answer),
  };
}

/** True if the hook answers later. An object that refuses now is the answer. */
export function isAnsweredLater(value: JsonObject): boolean {
  return value["async"] === true && refusalIn([value]) === undefined;
}

/** An answer with an invalid field still refuses if it has a refusal beside it. */
function parsed(event: HookEvent, value: JsonObject): Answer {
  const whole = answerSchema.safeParse(value);
  const refused = refusalIn([value]);
  const known = event === "PreToolUse" ? [...VERDICT_FIELDS, "permission"] : VERDICT_FIELDS;
  const strange = strangeRefusal(value, known);
  if (strange !== undefined && refused === undefined) throw new Error(`\`${strange}\` is no field of its answer`);
  if (whole.success) return whole.data;
  const refusal = answerSchema.safeParse(refused);
  if (refusal.success) return refusal.data;
  const [issue] = whole.error.issues;
  throw new Error(`its answer is not a valid hook answer (${issue ? issueSentence(issue, "it") : "it does not fit"})`);
}

/** The fields of an answer that only one or two events support. */
function ofEvent(event: HookEvent, answer: Answer): HookOutcome {
  const specific = answer.hookSpecificOutput ?? {};
  const { decision, watchPaths, retry, action, content, worktreePath, displayContent } = specific;
  switch (event) {
    case "PermissionRequest":
      return decision ? { answer: permissionAnswer(decision) } : {};
    case "PermissionDenied":
      return retry ? { retry } : {};
    case "Elicitation":
    case "ElicitationResult":
      return action ? { elicitation: { action, ...(content && { content }) } } : {};
    case "MessageDisplay":
      return typeof displayContent === "string" ? { displayText: displayContent } : {};
    case "WorktreeCreate":
      return worktreePath ? { worktreePath } : {};
    default:
      return watchPaths && WATCHING.includes(event) ? { watchPaths } : {};
  }
}

type Decision = NonNullable<NonNullable<Answer["hookSpecificOutput"]>["decision"]>;

function permissionAnswer({ behavior, updatedInput, message, interrupt, ...more }: Decision): PermissionAnswer {
  if (behavior === "deny") return { behavior, message: message || NO_REASON, endsTurn: interrupt ?? false };
  const updates = (more.updatedPermissions ?? []).map(readPermissionUpdate);
  return { behavior, ...(updatedInput && { updatedInput }), ...(updates.length > 0 && { updates }) };
}

/** The fields of an answer that have no effect here. */
export function idleFields(value: JsonObject): readonly string[] {
  const specific = value["hookSpecificOutput"];
  const isObject = typeof specific === "object" && specific !== null;
  return [
    ...IDLE_FIELDS.filter((name) => Object.hasOwn(value, name)),
    ...(isObject ? IDLE_SPECIFIC_FIELDS.filter((name) => Object.hasOwn(specific, name)) : []),
  ];
}

/** The replacement for a tool's result. The older field applies only to MCP tools. */
function outputOf({ hookSpecificOutput: specific }: Answer, toolName: string): unknown {
  const forServers = toolName.startsWith("mcp__") ? specific?.updatedMCPToolOutput : undefined;
  return specific?.updatedToolOutput ?? forServers ?? undefined;
}

function permissionOf({ decision, reason, hookSpecificOutput, ...top }: Answer): Permission | undefined {
  const others = [top["permission"], hookSpecificOutput?.["permission"]].map(verdictWord);
  const given = [hookSpecificOutput?.permissionDecision, top.permissionDecision, ...others];
  const strictest = strictestVerdict([...given, decision === "ask" ? decision : undefined]);
  const said = strictest ?? hookSpecificOutput?.permissionDecision ?? top.permissionDecision;
  const why = hookSpecificOutput?.permissionDecisionReason || top.permissionDecisionReason || reason || NO_REASON;
  // A hook that answers `defer` leaves the decision to the person.
  if (said) return { decision: said === "defer" ? "ask" : said, reason: why };
  if (!decision) return undefined;
  return { decision: decision === "approve" || decision === "allow" ? "allow" : "deny", reason: why };
}
