// biome-ignore-all lint/suspicious/noControlCharactersInRegex: control characters are what this file is about.

/** Colours and other styles (SGR), and the erasing of a row's end (EL), which gives it a background. */
const STYLE = "\\u001b\\[(?:[\\d;:]*m|K)";
/** Styles and links (OSC 8). */
const STYLES = new RegExp(`${STYLE}|\\u001b\\]8;[^\\u0007\\u001b]*(?:\\u0007|\\u001b\\\\)`, "g");
/**
 * Control characters but escape, and characters that `textWidth` counts as nothing: soft hyphens, fillers, zero-width spaces, direction
 * marks and overrides. Terminals draw some of them one or two columns wide, and reorder text for others.
 */
const SIGNS =
  "\\u0000-\\u001a\\u001c-\\u001f\\u007f-\\u009f\\u00ad\\u061c\\u070f\\u115f\\u1160\\u180e\\u200b\\u200e\\u200f\\u202a-\\u202e\\u2060-\\u206f\\u3164\\ufeff\\uffa0\\ufff0-\\ufffb";
const UNSEEN = new RegExp(`[${SIGNS}\\u001b]`, "g");
const SUSPECT = new RegExp(`[${SIGNS}]|(?!${STYLE})\\u001b`);

/** A line that a terminal draws in exactly as many columns as `textWidth` counts: of all sequences, only styles, links and the erasing of its end stay. */
export function drawnLine(line: string): string {
  if (!SUSPECT.test(line)) return line;
  let drawn = "";
  let end = 0;
  for (const { 0: style, index } of line.matchAll(STYLES)) {
    drawn += line.slice(end, index).replace(UNSEEN, "") + style;
    end = index + style.length;
  }
  return drawn + line.slice(end).replace(UNSEEN, "");
}
