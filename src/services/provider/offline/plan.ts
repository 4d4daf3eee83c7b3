import type { ToolUseBlock } from "../../../contracts/message.ts";
import { type Answer, type Call, callOne, done, failed, problemOf, type StepEnd, type StepRun } from "./calls.ts";
import { clip } from "./form.ts";
import { helpText } from "./help.ts";
import { appendText, createFile } from "./runs/create-file.ts";
import { outlineFile, readFile } from "./runs/read-file.ts";
import { replaceText } from "./runs/replace-text.ts";
import { listFiles, searchText } from "./runs/search-files.ts";
import type { FormName, PlannedStep, Step } from "./step.ts";

/** A finished step, with or without success. */
export type EndedStep = PlannedStep & { readonly end: StepEnd };

/** The next move of a plan: the calls of one message, or its end. */
export type Move =
  | { readonly kind: "calls"; readonly uses: readonly ToolUseBlock[]; readonly note: string | undefined }
  | { readonly kind: "end"; readonly ended: readonly EndedStep[] }
  /** The history contains calls that this plan would not make. */
  | { readonly kind: "strange" };

/** One message of calls with its results, from the history. */
export type Exchange = { readonly uses: readonly ToolUseBlock[]; readonly answers: ReadonlyMap<string, Answer> };

export type Plan = {
  readonly steps: readonly PlannedStep[];
  /** The prefix of each call's id, unique to the request. */
  readonly idPrefix: string;
  /** True if the conversation has read or written files before this request. */
  readonly knowsFiles: boolean;
  /** Names of the available tools. */
  readonly offered: ReadonlySet<string>;
};

type Batch = { readonly calls: readonly Call[]; readonly note: string | undefined };

const TOUCHING: ReadonlySet<FormName> = new Set<FormName>(["read", "replace", "create", "append"]);

/**
 * Plays a plan over the history and returns its next move. The history is the only state, so that a resumed
 * session continues at the same point.
 */
export function nextMove(plan: Plan, history: readonly Exchange[]): Move {
  const run = runSteps(plan);
  let state = run.next();
  let count = 0;
  for (const exchange of history) {
    if (state.done) return { kind: "strange" };
    const expected = toUses(state.value, plan.idPrefix, count);
    count += expected.length;
    const isOurs =
      expected.length === exchange.uses.length && expected.every(({ id }, at) => exchange.uses[at]?.id === id);
    if (!isOurs) return { kind: "strange" };
    state = run.next(expected.map(({ id }) => exchange.answers.get(id) ?? UNANSWERED));
  }
  if (state.done) return { kind: "end", ended: state.value };
  return { kind: "calls", uses: toUses(state.value, plan.idPrefix, count), note: state.value.note };
}

const UNANSWERED: Answer = { text: "the call was not answered", isError: true, hasImage: false };

function toUses({ calls }: Batch, prefix: string, from: number): readonly ToolUseBlock[] {
  return calls.map(({ name, input }, index) => ({ type: "tool_use", id: `${prefix}-${from + index}`, name, input }));
}

/** The tool that each form requires; some steps of a form make other calls too. */
const NEEDED: Readonly<Record<FormName, readonly string[]>> = {
  list: ["Glob"],
  search: ["Grep"],
  read: ["Read"],
  outline: ["Grep"],
  replace: ["Grep", "Read", "Edit"],
  create: ["Write"],
  append: ["Read", "Edit"],
  run: ["Bash"],
  help: [],
};

/** For sessions with fewer tools: the first step that is impossible, and its tool. */
export function missingTool({ steps, offered }: Plan): { readonly index: number; readonly tool: string } | undefined {
  for (const [index, { step }] of steps.entries()) {
    const tool = NEEDED[step.form].find((name) => !offered.has(name));
    if (tool !== undefined) return { index, tool };
  }
  return undefined;
}

export function needsTool(tool: string): string {
  return `it needs the tool ${tool}, which this session does not offer`;
}

function* runSteps({ steps, knowsFiles, offered }: Plan): Generator<Batch, readonly EndedStep[], readonly Answer[]> {
  const ended: EndedStep[] = [];
  for (const [index, planned] of steps.entries()) {
    const touchedBefore = knowsFiles || steps.slice(0, index).some(({ step }) => TOUCHING.has(step.form));
    let note = steps.length > 1 ? `Step ${index + 1} of ${steps.length}: ${planned.words}` : undefined;
    const run = runOf(planned.step, touchedBefore);
    let state = run.next();
    let end: StepEnd | undefined;
    while (!state.done && !end) {
      const calls = state.value;
      const missing = calls.find(({ name }) => !offered.has(name));
      if (missing) end = failed(needsTool(missing.name));
      else state = run.next(yield { calls, note });
      note = undefined;
    }
    end ??= state.done ? state.value : failed("it did not come to an end");
    ended.push({ ...planned, end });
    if (!end.ok) break;
  }
  return ended;
}

function runOf(step: Step, mayKnowFiles: boolean): StepRun {
  switch (step.form) {
    case "list":
      return listFiles(step);
    case "search":
      return searchText(step);
    case "read":
      return readFile(step);
    case "outline":
      return outlineFile(step);
    case "replace":
      return replaceText(step);
    case "create":
      return createFile(step, mayKnowFiles);
    case "append":
      return appendText(step);
    case "run":
      return runCommand(step);
    case "help":
      return withoutCalls(helpText());
  }
}

// biome-ignore lint/correctness/useYield: a step that needs no tool is a run like the others.
function* withoutCalls(text: string): StepRun {
  return { ok: true, text };
}

const MAX_DESCRIPTION_CHARS = 60;
const ENDED_WELL = /^\[exit code 0\b[^\]]*\]$/;
const ENDED = /^\[(exit code [^\]]*|ended [^\]]*|timed out [^\]]*|interrupted [^\]]*)\]$/;

/** Runs a command and shows its output. */
function* runCommand({ command }: Extract<Step, { form: "run" }>): StepRun {
  const description = `Run ${clip(command, MAX_DESCRIPTION_CHARS)}`;
  const answer = yield* callOne({ name: "Bash", input: { command, description } });
  const lines = answer.text.split("\n");
  // The command's output may contain such a line too; the real one is the last.
  const end = lines.findLastIndex((line) => (answer.isError ? ENDED : ENDED_WELL).test(line));
  if (end === -1)
    return answer.isError ? failed(problemOf(answer), answer.text.split("\n").slice(1).join("\n")) : done(answer.text);
  const output = lines.filter((_, index) => index !== end).join("\n");
  if (!answer.isError) return done(output);
  const how = ENDED.exec(lines[end] ?? "")?.[1] ?? "it failed";
  return failed(how.replace(/; the output stops there.*$/, ""), output === "(no output)" ? "" : output);
}
