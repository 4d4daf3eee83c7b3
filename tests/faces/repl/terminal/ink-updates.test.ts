import { expect, test } from "bun:test";
import { join } from "node:path";
import { Terminal } from "@xterm/headless";
import { bundle } from "../../../../scripts/compile.ts";
import { InkStdout } from "../../../../src/faces/repl/terminal/ink-stdout.ts";
import { seededRandom } from "../../../support/seeded-random.ts";
import { tempProject } from "../../../support/temp-project.ts";

const [COLUMNS, ROWS] = [24, 12];
// biome-ignore lint/suspicious/noControlCharactersInRegex: terminal sequences begin with one.
const MOVES_DOWN = /\u001b\[\d+L/;

type Update = ((text: string) => boolean) & { setCursorPosition(place: { x: number; y: number }): void };
type LogUpdate = { create(stream: NodeJS.WriteStream, options: { incremental: boolean; showCursor: boolean }): Update };

/** Ink's writer of frames, as it is in the built program. */
async function builtUpdate(folder: string): Promise<LogUpdate> {
  const built = await bundle(join(import.meta.dir, "../../../../node_modules/ink/build/log-update.js"), folder);
  expect(built.success).toBe(true);
  const { default: update }: { default: LogUpdate } = await import(join(folder, "cli.js"));
  return update;
}

test("frames that grow, shrink and change look as if each was written whole, at any height of the terminal", async () => {
  await using folder = await tempProject();
  const update = await builtUpdate(folder.dir);
  const { pick, chance, below } = seededRandom(23);
  let moved = 0;
  for (const above of [0, 4, ROWS]) {
    const terminal = new Terminal({ cols: COLUMNS, rows: ROWS, allowProposedApi: true, convertEol: true });
    let pending = Promise.resolve();
    const write = (text: string) => {
      pending = pending.then(() => new Promise<void>((done) => terminal.write(text, done)));
      if (MOVES_DOWN.test(text)) moved += 1;
      return true;
    };
    const stdout = { columns: COLUMNS, rows: ROWS, write } as unknown as NodeJS.WriteStream;
    const { stream } = new InkStdout(stdout, { columns: COLUMNS, rows: ROWS });
    const draw = update.create(stream, { incremental: true, showCursor: true });
    write("x\n".repeat(above));
    const text = ["start"];
    for (let frame = 0; frame < 60; frame += 1) {
      while (text.length > 5) text.shift();
      if (text.length > 4 || chance(0.1)) text.splice(0, 1 + below(2));
      const last = text.pop() ?? "";
      const isFull = Bun.stripANSI(last).length > COLUMNS - 3;
      text.push(isFull ? "again" : `${last}${pick(["", " a", "\u001b[1mb\u001b[22m", "é"])}`);
      for (let added = below(3); added > 0; added -= 1) text.push(pick(["one", "two words", ""]));
      const lines = [...text, "", "────", "› typed", `${pick(["◐", "◓"])} ${frame}s`];
      draw.setCursorPosition({ x: 3, y: lines.length - 2 });
      draw(`${lines.join("\n")}\n`);
      await pending;
      const { active } = terminal.buffer;
      const top = active.baseY + active.cursorY - (lines.length - 2);
      const shown = lines.map((_, row) => active.getLine(top + row)?.translateToString(true) ?? "");
      expect(shown).toEqual(lines.map((line) => Bun.stripANSI(line).trimEnd()));
      expect(active.cursorX).toBe(3);
      for (let row = top + lines.length; row < active.baseY + ROWS; row += 1)
        expect(active.getLine(row)?.translateToString(true)).toBe("");
    }
    terminal.dispose();
  }
  expect(moved).toBeGreaterThan(20);
});
