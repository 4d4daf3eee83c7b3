import wrapAnsi from "wrap-ansi";
import type { Decision } from "../../contracts/permission.ts";
import type { PermissionMode } from "../../contracts/permission-mode.ts";

/** One part of a call with its decision. Plain data, safe to print. */
export type ExplainedPart = {
  /** "runs `npm test`", "writes /home/ann/app/a.ts". */
  readonly what: string;
  readonly decision: Decision;
  /** The rule or the reason that decided. */
  readonly why: string;
  /** The rule that decided, as written, and its source. */
  readonly rule?: { readonly decision: Decision; readonly text: string; readonly source: string };
};

/** How a call would be decided, with the reasons. Plain data, safe to print. */
export type Explanation = {
  readonly toolName: string;
  readonly title: string;
  readonly mode: PermissionMode;
  /** If nobody can answer, `ask` means refused. */
  readonly decision: Decision;
  /** True if a judge would be asked first (mode auto). */
  readonly isForJudge: boolean;
  /** Where the call would run, such as "in the sandbox"; undefined if there is no sandbox. */
  readonly confinement?: string;
  /** The data it would destroy, each with the state of its backup. */
  readonly hazards: readonly string[];
  readonly parts: readonly ExplainedPart[];
  /** The parts that no rule covered. */
  readonly uncovered: readonly string[];
  /** Changes that would alter the verdict, one sentence each. */
  readonly changes: readonly string[];
};

const MAX_COLUMNS = 100;
const MARKS = { allow: "✓", ask: "?", deny: "✗" } as const satisfies Record<Decision, string>;

/** An explanation as lines of at most 100 columns, without colours. */
export function renderExplanation(explanation: Explanation): string {
  const { toolName, title, mode, decision, isForJudge, confinement, hazards, parts, uncovered, changes } = explanation;
  const judge = isForJudge ? ", after the judge of mode auto" : "";
  const where = confinement === undefined ? "" : `, ${confinement}`;
  const lines = [
    ...hanging(`${decision}${judge}${where}: `, `${toolName} ${title}`.trim()),
    ...hanging("  mode: ", mode),
    ...parts.flatMap((part) => renderPart(part)),
    ...hazards.flatMap((hazard) => hanging("  ▲ ", hazard)),
    ...list("  no rule covers: ", uncovered.join(", ")),
    ...(changes.length > 0 ? ["  changes that would alter this:"] : []),
    ...changes.flatMap((change) => hanging("    - ", change)),
  ];
  return lines.join("\n");
}

function renderPart({ what, decision, why }: ExplainedPart): readonly string[] {
  return [...hanging(`  ${MARKS[decision]} `, what), ...hanging("      ", why)];
}

function list(head: string, text: string): readonly string[] {
  return text === "" ? [] : hanging(head, text);
}

/** A label followed by text; further lines are indented to match. */
function hanging(head: string, text: string): readonly string[] {
  const indent = " ".repeat(Math.min(head.length, 6));
  return wrapAnsi(`${head}${text}`, MAX_COLUMNS - indent.length, { hard: true, trim: false })
    .split("\n")
    .map((line, index) => (index === 0 ? line : `${indent}${line.trimStart()}`).trimEnd());
}
