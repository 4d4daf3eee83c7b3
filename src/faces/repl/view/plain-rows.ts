import { plainText } from "@quoll/terminal-text/plain-text";
import { wrapText } from "@quoll/terminal-text/wrap-text";
import type { Row, Transcript } from "../../../protocol/transcript/transcript.ts";
import { footerParts, type RowStyle, rowLines } from "./row-lines.ts";
import { GLYPHS } from "./theme.ts";
import { welcomeLines } from "./welcome.ts";

/** Marks at the beginning of a line, and the words that replace them. */
const WORDS: Readonly<Record<string, string>> = {
  [GLYPHS.failed]: "Failed: ",
  [GLYPHS.warning]: "Warning: ",
  [GLYPHS.passed]: "Passed: ",
  [GLYPHS.text]: "",
  [GLYPHS.info]: "",
};
/** The columns by which the longest word is wider than its mark and the blank after it. */
const MORE_COLUMNS = Math.max(...Object.values(WORDS).map((word) => word.length)) - 2;
const MARK = new RegExp(`^((?:\\u001b\\[[\\d;]*m|\\s)*)([${Object.keys(WORDS).join("")}])((?:\\u001b\\[[\\d;]*m)*) `);
/** The lines of the welcome before the first steps of a new person. */
const HEAD_LINES = 2;
const OUTCOMES = { completed: "Done", aborted: "Stopped" } as const;

/** A settled row for a plain screen: words instead of marks, and no text aligned at the right. */
export function plainRowLines(row: Row, before: Row | undefined, style: RowStyle): readonly string[] {
  switch (row.kind) {
    case "welcome":
      return [
        `Quoll ${row.version} in ${plainText(row.cwd)}, plain screen.`,
        "Type what you want done, then enter. /help lists commands, !cmd runs a command. Ctrl+c stops a turn, or leaves.",
        ...welcomeLines(row, style.theme, style.columns).slice(HEAD_LINES),
      ];
    case "user":
      return wrapText(`You: ${plainText(row.text)}`, style.columns);
    case "footer": {
      const { reason } = row.report.outcome;
      const word = reason === "completed" || reason === "aborted" ? OUTCOMES[reason] : "Ended";
      return [`${[word, footerParts(row).join(", ")].filter(Boolean).join(": ")}.`];
    }
    case "tool":
    case "explorations": {
      const [head = "", ...body] = rowLines(row, undefined, style);
      // Columns are for the eye.
      return [inWords(head).trim().replace(/ {2,}/g, " "), ...body.map((line) => `  ${inWords(line).trimStart()}`)];
    }
    case "markdown":
      return rowLines(row, row.first ? undefined : before, style).map((line) => inWords(line.replace(/^ {2}/, "")));
    default:
      return rowLines(row, undefined, { ...style, columns: style.columns - MORE_COLUMNS }).map(inWords);
  }
}

/** The current step of the task list; undefined if there is none. */
export function stepLine({ todos }: Transcript): string | undefined {
  const at = todos.findIndex(({ status }) => status === "in_progress");
  const todo = todos[at];
  return todo && `Step ${at + 1} of ${todos.length}: ${plainText(todo.activeForm)}`;
}

/** A line with words in place of its mark. */
export function inWords(line: string): string {
  return line.replace(MARK, (_, lead: string, mark: string, style: string) => `${lead}${style}${WORDS[mark] ?? ""}`);
}
