import { afterSleep } from "../../../contracts/after-sleep.ts";
import type { Clock } from "../../../contracts/ports.ts";
import type { Mention, SessionEvent, SessionPort } from "../../../protocol/session-port.ts";
import { typedArgument, typedFolder } from "../layers/argument-rows.ts";
import { mentionedPath, templateWord } from "../layers/mention-rows.ts";
import type { Ui, UiContext } from "../layers/ui-state.ts";
import type { ReplState } from "../repl-state.ts";

/** The pause before a request: one request for each key would be too many for a remote server. */
const PAUSE_MS = 80;

type Deps = {
  readonly state: ReplState;
  readonly port: Pick<SessionPort, "send">;
  readonly clock: Clock;
  /** The frame changed. */
  readonly changed: () => void;
};

type OfferedType = "arguments" | "mentions" | "continued_mentions" | "files";
type Offered = Extract<SessionEvent, { readonly type: OfferedType }>;

/**
 * The words that a prompt can mention, and suggestions for the typed text. Suggestions are requested after the keys
 * were handled: for a form's field, and for a mention.
 */
export class Suggestions {
  readonly #deps: Deps;
  #mentions: readonly Mention[] = [];
  /** True if the session continues mentions. */
  #canContinue = false;
  #suggested: UiContext["suggested"];
  #files: UiContext["files"];
  /** The beginning of the path for which files are being searched. */
  #typedPath: string | undefined;
  readonly #field: NewestText;
  readonly #mention: NewestText;
  readonly #argument: NewestText;
  #offered: UiContext["offered"];

  constructor(deps: Deps) {
    this.#deps = deps;
    this.#field = new NewestText(deps.clock);
    this.#mention = new NewestText(deps.clock);
    this.#argument = new NewestText(deps.clock);
  }

  /** The part of the keys' context about mentions and arguments. */
  get context(): Pick<UiContext, "mentions" | "suggested" | "files" | "offered"> {
    return {
      mentions: this.#mentions,
      ...(this.#offered && { offered: this.#offered }),
      ...(this.#suggested && { suggested: this.#suggested }),
      ...(this.#files && { files: this.#files }),
    };
  }

  /** Takes what the session offers. */
  takeOffer(event: Offered): void {
    switch (event.type) {
      case "mentions":
        this.#mentions = event.names;
        this.#canContinue = event.canContinue === true;
        return;
      case "arguments":
        this.#offered = { text: event.text, found: event.found };
        break;
      case "continued_mentions":
        this.#suggested = { word: event.word, mentions: event.mentions };
        break;
      case "files": {
        const { type: _, ...files } = event;
        if (files.typed === this.#typedPath) this.#files = files;
        break;
      }
    }
    this.#deps.changed();
  }

  /** Checks the state, and requests suggestions if the text is new. @param ui The state with the typed text. */
  look(ui: Ui = this.#deps.state.ui): void {
    const { state, port } = this.#deps;
    const { hidden } = ui;
    // Two fields may have the same text.
    const field = hidden?.canSuggest ? `${hidden.title}\n${hidden.text}` : undefined;
    this.#field.follow(field, () => port.send({ type: "suggest", text: hidden?.text ?? "" }));
    this.findFiles(mentionedPath(ui) ?? typedFolder(ui, state.completions));
    const argument = typedArgument(ui, state.completions);
    this.#argument.follow(argument?.text, () => argument && port.send({ type: "complete", ...argument }));
    const word = this.#canContinue ? templateWord(ui, this.#mentions) : undefined;
    this.#mention.follow(word, (newest) => port.send({ type: "continue_mention", word: newest }));
  }

  end(): void {
    this.#field.end();
    this.#mention.end();
    this.#argument.end();
  }

  /** Requests files for the beginning of a path. There is no pause, because no server is asked. */
  findFiles(typed: string | undefined): void {
    if (typed === this.#typedPath) return;
    this.#typedPath = typed;
    if (typed === undefined) this.#files = undefined;
    this.#deps.port.send({ type: "find_files", ...(typed !== undefined && { typed }) });
  }
}

/** Acts only for the newest text, and after a pause. */
class NewestText {
  readonly #clock: Clock;
  #text: string | undefined;
  #asking = new AbortController();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** @param text Undefined when no text has suggestions. Each text is requested only once. */
  follow(text: string | undefined, ask: (text: string) => void): void {
    if (text === this.#text) return;
    this.end();
    this.#text = text;
    if (text === undefined) return;
    this.#asking = new AbortController();
    const { signal } = this.#asking;
    afterSleep(this.#clock.sleep(PAUSE_MS, signal), () => ask(text));
  }

  end(): void {
    this.#text = undefined;
    this.#asking.abort();
  }
}
