import { hardWrapText } from "@quoll/terminal-text/wrap-text";
import { filledRow, type Theme } from "./theme.ts";

type Style = {
  readonly theme: Theme;
  readonly columns: number;
  /** True if the right edge is that of the window. */
  readonly atEdge?: boolean;
};

/** A line of a diff in git's format as rows of at most `columns`: changed lines on their tints, heads dim. */
export function patchRows(line: string, { theme, columns, atEdge = false }: Style): readonly string[] {
  const rows = hardWrapText(line, columns);
  if (/^(?:\+\+\+|---) |^@@|^(?:diff|index) /.test(line)) return rows.map(theme.dim);
  const sign = line.slice(0, 1);
  if (sign !== "+" && sign !== "-") return rows;
  const { added, removed } = theme.onTints ?? theme;
  const [paint, tint] = sign === "+" ? [added, theme.addedTint] : [removed, theme.removedTint];
  return rows.map((row, at) =>
    filledRow(at === 0 ? theme.strong(paint(sign)) + row.slice(1) : row, tint, atEdge ? undefined : columns),
  );
}
