import { plainText } from "@quoll/terminal-text/plain-text";
import { padText, truncateText } from "@quoll/terminal-text/truncate-text";
import type { Theme } from "./theme.ts";

export type Welcome = {
  readonly version: string;
  readonly cwd: string;
  /** Absent before it is known, and where the first steps name it. */
  readonly model?: string;
};

/** Our mark: a quoll, the gaps in its back being the spots. Every font has these half blocks. */
const MARK = ["█▄█ ▄▄ ▄▄▀", " █▀█ █▀█"] as const;
/** The columns of the mark with the blanks around it. */
const MARK_COLUMNS = 14;
/** A narrower window needs its columns for the text. */
const MIN_COLUMNS = 36;

/** The column of the text beside the mark. */
export function welcomeIndent(columns: number): number {
  return columns < MIN_COLUMNS ? 2 : MARK_COLUMNS;
}

/** The two lines at the start of a session, which are part of the first paint, so imports of this file delay it. */
export function welcomeLines({ version, cwd, model }: Welcome, theme: Theme, columns: number): readonly string[] {
  const indent = welcomeIndent(columns);
  const facts = [version, ...(model === undefined ? [] : [plainText(model)])].join(" · ");
  const folder = truncateText(plainText(cwd).replaceAll("\n", " "), columns - indent, "start");
  return [`${theme.strong("quoll")} ${theme.dim(facts)}`, theme.dim(folder)].map((text, at) => {
    const mark = indent < MARK_COLUMNS ? "" : (MARK[at] ?? "");
    return truncateText(`  ${theme.accent(padText(mark, indent - 2))}${text}`, columns);
  });
}
