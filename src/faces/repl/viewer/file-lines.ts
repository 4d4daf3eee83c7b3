import { plainText } from "@quoll/terminal-text/plain-text";
import { hardWrapText } from "@quoll/terminal-text/wrap-text";
import type { FinishedTool } from "../../../protocol/transcript/transcript.ts";
import type { CodePaint } from "../markdown/markdown-renderer.ts";
import type { Theme } from "../view/theme.ts";

/** A line in Read's format. */
const NUMBERED = /^ *(\d+)\t(.*)$/;
/** Further lines have the colour of the text. */
const MAX_PAINTED_LINES = 2_000;

type Style = { readonly theme: Theme; readonly width: number; readonly paint: CodePaint | undefined };

/** The path of the file whose lines are the result of a call; undefined for other calls. */
export function readPath({ use, isError }: FinishedTool): string | undefined {
  const path = use.input["file_path"];
  return use.name === "Read" && !isError && typeof path === "string" ? path : undefined;
}

/**
 * The lines of a file with dim numbers and the colours of its language, wrapped at `width`; `drawNotes` draws the notes
 * below them. The result is undefined if no line has a number, as in the text of a folder.
 */
export function fileLines(
  lines: readonly string[],
  { theme, width, paint }: Style,
  drawNotes: (notes: readonly string[]) => readonly string[],
): readonly string[] | undefined {
  const found = lines.map((line) => NUMBERED.exec(line));
  const end = found.indexOf(null);
  const matches = (end < 0 ? found : found.slice(0, end)).filter((match) => match !== null);
  if (matches.length === 0) return undefined;
  const texts = matches.map(([, , text = ""]) => plainText(text).replaceAll("\n", " "));
  const painted = paint ? paint(texts.slice(0, MAX_PAINTED_LINES), theme) : [];
  const digits = matches.at(-1)?.[1]?.length ?? 1;
  const room = Math.max(10, width - digits - 1);
  const code = matches.flatMap(([, number = ""], row) =>
    hardWrapText(painted[row] ?? texts[row] ?? "", room).map((part, at) =>
      `${theme.dim((at === 0 ? number : "").padStart(digits))} ${part}`.trimEnd(),
    ),
  );
  return [...code, ...drawNotes(lines.slice(matches.length))];
}
