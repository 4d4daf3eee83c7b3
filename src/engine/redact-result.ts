import type { DiffHunk, DiffLine, Display, Progress, ResultBody } from "../contracts/display.ts";
import { InvalidInputError } from "../contracts/errors.ts";
import { mapTexts } from "../contracts/map-texts.ts";
import type { ToolResultContent } from "../contracts/message.ts";
import type { Redactor } from "../contracts/ports.ts";
import { cappedBody } from "../contracts/result-body.ts";
import type { ToolResult } from "../contracts/tool.ts";

/** Removes credentials from every text of a result, before the model, the log and the screen get it. */
export function redactResult(result: ToolResult, redactor: Redactor): ToolResult {
  return {
    ...result,
    content: redactContent(result.content, redactor),
    ...(result.display && { display: redactDisplay(result.display, redactor) }),
  };
}

export function redactProgress(progress: Progress, redactor: Redactor): Progress {
  return { ...progress, tail: redactLines(progress.tail, redactor) };
}

/**
 * Refuses an input that contains placeholders. Only Write and Edit restore the value of a placeholder, in the file that
 * it came from. Any other program would get a meaningless text, or could leak the restored secret.
 * @throws {InvalidInputError} the input contains a placeholder.
 */
export function refusePlaceholders(toolName: string, input: unknown, redactor: Redactor): void {
  const [first] = redactor.placeholdersIn(JSON.stringify(input) ?? "");
  if (first === undefined) return;
  throw new InvalidInputError(
    `${first} stands for a secret that is hidden from you; ${toolName} can't be given it. Only Write and Edit put it back, in the file that holds it. Let the command read the secret itself (from its file or a variable).`,
  );
}

export function redactContent(content: ToolResultContent, redactor: Redactor): ToolResultContent {
  if (typeof content === "string") return redactor.redact(content);
  return content.map((block) => (block.type === "text" ? { ...block, text: redactor.redact(block.text) } : block));
}

export function redactDisplay(display: Display, redactor: Redactor): Display {
  switch (display.kind) {
    case "command":
      return {
        ...display,
        command: redactor.redact(display.command),
        tail: redactLines(display.tail, redactor),
      };
    case "summary":
      return redactSummary(display, redactor);
    case "diff":
      return {
        ...display,
        hunks: display.hunks.map((hunk) => redactHunk(hunk, redactor)),
      };
    case "todos":
      return display;
  }
}

type Summary = Extract<Display, { kind: "summary" }>;

function redactSummary({ body, ...summary }: Summary, redactor: Redactor): Display {
  const texts = mapTexts(summary, (text) => redactor.redact(text));
  return { ...texts, ...(body && { body: cappedBody(redactBody(body, redactor)) }) };
}

function redactBody(body: ResultBody, redactor: Redactor): ResultBody {
  if (body.kind !== "diff") return mapTexts(body, (text) => redactor.redact(text));
  return { ...body, hunks: body.hunks.map((hunk) => redactHunk(hunk, redactor)) };
}

/**
 * A secret that spans several lines is recognised only if its lines are redacted together. The result may have fewer
 * lines than the input.
 */
function redactLines(lines: readonly string[], redactor: Redactor): readonly string[] {
  return lines.length === 0 ? [] : redactor.redact(lines.join("\n")).split("\n");
}

/**
 * Old and new lines are redacted as two texts. If a secret of several lines becomes one line, its other lines are
 * omitted.
 */
function redactHunk(hunk: DiffHunk, redactor: Redactor): DiffHunk {
  const side = (gone: DiffLine["kind"]) =>
    redactLines(
      hunk.lines.filter(({ kind }) => kind !== gone).map(({ text }) => text),
      redactor,
    );
  const before = side("added");
  const after = side("removed");
  const count = (gone: DiffLine["kind"]) => hunk.lines.filter(({ kind }) => kind !== gone).length;
  if (before.length !== count("added") || after.length !== count("removed")) {
    const lines: DiffLine[] = [
      ...before.map((text) => ({ kind: "removed", text }) as const),
      ...after.map((text) => ({ kind: "added", text }) as const),
    ];
    return { ...hunk, lines };
  }
  const next = { before: 0, after: 0 };
  const lines = hunk.lines.map((line): DiffLine => {
    const oldText = line.kind === "added" ? undefined : before[next.before++];
    const newText = line.kind === "removed" ? undefined : after[next.after++];
    return { ...line, text: newText ?? oldText ?? "" };
  });
  return { ...hunk, lines };
}
