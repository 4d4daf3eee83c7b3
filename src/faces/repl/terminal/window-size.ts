import type { Size } from "../repl-screen-state.ts";

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
export function refreshSize(stdout: NodeJS.WriteStream & { readonly _refreshSize?: () => void }): boolean {
  const before = sizeOf(stdout);
  stdout._refreshSize?.();
  return !isSameSize(before, sizeOf(stdout));
}
