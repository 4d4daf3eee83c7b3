import type { KeyAction } from "../keymap/key-actions.ts";
import type { DraftState, KeyBinding, KeyContext } from "../keymap/keymap.ts";
import type { MarkdownRenderer } from "../markdown/markdown-renderer.ts";
import type { QuestionPreview } from "../view/question-preview.ts";
import type { Theme } from "../view/theme.ts";
import type { Handled, PreviewView } from "./ui-state.ts";

/** What somebody did: an action that the keymap names, or something typed or pasted. */
export type Action =
  | { readonly type: "key"; readonly name: KeyAction; readonly key: string }
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "paste"; readonly text: string };

/** Lines of at most the width of the window, and where the cursor stands in them. */
export type Block = {
  readonly lines: readonly string[];
  readonly cursor?: { readonly x: number; readonly y: number };
  /** How the preview of a question was drawn. */
  readonly preview?: PreviewView;
};

/** What a layer draws in. */
export type Room = {
  readonly theme: Theme;
  readonly columns: number;
  /** Of the window. */
  readonly rows: number;
  /** What is left of them for this layer. */
  readonly maxRows: number;
  readonly markdown: MarkdownRenderer;
  readonly questions: QuestionPreview;
};

/** One screen of the REPL while it is open, tied to what it shows. `layer-stack.ts` decides who gets a key. */
export type Layer<Result = Handled, InRoom = Room> = {
  /** Where its keys are looked up, the narrowest first. */
  readonly contexts: readonly KeyContext[];
  readonly draft: DraftState;
  /** Keys of its own, before those of the keymap. */
  readonly bindings?: readonly KeyBinding[];
  /** `whole`: hides the layers below. Otherwise they are drawn as well, and get the keys that it has no use for. */
  readonly place: "whole" | "above" | "below";
  /** @returns undefined for an action that goes on to the layer below. */
  handle(action: Action): Result | undefined;
  /** What changes here when a layer below took the key. */
  passed?(result: Result): Result;
  lines(room: InRoom): Block;
};
