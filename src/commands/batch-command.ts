import { formatCount, formatUsd } from "@quoll/terminal-text/format-amount";
import { oneLine } from "@quoll/terminal-text/one-line";
import { plural } from "@quoll/terminal-text/plural";
import type { BatchEnd, Batches, BatchLimit, BatchPlan, BatchSummary } from "../contracts/batch.ts";
import type { CommandContext } from "../contracts/command.ts";
import type { CommandProblem, CommandResult } from "../contracts/command-result.ts";
import { errorMessage, UserFacingError } from "../contracts/errors.ts";
import { type BatchWords, readBatchWords } from "./batch-words.ts";
import { yesNo } from "./yes-no.ts";

const MAX_PROMPT_LINES = 12;
const MAX_LISTED = 20;
const USAGE = [
  "Run one prompt for many inputs, each in a separate agent:",
  "  /batch --files 'src/**/*.ts' -- Add a docstring to each function of {input}.",
  "  /batch --lines modules.txt --agent Explore -- Summarise the module {input}.",
  "  /batch --jsonl cases.jsonl --max-usd 5 -- Answer {name}: {question}",
];

/** @throws {UserFacingError} the words can't be used, or the batch can't be planned, run or read. */
export async function answerBatch(
  argument: string,
  { batches }: Pick<CommandContext, "batches">,
  signal: AbortSignal,
): Promise<CommandResult> {
  if (!batches) throw new UserFacingError("This session starts no agents.");
  const words = understood(argument);
  switch (words.kind) {
    case "list":
      return listed(await batches.list());
    case "show":
      return { kind: "text", lines: summaryLines(await batches.show(words.id)) };
    case "run":
      return running(batches, words);
    case "plan": {
      const plan = await batches.plan(words.request, signal).catch((cause) => withExample(cause, argument));
      return words.isConfirmed
        ? running(batches, { id: plan.id, retriesFailed: false, budget: undefined })
        : confirming(plan);
    }
  }
}

function understood(argument: string): BatchWords {
  try {
    return readBatchWords(argument);
  } catch (error) {
    return withExample(error, argument);
  }
}

/** @throws {UserFacingError} the error, with an example line that can be typed. */
function withExample(cause: unknown, argument: string): never {
  if (!(cause instanceof UserFacingError)) throw cause;
  const message = errorMessage(cause);
  throw new UserFacingError(`${message} Example: ${exampleFor(message, argument)}`, cause.exitCode, { cause });
}

function listed(all: readonly BatchSummary[]): CommandResult {
  if (all.length === 0) return { kind: "text", lines: USAGE };
  const rows = all.slice(0, MAX_LISTED).map((one) => {
    const counts = `${one.done} done, ${one.failed} failed, ${one.left + one.running} left`;
    return `  ${String(one.id).padStart(3)}  ${counts}  ${oneLine(one.title, 40)}`;
  });
  return {
    kind: "text",
    lines: [...rows, "`/batch run <id>` runs the remaining inputs, `/batch show <id>` lists them."],
  };
}

/** Shows the first prompt, and asks whether to start. */
function confirming(plan: BatchPlan): CommandResult {
  const { id, count, firstPrompt, agent, parallel, isIsolated, firstChecks, budget } = plan;
  const prompt = firstPrompt.split("\n");
  const more = prompt.length - MAX_PROMPT_LINES;
  const limit = budget ? `at most ${limitWords(budget)} together` : "no budget for the batch";
  const where = isIsolated ? ", each in a separate git worktree" : "";
  const before = [
    "The first prompt:",
    ...prompt.slice(0, MAX_PROMPT_LINES).map((line) => `  ${line}`),
    ...(more > 0 ? [`  … ${plural(more, "more line")}`] : []),
    ...(firstChecks.length > 0 ? ["Checked at its end:", ...firstChecks.map((check) => `  ${check}`)] : []),
    `${plural(count, "input")} · agents of type ${agent}, ${parallel} at once${where} · ${limit}`,
  ];
  return yesNo({
    title: `Run batch ${id} with ${plural(count, "agent")}?`,
    before,
    no: { detail: `it is kept: \`/batch run ${id}\`` },
    yes: { label: "Yes", detail: "Esc stops the batch; the remaining inputs can run later", input: `/batch run ${id}` },
    lines: [`Nothing has run yet. \`/batch run ${id}\` starts it.`],
  });
}

function running(
  batches: Batches,
  { id, retriesFailed, budget }: Omit<Extract<BatchWords, { readonly kind: "run" }>, "kind">,
): CommandResult {
  return {
    kind: "operation",
    title: `Batch ${id}`,
    run: async (report, signal) => {
      const end = await batches.run(id, { retriesFailed, budget, report, signal });
      const problem = problemOf(end);
      return { kind: "text", lines: summaryLines(end.summary), ...(problem && { problem }) };
    },
  };
}

/** How many inputs have no answer, and the line that runs them. */
function problemOf({ summary, why }: BatchEnd): CommandProblem | undefined {
  const { id, count, failed, left } = summary;
  const because = why === undefined ? "" : `${why} `;
  const of = `of ${plural(count, "input")}`;
  if (failed === 0 && left === 0) return undefined;
  if (failed === 0)
    return { reason: "limit", message: `${because}Left: ${left} ${of}. \`/batch run ${id}\` runs them.` };
  const again = `\`/batch run ${id} --retry-failed\``;
  if (left === 0)
    return { reason: "failed", message: `${failed} ${of} failed. ${again} runs only the failed inputs again.` };
  const both = `${failed} ${of} failed, and ${left} ${left === 1 ? "is" : "are"} left.`;
  return {
    reason: "failed",
    message: `${because}${both} ${again} runs the failed inputs, \`/batch run ${id}\` the others.`,
  };
}

function summaryLines(summary: BatchSummary): readonly string[] {
  const { id, count, done, failed, running, left, failures, leftInputs, resultsFile, budget, keptWorktrees } = summary;
  const of = budget ? ` of ${limitWords(budget)}` : "";
  const cost = summary.isUnpriced && summary.usd === 0 ? "" : `${formatUsd(summary.usd, summary.isUnpriced)}, `;
  const unfinished = running > 0 ? [row("Running", String(running))] : [];
  const hidden = left - leftInputs.length;
  return [
    `Batch ${id}: ${plural(count, "input")}`,
    row("Done", String(done)),
    ...unfinished,
    row("Failed", String(failed)),
    ...failures.map(({ input, error }) => `    ${input}: ${error}`),
    ...(failed > failures.length ? [`    … ${failed - failures.length} more`] : []),
    row("Left", String(left)),
    ...leftInputs.map((input) => `    ${input}`),
    ...(hidden > 0 ? [`    … ${hidden} more`] : []),
    row("Spent", `${cost}${formatCount(summary.tokens)} tokens${of && ` (budget${of.slice(3)})`}`),
    ...(keptWorktrees > 0 ? [row("Kept", `${plural(keptWorktrees, "worktree")} with work: quoll worktree list`)] : []),
    row("Results", resultsFile),
  ];
}

function row(name: string, value: string): string {
  return `  ${name.padEnd(8)}${value}`;
}

function limitWords({ unit, limit }: BatchLimit): string {
  return unit === "usd" ? formatUsd(limit) : `${formatCount(limit)} tokens`;
}

/** A value for each option of `/batch`, as it is typed. */
const VALUES: ReadonlyMap<string, string> = new Map([
  ["files", "'src/**/*.ts'"],
  ["lines", "modules.txt"],
  ["jsonl", "cases.jsonl"],
  ["agent", "Explore"],
  ["model", "haiku"],
  ["max-usd", "5"],
  ["max-tokens", "2000000"],
  ["parallel", "3"],
  ["out", "found.jsonl"],
  ["expect-files", "'{input}'"],
  ["expect-command", "'bun test {input}'"],
  ["schema", "answer.schema.json"],
]);
const SOURCE = /--(files|lines|jsonl)\b/;

/** A line that works, with the option that a message names, or with the source of the line that was typed. */
export function exampleFor(message: string, argument: string): string {
  const named = [...message.matchAll(/--([a-z-]+)/g)].map(([, name = ""]) => name).find((name) => VALUES.has(name));
  const [verb] = /^(?:run|show)\b/.exec(argument) ?? [];
  if (verb !== undefined) return `/batch ${verb} 1${verb === "run" && named ? ` ${optionOf(named)}` : ""}`;
  const [, typed = "files"] = SOURCE.exec(argument) ?? [];
  const source = SOURCE.exec(`--${named}`)?.[1] ?? typed;
  const more = named === undefined || named === source ? "" : ` ${optionOf(named)}`;
  return `/batch ${optionOf(source)}${more} -- Check {input}.`;
}

function optionOf(name: string): string {
  return `--${name} ${VALUES.get(name)}`;
}
