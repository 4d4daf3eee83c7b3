import wrapAnsi from "wrap-ansi";
import type { Decision, PermissionMode } from "../../contracts/permission.ts";

/** What one part of a call is, and what decided about it. Plain data, safe to print. */
export type ExplainedPart = {
  /** "runs `npm test`", "writes /home/ann/app/a.ts". */
  readonly what: string;
  readonly decision: Decision;
  /** Why: a rule, or the reason in words. */
  readonly why: string;
  /** The rule that decided, as written, and where it stands. */
  readonly rule?: { readonly decision: Decision; readonly text: string; readonly source: string };
};

/** How a call would be judged, and why. Plain data, safe to print. */
export type Explanation = {
  readonly toolName: string;
  readonly title: string;
  readonly mode: PermissionMode;
  /** `ask` is refused where nobody can answer. */
  readonly decision: Decision;
  /** True when a judge would be asked first (mode auto). */
  readonly isForJudge: boolean;
  /** Where it runs if it does: "in the sandbox"; undefined where there is no sandbox. */
  readonly confinement?: string;
  /** What it would destroy, with what is kept of it. */
  readonly hazards: readonly string[];
  readonly parts: readonly ExplainedPart[];
  /** The parts that no rule covered. */
  readonly uncovered: readonly string[];
  /** What would change the verdict, one sentence each. */
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
    ...(changes.length > 0 ? ["  what would change that:"] : []),
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

/** A text behind a head, its further lines set in. */
function hanging(head: string, text: string): readonly string[] {
  const indent = " ".repeat(Math.min(head.length, 6));
  return wrapAnsi(`${head}${text}`, MAX_COLUMNS - indent.length, { hard: true, trim: false })
    .split("\n")
    .map((line, index) => (index === 0 ? line : `${indent}${line.trimStart()}`).trimEnd());
}
