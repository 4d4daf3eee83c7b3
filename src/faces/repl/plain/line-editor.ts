import { editText } from "../editor/edit-text.ts";
import { type Editor, emptyEditor, insertText, setText } from "../editor/editor-state.ts";
import type { KeyAction } from "../keymap/key-actions.ts";
import { echoChange, type TypedLine } from "./line-echo.ts";

type Deps = { write(text: string): void; columns(): number };

/** A line break in the line that is being typed. */
const BREAK = "⏎";

/**
 * The line behind the prompt. It echoes each key at its place and prints nothing anew, so that a screen reader hears
 * what was typed. Where the terminal edits the line itself, it gets no keys, and only writes prompts.
 */
export class LineEditor {
  readonly #deps: Deps;
  #editor: Editor = emptyEditor;
  /** The line on the screen; undefined while the cursor is in an empty row. */
  #shown: TypedLine | undefined;

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  get text(): string {
    return this.#editor.text;
  }

  get editor(): Editor {
    return this.#editor;
  }

  /** Writes the prompt and the draft, unless they are there. */
  open(prompt: string): void {
    if (this.#shown) return;
    this.#shown = { prompt, text: "", cursor: 0 };
    this.#deps.write(prompt);
    this.#echo();
  }

  /** Ends the row of the line, so that other lines can follow. The draft stays. */
  leave(): void {
    const shown = this.#shown;
    if (!shown) return;
    const end = { ...shown, cursor: shown.text.length };
    this.#deps.write(`${echoChange(shown, end, this.#deps.columns())}\n`);
    this.#shown = undefined;
  }

  /** The terminal itself ended the row. */
  left(): void {
    this.#shown = undefined;
  }

  insert(text: string): void {
    this.#editor = insertText(this.#editor, text);
    this.#echo();
  }

  replace(text: string): void {
    this.#editor = setText(this.#editor, text);
    this.#echo();
  }

  /** Takes a changed line. */
  set(editor: Editor): void {
    this.#editor = editor;
    this.#echo();
  }

  /** Moves the cursor, or deletes. */
  edit(action: KeyAction): void {
    this.set(editText(this.#editor, action) ?? this.#editor);
  }

  /** @returns the draft, which is then empty. */
  take(): string {
    const { text, killed } = this.#editor;
    this.#editor = { ...emptyEditor, killed };
    return text;
  }

  #echo(): void {
    const { text, cursor } = this.#editor;
    const shown = this.#shown;
    if (!shown) return;
    const now = { ...shown, text: text.replaceAll("\n", BREAK), cursor };
    this.#deps.write(echoChange(shown, now, this.#deps.columns()));
    this.#shown = now;
  }
}
