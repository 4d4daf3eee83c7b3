import { formatCount, formatUsd } from "@quoll/terminal-text/format-amount";
import { plural } from "@quoll/terminal-text/plural";
import type { Command } from "../contracts/command.ts";
import type { CommandResult } from "../contracts/command-result.ts";
import {
  CONTEXT_VERBS,
  type ContextEditPreview,
  type ContextEdits,
  type ContextMark,
  type ContextVerb,
} from "../contracts/context-edit.ts";
import { UserFacingError } from "../contracts/errors.ts";

const CONFIRMED = "--yes";

/** Shows every source of the next request's tokens; drops, collapses and pins turns and results. `--json` gives the report as data. */
export const contextCommand: Command = {
  name: "context",
  summary: "Show what fills the window; drop, collapse or pin parts",
  argumentHint: "[--json | drop|collapse|pin|unpin ID…]",
  async run(argument, { contextReport, contextEdits, isPlain = false }) {
    if (!contextReport) throw new UserFacingError("This session has no context to show.");
    const words = argument.split(/\s+/).filter((word) => word !== "");
    const [first = ""] = words;
    if (contextEdits && isVerb(first)) return edit(words, contextEdits);
    if (first !== "" && argument !== "--json")
      throw new UserFacingError(`/context takes --json, ${CONTEXT_VERBS.join(", ")} or nothing, not ${argument}.`);
    const report = await contextReport();
    if (argument === "--json") return { kind: "text", lines: [JSON.stringify(report, null, 2)] };
    const { contextLines, contextRows, NARROW_COLUMNS } = await import("./context-lines.ts");
    const rows = contextRows(report, isPlain);
    const list = { kind: "mark", title: "Context", rows, input: "/context", accepts: "tells the price" } as const;
    if (isPlain) return { ...list, lines: contextLines(report, "words") };
    const narrower = NARROW_COLUMNS.map((columns) => ({ columns, lines: contextLines(report, columns) }));
    return { ...list, lines: contextLines(report), narrower };
  },
};

/** Shows the price first; `--yes` makes the changes. Pins cost nothing, so they are made at once. */
async function edit(words: readonly string[], edits: ContextEdits): Promise<CommandResult> {
  const marks = marksOf(words.filter((word) => word !== CONFIRMED));
  const isFree = marks.every(({ verb }) => verb === "pin" || verb === "unpin");
  if (isFree || words.includes(CONFIRMED)) {
    const done = await edits.apply(marks);
    return { kind: "text", lines: [doneLine(done, marks)] };
  }
  const preview = await edits.preview(marks);
  const input = `/context ${words.join(" ")} ${CONFIRMED}`;
  const freed = `frees about ${formatCount(preview.freedTokens)} tokens`;
  const verbs = verbsOf(marks).join(" and ");
  return {
    kind: "choose",
    title: `${verbs.charAt(0).toUpperCase()}${verbs.slice(1)} ${partsOf(preview)}? This ${freed}.`,
    isYesNo: true,
    choices: [
      { label: `Yes, ${verbs}`, detail: priceOf(preview), input },
      { label: "No", detail: "", input: "" },
    ],
    lines: [`The change of ${partsOf(preview)} ${freed}: ${priceOf(preview)}.`, `To make this change: ${input}`],
  };
}

function marksOf(words: readonly string[]): readonly ContextMark[] {
  let verb: ContextVerb = "drop";
  const marks = words.flatMap((word): readonly ContextMark[] => {
    if (!isVerb(word)) return [{ verb, id: word }];
    verb = word;
    return [];
  });
  if (marks.length === 0)
    throw new UserFacingError(`Say which: /context ${verb} 3 for the third turn, or the id of a call.`);
  return marks;
}

function verbsOf(marks: readonly ContextMark[]): readonly ContextVerb[] {
  return [...new Set(marks.map(({ verb }) => verb))];
}

function partsOf({ turns, results }: ContextEditPreview): string {
  const parts = [...(turns > 0 ? [plural(turns, "turn")] : []), ...(results > 0 ? [plural(results, "result")] : [])];
  return parts.join(" and ");
}

function priceOf({ resentTokens, costUsd }: ContextEditPreview): string {
  if (resentTokens === 0) return "no cache is lost";
  const price = costUsd === undefined ? "" : `, ${formatUsd(costUsd, true)} more`;
  return `${formatCount(resentTokens)} tokens are sent without the cache${price}`;
}

function doneLine(done: ContextEditPreview, marks: readonly ContextMark[]): string {
  const freed = done.freedTokens > 0 ? ` Freed about ${formatCount(done.freedTokens)} tokens; ${priceOf(done)}.` : "";
  return `Done (${verbsOf(marks).join(", ")}): ${partsOf(done)}.${freed}`;
}

function isVerb(word: string): word is ContextVerb {
  return CONTEXT_VERBS.some((verb) => verb === word);
}
