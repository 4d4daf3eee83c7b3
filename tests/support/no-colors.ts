import { ScreenTheme } from "../../src/faces/repl/terminal/screen-theme.ts";

/** A screen without colours and styles. */
export function noColors(): ScreenTheme {
  return new ScreenTheme({ colorLevel: 0, hasStyles: false }, undefined);
}
