import type { FindFiles, FoundFile } from "../../../contracts/file-mention.ts";
import type { Clock } from "../../../contracts/ports.ts";
import type { Mention, SessionPort, SuggestMentions } from "../../../protocol/session-port.ts";
import { typedArgument, typedFolder } from "../layers/argument-rows.ts";
import { mentionedPath, templateWord } from "../layers/mention-rows.ts";
import type { UiContext } from "../layers/ui-state.ts";
import type { ReplState } from "../repl-state.ts";

/** The pause before a request: one request for each key would be too many for a remote server. */
const PAUSE_MS = 80;

type Deps = {
  readonly state: ReplState;
  readonly port: Pick<SessionPort, "send">;
  readonly clock: Clock;
  /** Finds the files that a mention can name. */
  readonly findFiles?: FindFiles | undefined;
  /** The frame changed. */
  readonly changed: () => void;
};

/**
 * The words that a prompt can mention, and suggestions for the typed text. Suggestions are requested after the keys
 * were handled: for a form's field, and for a mention.
 */
export class Suggestions {
  readonly #deps: Deps;
  #mentions: readonly Mention[] = [];
  /** Asks servers for continuations of a mention. */
  #suggest: SuggestMentions | undefined;
  #suggested: UiContext["suggested"];
  #files: UiContext["files"];
  /** The beginning of the path for which files are being searched. */
  #typedPath: string | undefined;
  #finding = new AbortController();
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

  /** Takes the current list of mentions. @param suggest Absent if no server continues a mention. */
  take(mentions: readonly Mention[], suggest?: SuggestMentions): void {
    this.#mentions = mentions;
    this.#suggest = suggest;
  }

  /** Takes the arguments that the session offers for a text. */
  offer({ text, found }: NonNullable<UiContext["offered"]>): void {
    this.#offered = { text, found };
    this.#deps.changed();
  }

  /** Checks the state, and requests suggestions if the text is new. */
  look(): void {
    const { state, port } = this.#deps;
    const { hidden } = state.ui;
    // Two fields may have the same text.
    const field = hidden?.canSuggest ? `${hidden.title}\n${hidden.text}` : undefined;
    this.#field.follow(field, () => port.send({ type: "suggest", text: hidden?.text ?? "" }));
    this.#findFiles(mentionedPath(state.ui) ?? typedFolder(state.ui, state.completions));
    const argument = typedArgument(state.ui, state.completions);
    this.#argument.follow(argument?.text, () => argument && port.send({ type: "complete", ...argument }));
    this.#mention.follow(this.#suggest && templateWord(state.ui, this.#mentions), (word, signal) => {
      void this.#askMentions(word, signal);
    });
  }

  end(): void {
    this.#field.end();
    this.#mention.end();
    this.#argument.end();
    this.#finding.abort();
  }

  /** There is no pause, because no server is asked. */
  #findFiles(typed: string | undefined): void {
    if (typed === this.#typedPath) return;
    this.#typedPath = typed;
    this.#finding.abort();
    if (typed === undefined) this.#files = undefined;
    else {
      this.#finding = new AbortController();
      const told = (found: readonly FoundFile[], note?: string) => {
        this.#files = { typed, found, ...(note !== undefined && { note }) };
        this.#deps.changed();
      };
      this.#deps.findFiles?.(typed, told, this.#finding.signal);
    }
  }

  async #askMentions(word: string, signal: AbortSignal): Promise<void> {
    const mentions = (await this.#suggest?.(word, signal)) ?? [];
    if (signal.aborted) return;
    this.#suggested = { word, mentions };
    this.#deps.changed();
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
  follow(text: string | undefined, ask: (text: string, signal: AbortSignal) => void): void {
    if (text === this.#text) return;
    this.end();
    this.#text = text;
    if (text === undefined) return;
    this.#asking = new AbortController();
    const { signal } = this.#asking;
    this.#clock.sleep(PAUSE_MS, signal).then(
      () => ask(text, signal),
      () => undefined,
    );
  }

  end(): void {
    this.#text = undefined;
    this.#asking.abort();
  }
}
