import { Terminal } from "@xterm/headless";

/** Each cell of a terminal with its looks, and the cursor, after some writes. */
export async function writtenCells(columns: number, ...texts: readonly string[]) {
  const terminal = new Terminal({ cols: columns, rows: 4, allowProposedApi: true, convertEol: true });
  try {
    for (const text of texts) await new Promise<void>((done) => terminal.write(text, done));
    const { active } = terminal.buffer;
    const cell = (row: number, column: number) => {
      const at = active.getLine(row)?.getCell(column);
      const marks = [at?.isDim() ? "d" : "", at?.isBold() ? "b" : "", at?.isUnderline() ? "u" : ""];
      return `${at?.getChars() || " "}${at?.getFgColor()}${marks.join("")}`;
    };
    const cells = [0, 1, 2, 3].map((row) => Array.from({ length: columns }, (_, column) => cell(row, column)));
    return { cells, x: active.cursorX, y: active.cursorY };
  } finally {
    terminal.dispose();
  }
}
