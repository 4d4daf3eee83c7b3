import { formatCount, formatDuration } from "@quoll/terminal-text/format-amount";
import { oneLine } from "@quoll/terminal-text/one-line";
import { plural } from "@quoll/terminal-text/plural";
import { withoutMarks } from "@quoll/terminal-text/without-marks";
import type { AgentReport } from "../../contracts/agent-scope.ts";
import { totalInputTokens } from "../../contracts/message.ts";

const MAX_WHY_COLUMNS = 500;

export type AgentFacts = {
  /** The agent for its parent's model: `Explore a1 "auth"`. */
  readonly who: string;
  readonly calls: number;
  /** Lines that it changed in files. */
  readonly added: number;
  readonly removed: number;
  readonly durationMs: number;
};

export type AgentResult = {
  /** The result for the model of the waiting call: the answer, then one line of facts. */
  readonly text: string;
  /** The answer without the facts, which the state of the agent's task contains. */
  readonly answer: string;
  readonly isError: boolean;
  /** How the work ended, without figures: "completed". */
  readonly phrase: string;
  /** The facts for the state of the agent's task, with the phrase first. */
  readonly summary: string;
  /** The facts for the row of a completed call, which tells the duration itself. */
  readonly shown?: string;
  /** A complete answer in the agent's own words, for the screen. */
  readonly said?: string;
};

/** A worktree that is kept because work in it would be lost. Paths are absolute. */
export type KeptWorktree = {
  readonly path: string;
  readonly branch?: string;
  /** The work in it, as a phrase: "1 changed file". */
  readonly work: string;
};

/** How an agent ended, with the parts of its result. */
export type AgentOutcome = {
  readonly result: AgentResult;
  readonly report: AgentReport;
  /** Absent for an agent without a contract. */
  readonly check?: ContractCheck;
  /** The agent's own worktree, if it is kept. */
  readonly kept?: KeptWorktree;
};

/** The findings of the check of an agent's contract. */
export type ContractCheck =
  | { readonly state: "kept" }
  /** The turn was stopped. */
  | { readonly state: "unchecked" }
  /** One phrase for each broken part; `output`: the last lines of the command, empty if it passed. */
  | { readonly state: "broken"; readonly broken: readonly string[]; readonly output: string };

/**
 * Adds the line that says whether the contract was kept to a result. A broken contract is an error. The answer gets
 * this line only if it names broken parts: the state of the task contains the rest.
 */
export function withCheck(result: AgentResult, check: ContractCheck | undefined): AgentResult {
  if (!check) return result;
  const said = checkWords(check);
  const output = check.state === "broken" && check.output !== "" ? [`Output of the check:\n${check.output}`] : [];
  const checked = withLines(result, [...output, `[${said}]`]);
  return {
    ...checked,
    answer: check.state === "broken" ? checked.answer : result.answer,
    isError: result.isError || check.state !== "kept",
    ...(check.state === "broken"
      ? { phrase: BROKE, summary: `${BROKE} · ${result.summary}` }
      : { summary: `${result.summary} · ${said}`, ...(result.shown && { shown: `${result.shown} · ${said}` }) }),
  };
}

/** Adds paragraphs to the end of a result. */
export function withLines(result: AgentResult, lines: readonly string[]): AgentResult {
  const ending = (text: string) => [...(text === "" ? [] : [text]), ...lines].join("\n\n");
  return { ...result, text: ending(result.text), answer: ending(result.answer) };
}

/** The state of a contract, as a phrase: "contract broken: a.txt was not changed". */
export function checkWords(check: ContractCheck): string {
  return check.state === "broken" ? `contract broken: ${check.broken.join("; ")}` : `contract ${SAID[check.state]}`;
}

const BROKE = "broke its contract";
const SAID = { kept: "kept", unchecked: "not checked" } as const;

/** The result of an agent's turn. Only a complete answer is a success. */
export function agentResult(report: AgentReport, { who, calls, added, removed, durationMs }: AgentFacts): AgentResult {
  const { steps, usage } = report;
  const said = report.text.trim();
  const { phrase, isError } = endPhrase(report);
  const tokens = totalInputTokens(usage) + usage.outputTokens;
  const changes = [added > 0 ? `+${added}` : "", removed > 0 ? `−${removed}` : ""].filter((part) => part !== "");
  const facts = [
    phrase,
    ...(changes.length > 0 ? [changes.join(" ")] : []),
    plural(steps, "request"),
    plural(calls, "tool call"),
    `${formatCount(tokens)} tokens`,
    formatDuration(durationMs),
  ];
  const answer = said === "" ? "" : isError ? `Unfinished; its last words:\n${said}` : said;
  const line = `[${who}: ${facts.join(" · ")}]`;
  const text = answer === "" ? line : `${answer}\n\n${line}`;
  const forScreen = isError ? {} : { said, shown: facts.slice(1, -1).join(" · ") };
  return { text, answer, isError, phrase, summary: facts.join(" · "), ...forScreen };
}

/** The first filled line of an answer, without its marks of Markdown. */
export function firstLineOf(answer: string): string {
  return oneLine(withoutMarks(answer.trimStart().split("\n", 1)[0] ?? ""));
}

/** How a turn ended, as a phrase: "stopped at its limit of 3 requests". */
export function endPhrase({ reason, message, steps, text }: AgentReport) {
  const why = oneLine(message ?? "", MAX_WHY_COLUMNS).replace(/\.$/, "");
  switch (reason) {
    case "completed":
      return text.trim() === ""
        ? { phrase: "ended without an answer", isError: true }
        : { phrase: "completed", isError: false };
    case "aborted":
      return { phrase: "stopped before it was done", isError: true };
    case "step_limit":
      return { phrase: `stopped at its limit of ${plural(steps, "request")}`, isError: true };
    case "time_limit":
      return { phrase: `stopped at ${why}`, isError: true };
    case "failed":
      return { phrase: `failed: ${why}`, isError: true };
    default:
      return { phrase: `stopped early: ${why || reason}`, isError: true };
  }
}
