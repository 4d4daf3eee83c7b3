import { plainText } from "@quoll/terminal-text/plain-text";

export const MAX_STATUS_LINES = 3;
/** The maximum number of characters of one line, including its colours. */
const MAX_LINE_CHARS = 4_000;
/** Matches colours and styles, and links to web pages (OSC 8), which are kept. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: sequences begin with one.
const KEPT = /\u001b\[[\d;:]*m|\u001b\]8;[^;\u0007\u001b]*;(?:https?:\/\/[!-~]*)?(?:\u0007|\u001b\\)/g;
const RESET = "\u001b[0m";
const END_LINK = "\u001b]8;;\u001b\\";

/** The first lines of a program's output: colours, styles and links stay, all other control sequences are dropped. */
export function cleanLines(output: string): readonly string[] {
  const lines = output.replace(/\r\n?/g, "\n").trimEnd().split("\n").slice(0, MAX_STATUS_LINES);
  return lines.join("") === "" ? [] : lines.map((line) => cleanLine(line.slice(0, MAX_LINE_CHARS)));
}

function cleanLine(line: string): string {
  const kept = line.match(KEPT) ?? [];
  const texts = line.split(KEPT).map(plainText);
  const clean = texts.map((text, at) => text + (kept[at] ?? "")).join("");
  const isLinkOpen = kept.findLast((one) => one.startsWith("\u001b]"))?.includes("http") === true;
  const isStyled = kept.some((one) => one.endsWith("m"));
  return `${clean}${isLinkOpen ? END_LINK : ""}${isStyled ? RESET : ""}`;
}
