import type { ToolUseBlock } from "../../../contracts/message.ts";
import type { Theme } from "./theme.ts";

/** A path with an extension, and optionally a line: `src/cart.ts:41`, `src/cart.ts:41:7`, `README.md#L3`. */
const PATH = /^((?:~|\.{1,2})?(?:\/?[\w@%+=.-]+)+\.\w{1,10})(?:(?::|#L)(\d{1,7})(?:[:-]\S*)?)?$/;
const MAX_CHARS = 500;
/**
 * A relative path in prose, not a part of a longer word. Each sign of a run can begin at most one match, so a long run
 * of such signs takes time in proportion to its length.
 */
const IN_PROSE =
  /(?<![\w@%+=./~\\:-])(?:\.\/)?(?:[\w@%+=-][\w@%+=.-]*\/)*[\w@%+=-][\w@%+=.-]*\.\w{1,10}(?:(?::|#L)\d{1,7}(?:[:-]\d+)?)?(?![\w/\\]|[@%+=.:-]\w)/g;
/** Further paths in one run of prose are plain text. */
const MAX_IN_PROSE = 20;

/** Makes a text that is the path of an existing file a link to the file. */
export function linkedFile(text: string, shown: string, theme: Theme): string {
  if (!theme.file || text.length > MAX_CHARS) return shown;
  const [, path, line] = PATH.exec(text) ?? [];
  return path === undefined ? shown : theme.file(shown, path, line === undefined ? undefined : Number(line));
}

/** Makes the paths in a plain text links to the files of the working folder that are there. */
export function linkedPaths(text: string, theme: Theme): string {
  if (!theme.file || !text.includes(".")) return text;
  let left = MAX_IN_PROSE;
  return text.replace(IN_PROSE, (path) => {
    left -= 1;
    return left < 0 || path.includes("../") ? path : linkedFile(path, path, theme);
  });
}

/** Makes the title of a call a link to the file that it concerns. */
export function linkedTitle({ input }: Pick<ToolUseBlock, "input">, shown: string, theme: Theme): string {
  const path = input["file_path"] ?? input["notebook_path"];
  return theme.file && typeof path === "string" ? theme.file(shown, path) : shown;
}

/** An address in plain text; punctuation after it belongs to the sentence. */
const ADDRESS = /\bhttps?:\/\/[^\s<>"'`|\\^{}]*[^\s<>"'`|\\^{}.,;:!?)\]]/g;

/** Makes web addresses in a plain line links. */
export function linkedAddresses(line: string, theme: Theme): string {
  return line.includes("://") ? line.replace(ADDRESS, (address) => theme.link(address, address)) : line;
}
