import { truncateText } from "@quoll/terminal-text/truncate-text";
import { keyName } from "../keymap/key-name.ts";
import { GLYPHS } from "../view/theme.ts";
import type { Layer } from "./layer.ts";
import { HOLD_MS } from "./question.ts";
import { stay, type Ui, type UiContext } from "./ui-state.ts";

const WORDS = "The form is closed. If you still type into it: pause for a second, then go on.";
/** Keys that stop or leave. */
const PASSED: ReadonlySet<string | undefined> = new Set(["ctrl+c", "ctrl+d", "ctrl+z"]);

/**
 * After a form disappeared while the person typed into it, keys do nothing until a pause: the rest of a password must
 * not become a prompt, or the answer to another question.
 */
export function mutedLayer(ui: Ui, { nowMs }: UiContext): Layer | undefined {
  if (nowMs >= ui.mutedUntil) return undefined;
  return {
    contexts: [],
    draft: "empty",
    place: "above",
    press: (event) => (PASSED.has(keyName(event)) ? undefined : stay({ ...ui, mutedUntil: nowMs + HOLD_MS })),
    handle: () => undefined,
    lines: ({ theme, columns }) => ({ lines: [theme.warning(truncateText(`${GLYPHS.info} ${WORDS}`, columns))] }),
  };
}
