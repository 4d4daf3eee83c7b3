import type { KeyEvent } from "../input/decode-keys.ts";
import { keyName } from "../keymap/key-name.ts";

type Meaning =
  | "enter"
  | "break"
  | "complete"
  | "older"
  | "newer"
  | "escape"
  | "interrupt"
  | "end"
  | "suspend"
  | "mode"
  | "background";

/** The keys of a plain screen that do more than edit the line. */
const MEANINGS: Readonly<Record<string, Meaning>> = {
  enter: "enter",
  "alt+enter": "break",
  "shift+enter": "break",
  "ctrl+j": "break",
  tab: "complete",
  up: "older",
  down: "newer",
  esc: "escape",
  "ctrl+c": "interrupt",
  "ctrl+d": "end",
  "ctrl+z": "suspend",
  "shift+tab": "mode",
  "ctrl+b": "background",
};

/** @returns undefined for text, and for the keys that edit the line. */
export function meaningOf(event: KeyEvent): Meaning | undefined {
  return event.type === "key" ? MEANINGS[keyName(event) ?? ""] : undefined;
}
