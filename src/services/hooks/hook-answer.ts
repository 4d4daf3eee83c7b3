import { z } from "zod";
import { readBlock } from "../../contracts/content-block.ts";
import { issueSentence } from "../../contracts/describe-issue.ts";
import type { HookEvent, HookOutcome, PermissionAnswer } from "../../contracts/hook.ts";
import type { ImageBlock, JsonObject, TextBlock, ToolResultContent } from "../../contracts/message.ts";
import { readPermissionUpdate } from "../../contracts/permission-update.ts";
import { NEVER_BLOCKED } from "./failed-hook.ts";
import { knownAnswer, permissionWord, verdictWord } from "./known-answer.ts";
import { refusalIn, strangeRefusal, strictestVerdict } from "./refusal.ts";

const words = z.string().nullish();
/** A reason never makes a refusal invalid. */
const reason = z.preprocess((value) => (isText(value) ? value : JSON.stringify(value)), words).optional();
const verdict = z.preprocess(permissionWord, z.enum(["allow", "deny", "ask", "defer"]).nullish());
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
          behavior: z.preprocess(permissionWord, z.enum(["allow", "deny"])),
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
const CALL_EVENTS: readonly HookEvent[] = ["PreToolUse", "PermissionRequest"];
const SERVER_EVENTS: readonly HookEvent[] = ["Elicitation", "ElicitationResult"];
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
  const block = permission?.decision === "deny" ? undefined : blockOf(event, answer);
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
function parsed(event: HookEvent, given: JsonObject): Answer {
  const value = knownAnswer(given);
  const whole = answerSchema.safeParse(value);
  const refused = refusalIn([value]);
  const strange = refused ? undefined : strangeRefusal(value);
  if (strange !== undefined) throw new Error(`\`${strange}\` is no field of its answer`);
  if (whole.success) {
    const isIgnored = CALL_EVENTS.includes(event) || UNBLOCKABLE.has(event) || NEVER_BLOCKED.has(event);
    if (!isIgnored && verdictOf(whole.data) === "ask") throw new Error(`\`ask\` is no answer at ${event}`);
    return whole.data;
  }
  const refusal = answerSchema.safeParse(refused);
  if (refusal.success) return refusal.data;
  const [issue] = whole.error.issues;
  throw new Error(`its answer is not a valid hook answer (${issue ? issueSentence(issue, "it") : "it does not fit"})`);
}

/**
 * A refusal blocks its event, also in the form that belongs to another event. At the end of a turn, only a block is
 * certain to mean that the model continues.
 */
function blockOf(event: HookEvent, answer: Answer): HookOutcome["block"] {
  const { decision, action } = answer.hookSpecificOutput ?? {};
  if (answer.decision === "block" || answer.decision === "deny") return { reason: answer.reason || NO_REASON };
  if (NEVER_BLOCKED.has(event)) return undefined;
  const isRefused = verdictOf(answer) === "deny";
  const denies = decision?.behavior === "deny" && event !== "PermissionRequest" ? decision : undefined;
  const declines = (action === "decline" || action === "cancel") && !SERVER_EVENTS.includes(event);
  if (!isRefused && !denies && !declines) return undefined;
  return { reason: answer.reason || permissionReason(answer) || denies?.message || NO_REASON };
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
  if (behavior === "deny") return { behavior, reason: message || NO_REASON, endsTurn: interrupt ?? false };
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

/** The strictest verdict about a call; undefined if none refuses or asks. */
function verdictOf({ decision, hookSpecificOutput: specific, ...top }: Answer): ReturnType<typeof strictestVerdict> {
  const others = [top["permission"], specific?.["permission"], decision === "ask" ? decision : undefined];
  return strictestVerdict([specific?.permissionDecision, top.permissionDecision, ...others]);
}

function permissionReason({ hookSpecificOutput: specific, permissionDecisionReason }: Answer): string | undefined {
  return specific?.permissionDecisionReason || permissionDecisionReason || undefined;
}

function permissionOf(answer: Answer): Permission | undefined {
  const { decision, reason, hookSpecificOutput: specific, permissionDecision } = answer;
  const said = verdictOf(answer) ?? specific?.permissionDecision ?? permissionDecision;
  const why = permissionReason(answer) || reason || NO_REASON;
  // A hook that answers `defer` leaves the decision to the person.
  if (said) return { decision: said === "defer" ? "ask" : said, reason: why };
  if (!decision) return undefined;
  return { decision: decision === "approve" || decision === "allow" ? "allow" : "deny", reason: why };
}

const mcpImage = z.looseObject({ type: z.literal("image"), data: z.string(), mimeType: z.string() });
const wrapped = z.looseObject({ content: z.union([z.string(), z.array(z.unknown())]) });

/**
 * Reads a hook's replacement for a tool's result: text, blocks in the form of the Anthropic Messages API or of MCP, or
 * an object with either as its `content`. Any other value becomes its JSON text.
 */
function readToolOutput(value: unknown): ToolResultContent {
  const within = wrapped.safeParse(value);
  const content = within.success ? within.data.content : value;
  if (typeof content === "string") return content;
  const blocks = Array.isArray(content) ? content.map(outputBlock) : [];
  const usable = blocks.filter((block) => block !== undefined);
  const isWhole = usable.length > 0 && usable.length === blocks.length;
  return isWhole ? usable : (JSON.stringify(value) ?? "");
}

function outputBlock(value: unknown): TextBlock | ImageBlock | undefined {
  const image = mcpImage.safeParse(value);
  const source = image.success && { type: "base64", media_type: image.data.mimeType, data: image.data.data };
  const block = readBlock(source ? { type: "image", source } : value);
  return "type" in block && (block.type === "text" || block.type === "image") ? block : undefined;
}
