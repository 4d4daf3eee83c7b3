import { truncateText } from "@quoll/terminal-text/truncate-text";
import { GLYPHS, type Theme } from "./theme.ts";

/** A change, code, a question and a warning, in the colours of a theme. */
export function sampleLines(theme: Theme, columns: number): readonly string[] {
  const { code } = theme;
  const call = `${code.keyword("const")} total = sum(${code.string('"EUR"')}, ${code.number("19")})`;
  const warning = theme.warning(`${GLYPHS.warning} a warning`);
  const passed = theme.passed(`${GLYPHS.passed} passed`);
  const failed = theme.failed(`${GLYPHS.failed} failed`);
  return [
    `    ${theme.dim("41")} ${theme.removed("− const total = sum()")}`,
    `    ${theme.dim("41")} ${theme.added('+ const total = sum("EUR", 19)')}`,
    `    ${call} ${code.comment("// code")}  ${theme.literal("inline")}`,
    `    ${theme.accent(`${GLYPHS.choice} once?`)}  ${warning}  ${passed}  ${failed}`,
  ].map((line) => truncateText(line, columns));
}
