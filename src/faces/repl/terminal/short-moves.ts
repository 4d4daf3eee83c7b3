// biome-ignore lint/suspicious/noControlCharactersInRegex: terminal sequences begin with one.
const MOVES = /(?:\u001b\[\d*[ABEG]|\n)(?:\u001b\[\d*[ABEG]|\n)+/g;
// biome-ignore lint/suspicious/noControlCharactersInRegex: terminal sequences begin with one.
const MOVE = /\u001b\[(\d*)([ABEG])|\n/g;

// biome-ignore lint/suspicious/noControlCharactersInRegex: terminal sequences begin with one.
const STEP_OVER = /^\u001b\[\d*E/;

/**
 * Joins cursor movements that follow each other into one up or down and one sideways: Ink steps over each unchanged line by itself.
 * A line feed can scroll, so it is joined only if Ink then steps over a line, which was there before.
 */
export function shortMoves(text: string): string {
  return text.replaceAll(MOVES, (run) => {
    const feed = run.lastIndexOf("\n");
    if (feed >= 0 && (run.indexOf("\n") !== feed || !STEP_OVER.test(run.slice(feed + 1)))) return run;
    let rows = 0;
    let column = 0;
    for (const [move, count, kind] of run.matchAll(MOVE)) {
      const steps = count === "" || count === undefined ? 1 : Number(count);
      if (kind === "G") column = steps;
      else {
        rows += kind === "A" ? -steps : steps;
        if (kind === "E" || move === "\n") column = 1;
      }
    }
    const vertical = rows === 0 ? "" : `\u001b[${Math.abs(rows)}${rows < 0 ? "A" : "B"}`;
    const sideways = column === 1 ? "\r" : `\u001b[${column}G`;
    return vertical + (column === 0 ? "" : sideways);
  });
}
