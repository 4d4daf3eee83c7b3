import { truncateText } from "@quoll/terminal-text/truncate-text";
import { changedLead } from "./diff-lines.ts";
import { filledRow, GLYPHS, type Paint, type Theme } from "./theme.ts";

const INDENT = "    ";
/** The width of the backgrounds. */
const COLUMNS = 44;

/** A prompt, a change, code, a question and marks, in the colours of a theme. */
export function sampleLines(theme: Theme, columns: number): readonly string[] {
  const { code, accent } = theme.onTints ?? theme;
  const width = Math.min(COLUMNS, columns - INDENT.length);
  const row = (text: string, background: Paint) => filledRow(truncateText(text, width), background, width);
  const type = width < COLUMNS ? "" : `: ${code.type("Cents")}`;
  const sum = (value: string) =>
    `${code.keyword("const")} sum${type} = ${code.function("total")}${code.punctuation("(")}${value}${code.punctuation(");")}`;
  const old = sum(theme.removedWord(code.string('"19"')));
  const now = `${sum(theme.addedWord(code.number("19")))} ${code.comment("// code")}`;
  return [
    row(`${accent(GLYPHS.prompt)} a prompt`, theme.band),
    row(`${changedLead("removed", "41", theme)} ${old}`, theme.removedTint),
    row(`${changedLead("added", "41", theme)} ${now}`, theme.addedTint),
    markRow(theme, width < COLUMNS),
  ].map((line) => truncateText(INDENT + line, columns));
}

/** The marks in one row, in a narrow window with less between them. */
function markRow(theme: Theme, isNarrow: boolean): string {
  const marks = [
    theme.accent(`${GLYPHS.choice} once?`),
    theme.warning(`${GLYPHS.warning} ${isNarrow ? "warning" : "a warning"}`),
    theme.passed(`${GLYPHS.passed} passed`),
    theme.failed(`${GLYPHS.failed} failed`),
  ];
  return isNarrow ? marks.join(" ") : [...marks, theme.literal("inline")].join("  ");
}
