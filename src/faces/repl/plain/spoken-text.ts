import { plainText } from "@quoll/terminal-text/plain-text";
import { GLYPHS } from "../view/theme.ts";

/** The words with which an event of a plain screen begins. */
export const ROLES = {
  user: "You",
  answer: "Quoll",
  call: "Tool",
  result: "Result",
  output: "Output",
  question: "Question",
  error: "Error",
  warning: "Warning",
  notice: "Notice",
  working: "Working",
  done: "Done",
  stopped: "Stopped",
  ended: "Ended",
} as const;
export type Role = keyof typeof ROLES;

const LOOKS_LIKE_ROLE = new RegExp(
  `^\\s*(?:${[...Object.values(ROLES), "Answer", "Choose"].join("|")})\\b[^:]{0,20}:`,
  "i",
);

/** Signs that Quoll draws, and the words that replace them. */
const SIGNS: readonly (readonly [RegExp, string])[] = [
  [new RegExp(`${GLYPHS.failed} ?`, "g"), "failed: "],
  [new RegExp(`${GLYPHS.passed} ?`, "g"), "passed: "],
  [new RegExp(`${GLYPHS.warning} ?`, "g"), "warning: "],
  [new RegExp(`${GLYPHS.stopped} ?`, "g"), "stopped: "],
  [new RegExp(`${GLYPHS.running} ?`, "g"), "running: "],
  [new RegExp(`${GLYPHS.taken} ?`, "g"), "chosen: "],
  [new RegExp(`${GLYPHS.left} ?`, "g"), "not chosen: "],
  [new RegExp(` *[${GLYPHS.text}${GLYPHS.choice}${GLYPHS.prompt}${GLYPHS.next}•◦▪] ?`, "g"), " "],
  [/^\s*·\s*/, ""],
  [/\s+·\s+/g, ", "],
  [/^\s*→\s*/, ""],
  [/ *→ */g, " to "],
  // The signs before changed files, and before open steps.
  [/^\s*[~+−] (?=\S)/, ""],
  [/^\s*○ (?=\S)/, "open: "],
  // Counts of lines: `a.ts +3 −1`.
  [/(?<=\S)\s+\+(\d+) −(\d+)(?=$|[\s,.)])/g, ", $1 added, $2 removed"],
  [/(?<=\S)\s+\+(\d+)(?=$|[\s,.)])/g, ", $1 added"],
  [/(?<=\S)\s+−(\d+)(?=$|[\s,.)])/g, ", $1 removed"],
  [/−(?=\d)/g, "minus "],
  [/↓ ?(?=\d)/g, "received "],
  [/↑ ?(?=\d)/g, "sent "],
  [/×(?=\d)/g, "times "],
  [/[\u2500-\u259f]+/g, " "],
];

/** A line that Quoll made for the eye, as a line for the ear: words instead of signs, commas instead of columns. */
export function spokenLine(line: string): string {
  const words = SIGNS.reduce((text, [sign, word]) => text.replace(sign, word), plainText(line).replaceAll("\n", " "));
  return words
    .trim()
    .replace(/:? {2,}/g, (gap) => (gap.startsWith(":") ? ": " : ", "))
    .replace(/,\s*,/g, ",");
}

/** The lines of one event. The first begins with its role, and blank lines are left out. */
export function withRole(role: Role, lines: readonly string[]): readonly string[] {
  const [first, ...rest] = lines.filter((line) => line.trim() !== "");
  return first === undefined ? [] : [`${ROLES[role]}: ${first}`, ...continued(role, rest)];
}

/** Further lines of an event. A line gets the role if it would otherwise look like the beginning of another event. */
export function continued(role: Role, lines: readonly string[]): readonly string[] {
  return lines
    .filter((line) => line.trim() !== "")
    .map((line) => (looksLikeRole(line) ? `${ROLES[role]}: ${line}` : line));
}

/** True if a text begins like an event or the prompt of a question. */
export function looksLikeRole(text: string): boolean {
  return LOOKS_LIKE_ROLE.test(text);
}

/** Lines of which each is an event. */
export function eachWithRole(role: Role, lines: readonly string[]): readonly string[] {
  return lines.map((line) => `${ROLES[role]}: ${line}`);
}
