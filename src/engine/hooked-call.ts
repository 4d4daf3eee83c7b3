import { resolve } from "node:path";
import { PermissionDeniedError } from "../contracts/errors.ts";
import { decidedByHook, type HookOutcome } from "../contracts/hook.ts";
import type { ToolResultBlock, ToolUseBlock } from "../contracts/message.ts";
import type { Subject } from "../contracts/subject.ts";
import type { ToolResult } from "../contracts/tool.ts";
import { askHooks, type HookDeps } from "./ask-hooks.ts";
import { redactResult } from "./redact-result.ts";
import { withNote } from "./result-block.ts";
import {
  type CallAttempt,
  type CallRunner,
  type CallScope,
  type Ended,
  failedResult,
  inputOf,
  isNoCall,
  type RunCall,
  type RunCallDeps,
} from "./run-call.ts";

type Deps = HookDeps &
  Pick<RunCallDeps, "redactor" | "endTurn" | "permissions" | "followWrites" | "checkpoints" | "cwd">;

const NOTHING_SAID: HookOutcome = {};
const ACTIONS: Readonly<Record<string, "read" | "write">> = {
  Read: "read",
  Edit: "write",
  Write: "write",
  NotebookEdit: "write",
};
/** The names that models give to the field with the path. */
const PATH_FIELDS = ["file_path", "path", "file", "filename", "absolute_path", "target_file", "notebook_path"] as const;

/**
 * Runs calls with hooks around them. Hooks see each call before its permission check, even an invalid one, because a
 * hook may correct it. Hooks also see the result in the form for the model, and may replace it.
 */
export function hookedCall(runner: CallRunner, deps: Deps, scope: CallScope): RunCall {
  return async (attempt) => {
    const { use } = attempt;
    if (isNoCall(attempt.prepared)) return runner.run(attempt);
    let said: string | undefined;
    try {
      const before = await beforeHooks(attempt, deps, scope);
      said = before.additionalContext;
      const refusal = refusalOf(before);
      if (refusal !== undefined) {
        const words = `Refused by a hook of the user: ${refusal.reason}`;
        const denied = new PermissionDeniedError(words, { decidedBy: decidedByHook(refusal) });
        return { result: withWords(runner.failed(denied, use, inputOf(attempt)), [said]) };
      }
      return await withAfterHooks(attempt, await runner.run({ ...attempt, hooked: before }), said, deps, scope);
    } catch (error) {
      return { result: withWords(failedResult(error, use, scope), [said]) };
    }
  };
}

async function beforeHooks(attempt: CallAttempt, deps: Deps, scope: CallScope): Promise<HookOutcome> {
  const { id: toolUseId, name: toolName } = attempt.use;
  const about = { toolName, toolUseId, toolInput: inputOf(attempt), ...matching(attempt, deps) };
  const outcome = await askHooks({ event: "PreToolUse", ...about }, deps, scope.signal);
  scope.signal.throwIfAborted();
  return applied(outcome ?? NOTHING_SAID, deps, scope);
}

/**
 * If the call could not be prepared and the file that it names is not certain, hooks that are limited to certain calls
 * run too.
 */
function matching({ use, prepared }: CallAttempt, { permissions, cwd }: Deps) {
  const file = "call" in prepared ? undefined : namedFile(use, cwd());
  const call = "call" in prepared ? prepared.call : file && { subjects: [file] };
  if (!call) return {};
  return { matches: (rule: string) => permissions.matches(rule, { toolName: use.name, call }) };
}

async function withAfterHooks(
  attempt: CallAttempt,
  ended: Ended,
  said: string | undefined,
  deps: Deps,
  scope: CallScope,
): Promise<Ended> {
  const { use } = attempt;
  const { result, ran } = ended;
  const isAsked = ran && !scope.signal.aborted && deps.hooks.wants("PostToolUse", use.name);
  if (!isAsked) return { ...ended, result: withWords(result, [said]) };
  const seen = redactResult(result, await deps.redactor());
  const about = { toolName: use.name, toolUseId: use.id, toolInput: ran.input, ...matching(attempt, deps) };
  const came = { toolResponse: seen.content, isError: seen.isError ?? false, durationMs: ran.durationMs };
  const { written, writing } = ran;
  const changedFiles = written.length > 0 ? await deps.followWrites?.(written, scope.signal) : undefined;
  const open = writing && writing.paths.length > 0 ? await deps.checkpoints?.hooksBegin(writing) : undefined;
  const outcome = await askHooks({ event: "PostToolUse", ...about, ...came }, deps, scope.signal)
    .catch(() => undefined)
    .finally(() => open?.end());
  const { updatedOutput, block, additionalContext } = applied(outcome ?? NOTHING_SAID, deps, scope);
  const replaced = updatedOutput !== undefined && !seen.isError ? { ...seen, content: updatedOutput } : seen;
  const blocked = block && `[A hook of the user's says: ${block.reason}]`;
  const changes = await changedFiles?.();
  const worded = withWords(replaced, [said, blocked, additionalContext, changes?.note]);
  const { display } = worded;
  const { knows } = changes ?? {};
  const shown = changes && display && { display: changes.shown(display) };
  return { ...ended, result: { ...worded, ...(knows && { knows }), ...shown } };
}

/** Runs hooks after all calls of an answer: they may end the turn, or add text to the last result. */
export async function hookedBatch(
  blocks: readonly ToolResultBlock[],
  uses: readonly ToolUseBlock[],
  deps: Deps,
  scope: CallScope,
): Promise<readonly ToolResultBlock[]> {
  const last = blocks.at(-1);
  if (!last || scope.signal.aborted || !deps.hooks.wants("PostToolBatch")) return blocks;
  const calls = uses.flatMap(({ id, name, input }) => {
    const block = blocks.find(({ toolUseId }) => toolUseId === id);
    return block ? [{ toolName: name, toolUseId: id, toolInput: input, toolResponse: block.content }] : [];
  });
  const outcome = (await askHooks({ event: "PostToolBatch", calls }, deps, scope.signal)) ?? NOTHING_SAID;
  const { block, additionalContext } = applied(outcome, deps, scope);
  if (block) deps.endTurn?.(block.reason);
  if (additionalContext === undefined) return blocks;
  return [...blocks.slice(0, -1), { ...last, content: withNote(last.content, additionalContext) }];
}

function withWords(result: ToolResult, notes: readonly (string | undefined)[]): ToolResult {
  const words = notes.filter((note) => note !== undefined).join("\n");
  return words === "" ? result : { ...result, content: withNote(result.content, words) };
}

function applied(outcome: HookOutcome, { endTurn }: Deps, { emit }: CallScope): HookOutcome {
  if (outcome.systemMessage !== undefined) emit({ type: "notice", message: outcome.systemMessage });
  if (outcome.stop) endTurn?.(outcome.stop.reason);
  return outcome;
}

type Refusal = NonNullable<HookOutcome["block"]>;

function refusalOf({ block, permission }: HookOutcome): Refusal | undefined {
  return block ?? (permission?.decision === "deny" ? permission : undefined);
}

/**
 * The file that a call names, although the call can't be prepared: its file is missing or was not read, or its input
 * is invalid.
 * @returns undefined if the file is not certain.
 */
function namedFile({ name, input }: Pick<ToolUseBlock, "name" | "input">, cwd: string): Subject | undefined {
  const action = ACTIONS[name];
  const path = PATH_FIELDS.map((field) => input[field]).find((value) => value !== undefined);
  if (!action || typeof path !== "string" || path.trim() === "" || path.startsWith("~")) return undefined;
  return { action, path: resolve(cwd, path) };
}
