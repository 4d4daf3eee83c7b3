import { setText } from "../editor/editor-state.ts";
import type { KeyEvent } from "../input/decode-keys.ts";
import type { StackContext } from "../layers/layer-stack.ts";
import { changeDraft, promptLayer } from "../layers/prompt-layer.ts";
import type { Effect, Handled } from "../layers/ui-state.ts";
import type { ListenerParts } from "../session-listener.ts";
import { PlainScreen, type Pressed } from "./plain-screen.ts";
import { ESCAPE, pastedKeys } from "./typed-lines.ts";

type OfListener = "state" | "pacer" | "handover" | "ownKeys" | "questions" | "suggestions";

/** The parts of the REPL that the input of a plain screen uses. */
export type PlainParts = Pick<ListenerParts, OfListener> & {
  context(): StackContext;
  perform(effect: Effect): void;
};

type Options = {
  readonly stdout: Pick<NodeJS.WriteStream, "write"> & { readonly columns?: number };
  /** True if the keys come here, and not only whole lines. */
  readonly editsLines: boolean;
  /** Ctrl+C without a signal. */
  stop(): void;
  leave(): void;
};

/** Connects the keys and lines of a plain screen to the REPL. */
export class PlainInput {
  readonly screen: PlainScreen;
  readonly #parts: PlainParts;
  readonly #options: Options;

  constructor(parts: PlainParts, options: Options) {
    const { state, pacer, suggestions, context } = parts;
    this.#parts = parts;
    this.#options = options;
    const completing = {
      context,
      look: (ui = state.ui) => suggestions.look(ui),
      findFiles: (typed: string | undefined) => suggestions.findFiles(typed),
      wake: (atMs: number) => pacer.at(atMs),
    };
    const { stdout, editsLines } = options;
    this.screen = new PlainScreen({ stdout, editsLines, completing, state: () => state });
    // The first input, such as /resume, may open a list.
    this.screen.awaitEffect();
    pacer.at(this.screen.readyAt);
  }

  /** Handles keys, if the terminal does not edit the line itself. */
  keys(events: readonly KeyEvent[]): void {
    const { state, pacer, handover, ownKeys } = this.#parts;
    if (handover.isLeased) return;
    for (const event of pastedKeys(events)) {
      if (state.hasLeft) return;
      if (!ownKeys.holds(event)) this.#take(this.screen.press(event));
    }
    pacer.at(this.screen.heldUntil);
    pacer.now();
  }

  /** Takes a whole line. */
  line(text: string): void {
    const { state, pacer, handover, questions, context } = this.#parts;
    if (handover.isLeased || state.hasLeft) return;
    this.#handle(this.screen.take(text, context()));
    questions.drawAtHoldEnd();
    pacer.at(this.screen.readyAt);
    pacer.now();
  }

  #take(pressed: Pressed): void {
    const { state, context, perform } = this.#parts;
    const takers: { readonly [Does in Pressed["does"]]: (one: Extract<Pressed, { does: Does }>) => void } = {
      line: ({ text }) => this.line(text),
      history: ({ history }) => {
        state.ui = { ...state.ui, history };
      },
      act: ({ action: name, key }) => {
        const handled = promptLayer(state.ui, context()).handle({ type: "key", name, key });
        if (handled) this.#handle(handled);
        if (name === "turn.background" && handled?.effects.length === 0)
          state.notify("info", "Nothing is running that can move to the background.");
      },
      editor: ({ text }) => {
        state.ui = changeDraft(state.ui, setText(state.ui.editor, text), state.nowMs);
        perform({ type: "edit_draft", text });
      },
      escape: () => this.line(ESCAPE),
      suspend: () => perform({ type: "suspend" }),
      stop: () => this.#options.stop(),
      leave: () => this.#options.leave(),
      // A question that comes now waits for the person who types.
      nothing: () => {
        state.ui = { ...state.ui, typedAt: state.nowMs };
      },
    };
    (takers[pressed.does] as (one: Pressed) => void)(pressed);
  }

  #handle({ ui, effects }: Handled): void {
    this.#parts.state.ui = ui;
    for (const effect of effects) this.#parts.perform(effect);
  }
}
