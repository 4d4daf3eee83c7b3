import type { Todo } from "../../../contracts/display.ts";
import { type ToolResultBlock, type ToolUseBlock, textOf, toolUses } from "../../../contracts/message.ts";
import type { Entry } from "../../../contracts/session.ts";
import { fileOf } from "./found-results.ts";

const MAX_FILES = 12;
const MAX_FAILED_COMMANDS = 3;
const MAX_ERROR_CHARS = 400;

export type UserWords = { readonly entryId: string; readonly messageId: string; readonly text: string };
type FailedCommand = { readonly command: string; readonly error: string };

/** The facts that can be read from the log of a conversation without a model. */
export type SessionFacts = {
  /** The person's prompts, oldest first. */
  readonly words: readonly UserWords[];
  readonly changedPaths: readonly string[];
  /** The most recently read or changed files, newest first. */
  readonly filesInUse: readonly string[];
  readonly openTodos: readonly Todo[];
  /** The newest plan that the person approved. */
  readonly plan: string | undefined;
  /** Commands whose last run failed, newest last. */
  readonly failedCommands: readonly FailedCommand[];
};

/** Extracts the facts from entries, oldest first. */
export function sessionFacts(entries: readonly Entry[]): SessionFacts {
  const words: UserWords[] = [];
  const changed = new Set<string>();
  const files = new Map<string, boolean>();
  const failed = new Map<string, string>();
  let openTodos: readonly Todo[] = [];
  let plan: string | undefined;
  for (const [use, result] of callsOf(entries)) {
    const file = fileOf(use);
    const isChange = use.name === "Edit" || use.name === "Write" || use.name === "NotebookEdit";
    if (file !== undefined && !result.isError) {
      if (isChange) changed.add(file);
      files.delete(file);
      files.set(file, isChange || changed.has(file));
    }
    if (use.name === "TodoWrite" && !result.isError) openTodos = todosOf(use);
    if (use.name === "ExitPlanMode" && !result.isError) plan = textField(use, "plan") ?? plan;
    const command = use.name === "Bash" ? textField(use, "command") : undefined;
    if (command === undefined) continue;
    failed.delete(command);
    if (result.isError) failed.set(command, endOf(textOf(result.content)));
  }
  for (const entry of entries) {
    if (entry.kind !== "user" || entry.by !== undefined || entry.prompt.trim() === "") continue;
    words.push({ entryId: entry.id, messageId: entry.message.id, text: entry.prompt });
  }
  return {
    words,
    changedPaths: [...changed],
    filesInUse: [...files]
      .reverse()
      .slice(0, MAX_FILES)
      .map(([path, isChanged]) => (isChanged ? `${path} (changed)` : path)),
    openTodos: openTodos.filter(({ status }) => status !== "completed"),
    plan,
    failedCommands: [...failed].slice(-MAX_FAILED_COMMANDS).map(([command, error]) => ({ command, error })),
  };
}

/** The most important part of an error message is its end. */
function endOf(text: string): string {
  return text.length <= MAX_ERROR_CHARS ? text : `…${text.slice(-MAX_ERROR_CHARS).toWellFormed()}`;
}

/** Calls with their results, in the order of the results. */
function* callsOf(entries: readonly Entry[]): Generator<readonly [ToolUseBlock, ToolResultBlock], void> {
  const uses = new Map<string, ToolUseBlock>();
  for (const entry of entries) {
    if (entry.kind === "assistant") for (const use of toolUses(entry.message)) uses.set(use.id, use);
    if (entry.kind !== "results") continue;
    for (const block of entry.message.content) {
      const use = block.type === "tool_result" ? uses.get(block.toolUseId) : undefined;
      if (use && block.type === "tool_result") yield [use, block];
    }
  }
}

function todosOf({ input }: ToolUseBlock): readonly Todo[] {
  const { todos } = input;
  return Array.isArray(todos) ? todos.filter(isTodo) : [];
}

function isTodo(value: unknown): value is Todo {
  return typeof value === "object" && value !== null && "content" in value && typeof value.content === "string";
}

function textField({ input }: ToolUseBlock, name: string): string | undefined {
  const value = input[name];
  return typeof value === "string" ? value : undefined;
}
