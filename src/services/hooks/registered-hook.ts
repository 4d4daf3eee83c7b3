import { oneLine } from "@quoll/terminal-text/one-line";
import type { DeclaredHook } from "../../contracts/declared-hook.ts";
import { factsOfEvent, isToolEvent } from "../../contracts/hook-events.ts";
import type { HookKind, HookSettings } from "../../contracts/hook-settings.ts";
import { hookText } from "../../contracts/hooks-view.ts";
import { isJsonObject, type JsonObject } from "../../contracts/message.ts";
import type { CommandWatch } from "./command-hook.ts";
import { matcherProblem, missedTools } from "./hook-matcher.ts";
import type { RegisteredHook } from "./run-hooks.ts";

/** Default time limits by kind; other kinds use the limit of their event. */
const KIND_MS: Partial<Record<HookKind, number>> = { prompt: 30_000, agent: 60_000 };
const MAX_NAME_COLUMNS = 60;

/** Runs a hook of one kind. Rejects when the hook fails, and with the abort reason when `signal` aborts. */
export type RunKind = (
  declared: DeclaredHook,
  input: JsonObject,
  signal: AbortSignal,
  watch?: CommandWatch,
) => Promise<JsonObject>;

/** Answers in place of a hook that must not run now; undefined if it may run. */
export type CheckHook = (declared: DeclaredHook, signal: AbortSignal) => Promise<JsonObject | undefined>;

/** A hook of a settings file as the runner takes it. */
export function registeredHook(declared: DeclaredHook, run: RunKind, check?: CheckHook): RegisteredHook {
  const { event, matcher, hook, layer, plugin } = declared;
  const { timeout, onFailure, once, statusMessage } = hook;
  const timeoutMs = timeout === undefined ? KIND_MS[hook.type] : timeout * 1000;
  return {
    id: hookKey(declared),
    event,
    matcher,
    condition: hook.if,
    isOnce: once,
    statusMessage,
    name: hookName(declared),
    signature: signatureOf(declared),
    ...(timeoutMs !== undefined && { timeoutMs }),
    blocksOnFailure: onFailure === "block",
    onlyTightens: layer === "project" || plugin !== undefined,
    isBackground: isBackground(hook),
    ...(check && { check: (signal) => check(declared, signal) }),
    run: async (input, signal, leave) => {
      let isLate = isBackground(hook);
      const detach = (limitMs: number | undefined) => {
        isLate = true;
        leave?.(limitMs);
      };
      const answer = await run(declared, input, signal, { detach });
      return isLate && !hook.asyncRewake ? withoutDecision(answer, declared) : answer;
    },
  };
}

/** The event has ended, so only the texts of the answer are used. */
async function withoutDecision(answer: JsonObject, declared: DeclaredHook): Promise<JsonObject> {
  const { systemMessage, hookSpecificOutput: specific } = answer;
  const additionalContext = isJsonObject(specific) ? specific["additionalContext"] : undefined;
  const { refusalIn } = await import("./refusal.ts");
  const refused = refusalIn([answer]) && `${hookName(declared)} refused in the background, where it decides nothing.`;
  const lines = [systemMessage, refused].filter((line) => typeof line === "string");
  return {
    ...(lines.length > 0 && { systemMessage: lines.join("\n") }),
    hookSpecificOutput: { additionalContext },
  };
}

/** Hooks with the same key are identical, so only one of them runs at an event. */
export function hookKey({ hook, plugin }: DeclaredHook): string {
  const { timeout: _timeout, statusMessage: _statusMessage, ...rest } = hook;
  const root = plugin ? `${plugin.root} ` : "";
  return root + JSON.stringify(Object.entries(rest).sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** A hook in a sentence: "The hook ./check.sh (PreToolUse, /home/a/.config/quoll/settings.json:12)". */
export function hookName(declared: DeclaredHook): string {
  return `The hook ${signatureOf(declared)}`;
}

function signatureOf(declared: DeclaredHook): string {
  return `${oneLine(hookText(declared.hook), MAX_NAME_COLUMNS)} (${declared.event}, ${hookPlace(declared)})`;
}

/** `/home/a/.config/quoll/settings.json:12`; of a plugin `plugin shop, hooks/hooks.json`. */
export function hookPlace({ file, line, plugin }: DeclaredHook): string {
  const isInside = plugin && file.startsWith(`${plugin.root}/`);
  const place = isInside ? `plugin ${plugin.name}, ${file.slice(plugin.root.length + 1)}` : file;
  return `${place}${line === undefined ? "" : `:${line}`}`;
}

export function isBackground({ type, async, asyncRewake }: HookSettings): boolean {
  return type === "command" && (async === true || asyncRewake === true);
}

/** Knowledge of tools and rules, which this service takes from its caller. */
export type HookChecks = {
  /** The tools with a fixed name: not those of servers and extensions. */
  readonly tools: readonly string[];
  /** The tool that a name certainly means: a tool's own name, or a mistaken one; undefined for any other name. */
  meantTool(name: string): string | undefined;
  /** The problem with a rule after `if`, as one phrase; undefined if there is none. */
  conditionProblem(rule: string): { readonly problem: string; readonly isUnlimited: boolean } | undefined;
};

/** One line for each hook that can never run, and for each mistake that changes when a hook runs. */
export function hookRemarks(hooks: readonly DeclaredHook[], checks: HookChecks): readonly string[] {
  return hooks.flatMap((declared) => {
    const { matcher = "", event } = declared;
    const place = hookPlace(declared);
    if (factsOfEvent(event).isUnused)
      return [`${place}: a hook for ${event} is never called: nothing causes this event yet.`];
    const problem = matcherProblem(matcher);
    const quoted = JSON.stringify(matcher);
    const missed = isToolEvent(event) && !problem ? missedTools(matcher, checks.tools, checks.meantTool) : [];
    return [
      ...(problem === undefined ? [] : [`${place}: the matcher ${quoted} of ${event} matches nothing: ${problem}.`]),
      ...missed.map(([name, meant]) => `${place}: the matcher ${quoted} of ${event} ${missedTool(name, meant)}.`),
      ...conditionRemark(declared, checks),
    ];
  });
}

function missedTool(name: string, meant: string): string {
  if (name !== meant) return `names no tool ${name} (did you mean ${meant}?)`;
  return `does not match the tool ${name}: write ${name} alone, and a rule such as ${name}(…) into "if"`;
}

function conditionRemark(declared: DeclaredHook, { conditionProblem }: HookChecks): readonly string[] {
  const { hook, event } = declared;
  const found = hook.if === undefined ? undefined : conditionProblem(hook.if);
  if (!found) return [];
  const effect = found.isUnlimited ? "; the hook runs for every call" : "";
  return [`${hookPlace(declared)}: "if": ${JSON.stringify(hook.if)} of ${event}: ${found.problem}${effect}.`];
}
