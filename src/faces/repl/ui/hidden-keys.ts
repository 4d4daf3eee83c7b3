import type { KeyEvent } from "../input/decode-keys.ts";
import { type Handled, stay, type Ui } from "./ui-state.ts";

/** No key is longer. */
const MAX_CHARS = 16_384;

/** What a key does to a line that is typed unseen. It never becomes part of the prompt or its history. */
export function hiddenKey(ui: Ui, hidden: NonNullable<Ui["hidden"]>, event: KeyEvent): Handled {
  const keep = (text: string) => stay({ ...ui, hidden: { ...hidden, text: text.slice(0, MAX_CHARS) } });
  const done = (text: string): Handled => ({
    ui: { ...ui, hidden: undefined },
    effects: [{ type: "hidden", text }],
  });
  if (event.type === "text") return keep(hidden.text + event.text);
  // A copied key often brings its line break.
  if (event.type === "paste") return keep(hidden.text + event.text.trim());
  switch (event.name) {
    case "enter":
      return hidden.text.trim() === "" ? stay(ui) : done(hidden.text.trim());
    case "backspace":
      return keep([...hidden.text].slice(0, -1).join(""));
    case "char":
      return event.ctrl && event.char === "u" ? keep("") : stay(ui);
    default:
      return stay(ui);
  }
}
