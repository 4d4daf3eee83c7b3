import { plainText } from "@quoll/terminal-text/plain-text";
import { hardWrapText } from "@quoll/terminal-text/wrap-text";
import { patchRows } from "./patch-rows.ts";
import type { Theme } from "./theme.ts";

type Style = { readonly theme: Theme; readonly columns: number };

const FENCED = /^\s*(?:```|~~~)(\w*)[^\n]*\n([\s\S]*?)\n?(?:```|~~~)\s*$/;
const HUNK = /^@@ .*@@/m;
const CHANGED = /^[+-]/;

/** A preview of an option as lines of at most `columns`: a diff on its two tints, other text as it is. */
export function choicePreview(preview: string, { theme, columns }: Style): readonly string[] {
  const [, language = "", fenced] = FENCED.exec(preview) ?? [];
  const text = plainText(fenced ?? preview).replace(/^\n+|\s+$/g, "");
  const lines = text.split("\n");
  const isDiff = language === "diff" || HUNK.test(text) || isChangesOnly(lines);
  return lines.flatMap((line) => {
    if (line === "") return [""];
    return isDiff ? patchRows(line, { theme, columns }) : hardWrapText(line, columns);
  });
}

/** Without the head of a hunk, only lines that are added and removed are certain to be a diff: a list has `-` too. */
function isChangesOnly(lines: readonly string[]): boolean {
  const changed = lines.filter((line) => CHANGED.test(line));
  return changed.some((line) => line.startsWith("+")) && changed.some((line) => line.startsWith("-"));
}
