import { plainText } from "@quoll/terminal-text/plain-text";
import { textWidth } from "@quoll/terminal-text/text-width";
import { padText, truncateText } from "@quoll/terminal-text/truncate-text";
import { leftOutWords, truncateWords } from "@quoll/terminal-text/truncate-words";
import { wrapText } from "@quoll/terminal-text/wrap-text";
import type { Room } from "../layers/layer.ts";
import type { Completion } from "../layers/ui-state.ts";
import { SPREAD_GAP, spread } from "./layout.ts";
import { GLYPHS, type Theme } from "./theme.ts";

/** The maximum number of rows of the list. */
export const MAX_COMPLETIONS = 12;
/** The rows of the frame in addition to the list. */
const ROWS_BESIDE = 6;
/** The maximum share of a row that the names take. */
const MAX_NAME_SHARE = 0.45;

/** The mark before a name, and the gap after it. */
const LEAD_COLUMNS = 4;
/** Other names at the end of a summary: ` (also /new)`. */
const OTHER_NAMES = / \(also \/[^()]*\)$/;

/**
 * The matching commands or resources, one row each; the selected row shows its argument. The words and arguments of the
 * selected row that don't fit continue below the list.
 */
export function completionLines(
  found: readonly Completion[],
  chosen: Completion,
  room: Pick<Room, "theme" | "columns" | "rows">,
): readonly string[] {
  const { theme, columns, rows } = room;
  const max = Math.max(1, Math.min(MAX_COMPLETIONS, rows - ROWS_BESIDE));
  const index = found.indexOf(chosen);
  const from = Math.max(0, Math.min(index - max + 1, found.length - max));
  const described = found.filter(({ summary }) => summary !== "");
  const longest = Math.max(0, ...described.map((command) => nameOf(command).length));
  const width = Math.min(longest, Math.floor(columns * MAX_NAME_SHARE));
  const shown = found.slice(from, from + max);
  const left = found.length - shown.length;
  /** The columns for the words of a row; the last one also tells how many rows are left. */
  const roomOf = (at: number) => {
    const more = left > 0 && at === shown.length - 1 ? SPREAD_GAP + textWidth(`+${left} more`) : 0;
    return columns - width - LEAD_COLUMNS - more;
  };
  const list = shown.map((command, at) => {
    const more = left > 0 && at === shown.length - 1 ? theme.dim(`+${left} more`) : "";
    const isChosen = command === chosen;
    const mark = isChosen ? theme.accent(GLYPHS.choice) : " ";
    if (command.summary === "") {
      const name = truncateText(paintName(command, { theme, isChosen, columns: columns - 2 }), columns - 2);
      return spread(`${mark} ${name}`, more, columns);
    }
    const name = padText(paintName(command, { theme, isChosen, columns: width }), width);
    const { shown: words } = partsOf(command, isChosen, roomOf(at));
    return spread(`${mark} ${name}  ${theme.dim(words)}`, more, columns);
  });
  return [...list, ...restLines(chosen, { room: roomOf(shown.indexOf(chosen)), theme, columns })];
}

/** The rest of a selected row that is too long. It is shown below the list, so that no other row moves. */
function restLines(
  command: Completion,
  { room, theme, columns }: { readonly room: number; readonly theme: Theme; readonly columns: number },
): readonly string[] {
  const { rest } = partsOf(command, true, room);
  if (rest === "") return [];
  return wrapText(rest, Math.max(8, columns - LEAD_COLUMNS)).map((line) => `    ${theme.dim(line)}`);
}

type Painting = { readonly theme: Theme; readonly isChosen: boolean; readonly columns: number };

/** The name with its typed letters in the accent colour; the folders of a path are dim. */
function paintName(command: Completion, { theme, isChosen, columns }: Painting): string {
  const plain = nameOf(command);
  // Names of one server, and paths of one folder, begin alike, so their ends distinguish them.
  const name = truncateText(plain, columns, "middle");
  const marks = new Set(name === command.name ? command.marks : []);
  const folderEnd = command.summary === "" ? name.lastIndexOf("/", name.length - 2) + 1 : 0;
  const rest = (text: string, at: number) => (isChosen ? theme.strong(text) : at < folderEnd ? theme.dim(text) : text);
  let painted = "";
  let from = 0;
  for (let at = 1; at <= name.length; at += 1) {
    const isEnd = at === name.length || marks.has(at) !== marks.has(from) || at === folderEnd;
    if (!isEnd) continue;
    const text = name.slice(from, at);
    painted += marks.has(from) ? theme.accent(text) : rest(text, from);
    from = at;
  }
  return painted;
}

/** Puts a name on one line, because a file name may contain a line feed. */
function nameOf({ name }: Completion): string {
  return plainText(name).replaceAll("\n", "\\n");
}

type Parts = { readonly shown: string; readonly rest: string };

/** The words in a row, and what the selected row leaves out: words of its summary, and its arguments. */
function partsOf({ summary, alias, argumentHint }: Completion, isChosen: boolean, room: number): Parts {
  const words = plainText(alias === undefined ? summary : `/${alias}: ${summary}`).replace(OTHER_NAMES, "");
  const hint = isChosen ? plainText(argumentHint) : "";
  const whole = [words, hint].filter((part) => part !== "").join(" · ");
  if (textWidth(whole) <= room) return { shown: whole, rest: "" };
  const left = leftOutWords(words, room);
  const rest = [left === "" ? "" : `… ${left}`, hint].filter((part) => part !== "").join(" · ");
  return { shown: truncateWords(words, room), rest };
}
