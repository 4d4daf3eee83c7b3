import { plural } from "@quoll/terminal-text/plural";
import { z } from "zod";
import { defineTool } from "../../../contracts/define-tool.ts";
import { errorMessage, ToolFailedError } from "../../../contracts/errors.ts";
import type { PlanMode } from "../../../contracts/permission.ts";
import type { PermissionMode } from "../../../contracts/permission-mode.ts";
import type { ArtifactStore } from "../../../contracts/ports.ts";
import type { Asker, Reply } from "../../../contracts/question.ts";
import { type Tool, type ToolResult, textResult } from "../../../contracts/tool.ts";
import { readSmallText } from "../../../platform/private-file.ts";
import { exitPlanModeSpec } from "./spec.ts";

/** Short enough for a person to read completely. */
export const MAX_PLAN_CHARS = 50_000;
export const MAX_PLAN_RULES = 10;
const MAX_RULE_CHARS = 200;

/** A command rule must name a command: text that a person cannot see, or that would match every command, is invalid. */
const COMMAND_RULE = /^Bash\((?=.*[^\s*:()]).+\)$/;
const UNSEEN = /[\p{C}\p{Zl}\p{Zp}]/u;

function isCommandRule(rule: string): boolean {
  return COMMAND_RULE.test(rule) && !UNSEEN.test(rule);
}

export const exitPlanModeInput = z.object({
  plan: z.string().trim().min(1).max(MAX_PLAN_CHARS),
  allowed: z
    .array(
      z
        .string()
        .trim()
        .max(MAX_RULE_CHARS)
        .refine(isCommandRule, "must be a rule such as Bash(npm test *), on one line"),
    )
    .max(MAX_PLAN_RULES)
    .default([]),
});

const PLAN_FILE = "plan.md";
/** A character takes up to four bytes; an editor may add a line feed or a byte order mark. */
const MAX_PLAN_BYTES = 4 * MAX_PLAN_CHARS + 4;

export type ExitPlanModeDeps = {
  readonly mode: PlanMode;
  readonly ask: Asker;
  /** The folder of the plan's file: the model may read there, only the person edits. */
  readonly artifacts: ArtifactStore;
  /** Allows rules for this session. @returns the rejected rules. */
  grantRules(rules: readonly string[]): readonly string[];
};

type Yes = Exclude<Reply, { readonly decision: "reject" }>;
type Plan = { readonly text: string; readonly file: string; readonly rules: readonly string[] };

/** Asks whether to carry out a plan. A yes restores the mode before the plan, or sets the mode that allows edits. */
export function exitPlanModeTool(deps: ExitPlanModeDeps): Tool {
  return defineTool(exitPlanModeSpec, exitPlanModeInput, async ({ plan: text, allowed }, { toolUseId, signal }) => ({
    level: "none",
    concurrencySafe: false,
    subjects: [],
    title: firstLine(text),
    run: async () => {
      if (deps.mode.get() !== "plan") {
        throw new ToolFailedError("Plan mode is off: there is nothing to leave. Go on with the work.");
      }
      const rules = [...new Set(allowed)];
      const plan = { text, rules, file: await deps.artifacts.save(PLAN_FILE, `${text}\n`) };
      if (!deps.ask.canAsk) {
        return textResult(
          "Nobody can approve the plan, so plan mode stays on and nothing was changed. Give the plan as your answer.",
          { end: { kind: "unanswered" } },
        );
      }
      const reply = await deps.ask.ask(question(plan, toolUseId), signal);
      signal.throwIfAborted();
      return reply.decision === "reject" ? rejected(deps.mode, reply.message) : accepted(deps, plan, reply);
    },
  }));
}

function question({ text, file, rules }: Plan, toolUseId: string): Parameters<Asker["ask"]>[0] {
  return {
    title: "Start this plan?",
    body: {
      kind: "plan",
      call: { toolUseId, toolName: exitPlanModeSpec.name },
      preview: { kind: "text", text, file },
      reason: "Plan mode changes nothing until you agree.",
      rules,
    },
  };
}

function rejected(mode: PlanMode, message: string | undefined): ToolResult {
  const stays = mode.get() === "plan" ? "Plan mode stays on: " : "";
  const words = message?.trim();
  const why = words
    ? `The user said no to this plan: ${words}\n${stays}fix the plan and hand it over again.`
    : `The user said no to this plan. ${stays}ask what is missing, or stop here.`;
  return textResult(why, { isError: true, display: { kind: "summary", text: "plan not accepted" } });
}

/** The plan's file is read again before the approval: the last version that the person saw counts. */
async function accepted({ mode, grantRules }: ExitPlanModeDeps, plan: Plan, reply: Yes): Promise<ToolResult> {
  const text = await readPlan(plan.file);
  const next = nextMode(mode, reply);
  if (next !== undefined) mode.set(next);
  const refused = plan.rules.length === 0 ? [] : grantRules(plan.rules);
  const granted = plan.rules.filter((rule) => !refused.includes(rule));
  const lines = [
    "The user agreed to the plan: carry it out now.",
    ...(granted.length > 0 ? [`Allowed for this session: ${granted.join(", ")}.`] : []),
    ...(refused.length > 0
      ? [`Too broad to be allowed beforehand, so these will be asked: ${refused.join(", ")}.`]
      : []),
    ...(text === plan.text ? [] : ["The user edited the plan. This is the one to carry out:", "", text]),
  ];
  const rules = granted.length > 0 ? `, ${plural(granted.length, "rule")} for this session` : "";
  const summary = `plan accepted${text === plan.text ? "" : " as edited"}${rules}`;
  return textResult(lines.join("\n"), { display: { kind: "summary", text: summary } });
}

/**
 * A plain yes never leads to acceptEdits, because another answer offers that mode, and because shift+tab passes it on
 * the way to plan mode.
 * @returns undefined if the person has left plan mode; their choice stays.
 */
function nextMode(mode: PlanMode, reply: Yes): PermissionMode | undefined {
  if (mode.get() !== "plan") return undefined;
  if (reply.decision === "session") return "acceptEdits";
  const before = mode.before();
  return before === "plan" || before === "acceptEdits" ? "default" : before;
}

/** @throws {ToolFailedError} the approved plan cannot be read; plan mode stays on. */
async function readPlan(file: string): Promise<string> {
  let problem = "it is empty";
  try {
    const text = (await readSmallText(file, MAX_PLAN_BYTES))?.replaceAll("\r\n", "\n").trim();
    if (text) return text;
    if (text === undefined) problem = "it is gone";
  } catch (error) {
    problem = errorMessage(error);
  }
  throw new ToolFailedError(
    `The plan's file ${file} can't be read after the yes (${problem}), so nothing is agreed and plan mode stays on. Hand the plan over again.`,
  );
}

function firstLine(text: string): string {
  return (text.split("\n", 1)[0] ?? "").replace(/^#+\s*/, "");
}
