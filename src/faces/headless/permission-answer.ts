import { z } from "zod";
import type { JsonObject } from "../../contracts/message.ts";
import type { RuleChange } from "../../contracts/permission.ts";
import { PERMISSION_MODES, type PermissionMode } from "../../contracts/permission-mode.ts";
import type { Question } from "../../contracts/question.ts";
import type { WireLine } from "./wire-format.ts";

/** A permission change in an answer. */
export type PermissionUpdate =
  /** `isKept`: also after this session. */
  | { readonly kind: "rules"; readonly change: RuleChange; readonly isKept: boolean }
  | { readonly kind: "mode"; readonly mode: PermissionMode }
  /** A change that is not possible here: one line. */
  | { readonly kind: "unknown"; readonly problem: string };

export type PermissionAnswer =
  | {
      readonly behavior: "allow";
      readonly updatedInput?: Readonly<Record<string, unknown>>;
      readonly updates: readonly PermissionUpdate[];
    }
  | { readonly behavior: "deny"; readonly message: string; readonly interrupt: boolean };

const answerSchema = z.discriminatedUnion("behavior", [
  z.looseObject({
    behavior: z.literal("allow"),
    updatedInput: z.record(z.string(), z.unknown()).nullish(),
    updatedPermissions: z.array(z.unknown()).nullish(),
  }),
  z.looseObject({
    behavior: z.literal("deny"),
    message: z.string().nullish(),
    interrupt: z.boolean().nullish(),
  }),
]);
const CHANGES = { addRules: "add", replaceRules: "replace", removeRules: "remove" } as const;
const rulesSchema = z.looseObject({
  type: z.enum(["addRules", "replaceRules", "removeRules"]),
  behavior: z.enum(["allow", "ask", "deny"]),
  destination: z.string(),
  rules: z.array(z.looseObject({ toolName: z.string().min(1), ruleContent: z.string().nullish() })),
});
const FOLDERS = "the folders of a session are fixed when it begins (--add-dir)";
/** Known changes that are not supported. */
const REFUSED: Readonly<Record<string, string>> = { addDirectories: FOLDERS, removeDirectories: FOLDERS };
const modeSchema = z.looseObject({ type: z.literal("setMode"), mode: z.enum(PERMISSION_MODES) });
/** The destinations that end with the session; every other destination is a settings file. */
const PASSING: ReadonlySet<string> = new Set(["session", "cliArg"]);

/**
 * Reads a decision about a call.
 * @throws {Error} the answer has the wrong form.
 */
export function readPermissionAnswer(value: JsonObject): PermissionAnswer {
  const parsed = answerSchema.safeParse(value);
  if (!parsed.success) {
    throw new Error('expected {"behavior":"allow"} or {"behavior":"deny","message":…} as the answer');
  }
  const answer = parsed.data;
  if (answer.behavior === "deny")
    return { behavior: "deny", message: answer.message ?? "", interrupt: answer.interrupt ?? false };
  const updates = (answer.updatedPermissions ?? []).map(readUpdate);
  return { behavior: "allow", updates, ...(answer.updatedInput && { updatedInput: answer.updatedInput }) };
}

function readUpdate(value: unknown): PermissionUpdate {
  const rules = rulesSchema.safeParse(value);
  if (rules.success) {
    const { type, behavior: decision, destination } = rules.data;
    const texts = rules.data.rules.map(({ toolName, ruleContent }) => ruleText(toolName, ruleContent));
    const change = { kind: CHANGES[type], decision, rules: texts };
    return { kind: "rules", change, isKept: !PASSING.has(destination) };
  }
  const mode = modeSchema.safeParse(value);
  if (mode.success) return { kind: "mode", mode: mode.data.mode };
  const type = z.looseObject({ type: z.string() }).safeParse(value);
  const name = type.success ? type.data.type : "without a type";
  const why = REFUSED[name] ?? "it has an unknown form";
  return { kind: "unknown", problem: `A permission change (${name}) was ignored: ${why}.` };
}

function ruleText(toolName: string, content: string | null | undefined): string {
  return content ? `${toolName}(${content})` : toolName;
}

/** The request that asks about a call. */
export function permissionRequest(question: Question, input: Readonly<Record<string, unknown>>): WireLine {
  const {
    toolName,
    toolUseId,
    title,
    reason,
    hazards,
    suggestions,
    sessionRules,
    confinement,
    agentId,
    parentAgentId,
  } = question;
  const lasting = suggestions.length > 0 ? [suggestion(suggestions, "localSettings")] : [];
  const passing = sessionRules.length > 0 ? [suggestion(sessionRules, "session")] : [];
  const description = [...hazards, ...(confinement === undefined ? [] : [`It would run ${confinement}.`])].join("\n");
  return {
    subtype: "can_use_tool",
    tool_name: toolName,
    input,
    tool_use_id: toolUseId,
    ...(parentAgentId !== null && { agent_id: agentId }),
    permission_suggestions: [...passing, ...lasting],
    decision_reason: reason,
    title,
    ...(description !== "" && { description }),
  };
}

function suggestion(rules: readonly string[], destination: string): WireLine {
  return { type: "addRules", rules: rules.map(wireRule), behavior: "allow", destination };
}

function wireRule(text: string): WireLine {
  const [, toolName = text, ruleContent] = /^([^(]+)\((.*)\)$/s.exec(text) ?? [];
  return ruleContent === undefined ? { toolName } : { toolName, ruleContent };
}
