import { truncateText } from "@quoll/terminal-text/truncate-text";
import { filledRow, GLYPHS, type Paint, type Theme } from "./theme.ts";

const INDENT = "    ";

/** A change, code, a question and a warning, in the colours of a theme. */
export function sampleLines(theme: Theme, columns: number): readonly string[] {
  const { code } = theme;
  const call = (words: string) => `${code.keyword("const")} total = ${code.function("sum")}(${words})`;
  const words = `${code.string('"EUR"')}, ${code.number("19")}`;
  const row = (sign: string, text: string, tint: Paint) =>
    filledRow(
      truncateText(`${theme.dim("41")} ${theme.strong(sign)} ${text}`, columns - INDENT.length),
      tint,
      columns - INDENT.length,
    );
  const warning = theme.warning(`${GLYPHS.warning} a warning`);
  const passed = theme.passed(`${GLYPHS.passed} passed`);
  const failed = theme.failed(`${GLYPHS.failed} failed`);
  return [
    row(theme.removed("−"), call(""), theme.removedTint),
    row(theme.added("+"), call(theme.addedWord(words)), theme.addedTint),
    `${code.type("Cart")}.${code.property("total")} ${code.comment("// code")}  ${theme.literal("inline")}`,
    `${theme.accent(`${GLYPHS.choice} once?`)}  ${warning}  ${passed}  ${failed}`,
  ].map((line) => truncateText(INDENT + line, columns));
}
