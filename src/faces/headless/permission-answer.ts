import { z } from "zod";
import type { JsonObject } from "../../contracts/message.ts";
import { splitSuggestions } from "../../contracts/outside-pattern.ts";
import { type PermissionUpdate, readPermissionUpdate } from "../../contracts/permission-update.ts";
import { type Question, type QuestionCall, sessionRulesOf } from "../../contracts/question.ts";
import type { WireLine } from "./wire-format.ts";

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
  const updates = (answer.updatedPermissions ?? []).map(readPermissionUpdate);
  return { behavior: "allow", updates, ...(answer.updatedInput && { updatedInput: answer.updatedInput }) };
}

/** A question, and the call that it is about in the eyes of the program. */
export type AskedOnTheWire = {
  readonly question: Question;
  readonly call: Pick<QuestionCall, "toolName" | "toolUseId">;
  readonly input: Readonly<Record<string, unknown>>;
};

/** The request that asks about a call. */
export function permissionRequest({ question, call, input }: AskedOnTheWire): WireLine {
  const { body } = question;
  if (body.kind === "choice")
    return { ...requestHead({ question, call, input }), permission_suggestions: [], requires_user_interaction: true };
  const { reason, hazards = [] } = body;
  const suggestions = body.kind === "permission" ? body.suggestions : body.kind === "credential" ? body.rules : [];
  const confinement = body.kind === "permission" ? body.confinement : undefined;
  const sessionRules = sessionRulesOf(body);
  // A pattern for commands outside the sandbox is no rule, so a program gets no suggestion that contains one.
  const isRules = (texts: readonly string[]) => texts.length > 0 && splitSuggestions(texts).outside.length === 0;
  const lasting = isRules(suggestions) ? [suggestion(suggestions, "localSettings")] : [];
  const passing = isRules(sessionRules) ? [suggestion(sessionRules, "session")] : [];
  const description = [...hazards, ...(confinement === undefined ? [] : [`It would run ${confinement}.`])].join("\n");
  return {
    ...requestHead({ question, call, input }),
    permission_suggestions: [...passing, ...lasting],
    decision_reason: reason,
    ...(description !== "" && { description }),
  };
}

function requestHead({ question: { title, agentId, parentAgentId }, call, input }: AskedOnTheWire): WireLine {
  return {
    subtype: "can_use_tool",
    tool_name: call.toolName,
    input,
    tool_use_id: call.toolUseId,
    ...(parentAgentId !== null && { agent_id: agentId }),
    title,
  };
}

function suggestion(rules: readonly string[], destination: string): WireLine {
  return { type: "addRules", rules: rules.map(wireRule), behavior: "allow", destination };
}

function wireRule(text: string): WireLine {
  const [, toolName = text, ruleContent] = /^([^(]+)\((.*)\)$/s.exec(text) ?? [];
  return ruleContent === undefined ? { toolName } : { toolName, ruleContent };
}
