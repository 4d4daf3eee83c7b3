import type { KeyEvent } from "../input/decode-keys.ts";
import type { KeyAction } from "../keymap/key-actions.ts";
import type { DraftState, KeyBinding, KeyContext } from "../keymap/keymap.ts";
import type { MarkdownRenderer } from "../markdown/markdown-renderer.ts";
import type { QuestionPreview } from "../view/question-preview.ts";
import type { Theme } from "../view/theme.ts";
import type { Handled, PreviewView } from "./ui-state.ts";

/** An action of the person: an action of the keymap, or typed or pasted text. */
export type Action =
  | { readonly type: "key"; readonly name: KeyAction; readonly key: string }
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "paste"; readonly text: string };

/** Lines, each at most as wide as the window, and the cursor's position in them. */
export type Block = {
  readonly lines: readonly string[];
  readonly cursor?: { readonly x: number; readonly y: number };
  /** Measurements of the drawn preview of a question. */
  readonly preview?: PreviewView;
};

/** The space for a layer. */
export type Room = {
  readonly theme: Theme;
  readonly columns: number;
  /** The height of the terminal window. */
  readonly rows: number;
  /** The number of rows that are left for this layer. */
  readonly maxRows: number;
  readonly markdown: MarkdownRenderer;
  readonly questions: QuestionPreview;
};

/** One open screen of the REPL, bound to its state. `layer-stack.ts` decides which layer gets a key. */
export type Layer<Result = Handled, InRoom = Room> = {
  /** The contexts of the layer's key bindings, the narrowest first. */
  readonly contexts: readonly KeyContext[];
  readonly draft: DraftState;
  /** Keys that are tried before the keymap. */
  readonly bindings?: readonly KeyBinding[];
  /**
   * `whole`: the layer hides the layers below. Otherwise the layers below are drawn too, and get the keys that this
   * layer does not use.
   */
  readonly place: "whole" | "above" | "below";
  /** True for a list or panel that closes again: it covers the conversation for as long. */
  readonly isPanel?: true;
  /** Gets each key before its binding is applied. @returns undefined for a key that has its usual meaning. */
  press?(event: KeyEvent): Result | undefined;
  /** @returns undefined for an action that is passed to the layer below. */
  handle(action: Action): Result | undefined;
  /** Changes this layer's state after a layer below handled the key. */
  passed?(result: Result): Result;
  lines(room: InRoom): Block;
};
