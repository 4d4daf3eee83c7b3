// biome-ignore-all lint/suspicious/noControlCharactersInRegex: escape sequences are what this file is about.

/** More rows than any terminal has. */
const NO_LIMIT_ROWS = 100_000;
/** How an update of Ink's begins: hide the cursor and go below the frame, then up to its first line. */
const UPDATE = /^((?:\u001b\[\?25l)?(?:\u001b\[\d+B)?(?:\u001b\[\d*G)?)\u001b\[(\d+)A/;
const CURSOR_ONLY = /^[^\n]*\u001b\[\d+A\u001b\[\d*G\u001b\[\?25h$/;

/**
 * The terminal as Ink sees it, with two differences.
 *
 * It has no last row: Ink wipes screen and scrollback when its frame is as tall as the window, as after making that
 * smaller. Our frames are cut to fit, and nobody's scrollback is wiped.
 *
 * Updates begin at the frame's first line: Ink 6.8 goes up one row too few when only changed lines are written, so that
 * each update would leave a line behind (mended in Ink 8, where nothing is changed here).
 *
 * @param frameHeight The number of lines that Ink is drawing now.
 */
export function inkStdout(stdout: NodeJS.WriteStream, frameHeight: () => number): NodeJS.WriteStream {
  let written = 0;
  const write = (data: string | Uint8Array, ...rest: unknown[]) => {
    const mended = typeof data === "string" ? mendUpdate(data, written) : data;
    if (typeof data === "string" && isFrame(data)) written = Math.max(1, frameHeight());
    return Reflect.apply(stdout.write, stdout, [mended, ...rest]);
  };
  return new Proxy(stdout, {
    get(target, name) {
      if (name === "rows") return NO_LIMIT_ROWS;
      if (name === "write") return write;
      const value: unknown = Reflect.get(target, name, target);
      return typeof value === "function" ? value.bind(target) : value;
    },
  });
}

/** @param height The number of lines on the screen that the update is for. */
export function mendUpdate(data: string, height: number): string {
  const match = UPDATE.exec(data);
  if (!match || !isFrame(data) || Number(match[2]) !== height - 1) return data;
  return `${match[1]}\u001b[${height}A${data.slice(match[0].length)}`;
}

function isFrame(data: string): boolean {
  return (data.includes("\n") || data.includes("\u001b[E")) && !CURSOR_ONLY.test(data);
}
