import type { ReplTerminal } from "../repl-props.ts";
import type { Size } from "../repl-screen-state.ts";

/** A terminal whose size can be looked up. */
export type SizedTerminal = Pick<ReplTerminal, "stdout" | "lookUpSize">;

export function sizeOf({ columns, rows }: NodeJS.WriteStream): Size {
  return { columns: columns || 80, rows: rows || 24 };
}

export function isSameSize(a: Size, b: Size): boolean {
  return a.columns === b.columns && a.rows === b.rows;
}

/**
 * Looks up the size of the window, of which the runtime tells late while the program is busy. Listeners of `resize` are called if the
 * window has another one. @returns true then.
 */
export function refreshSize({ stdout, lookUpSize }: SizedTerminal): boolean {
  const before = sizeOf(stdout);
  lookUpSize?.();
  return !isSameSize(before, sizeOf(stdout));
}
