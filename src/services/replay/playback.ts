import { ProviderError } from "../../contracts/errors.ts";
import type { AssistantMessage } from "../../contracts/message.ts";
import type { Provider, ProviderEvent } from "../../contracts/provider.ts";
import type { EntryBody } from "../../contracts/session.ts";
import type { CallMatcher } from "./call-matcher.ts";
import type { Setup, Step } from "./recording.ts";

const PROMPT_WITHOUT_TEXT = "Go on.";

/** The next action: a new process (without memory), a changed configuration, or an input. */
export type Move =
  | { readonly kind: "setup"; readonly setup: Setup }
  | { readonly kind: "input"; readonly prompt: string };

/**
 * Plays the answers of a recording. The engine's history determines the next answer: an answer that the engine discards
 * and requests again is given again.
 */
export class Playback {
  readonly provider: Provider;
  readonly #steps: readonly Step[];
  readonly #matcher: CallMatcher;
  /** Index of the first unplayed step. */
  #at = 0;

  constructor(steps: readonly Step[], matcher: CallMatcher) {
    this.#steps = steps;
    this.#matcher = matcher;
    this.provider = { name: "recording", stream: (_, signal) => this.#stream(signal) };
  }

  /** Takes an entry that the engine writes into its log. */
  note(body: EntryBody): void {
    if (body.kind === "assistant") this.#answered();
    if (body.kind === "tool_finished") this.#matcher.finished(body.result);
  }

  /** The number of unplayed answers. */
  get left(): number {
    return this.#steps.slice(this.#at).filter(({ kind }) => kind === "answer").length;
  }

  /** Returns the next action when the engine is idle; undefined at the end. Inputs without an answer are skipped. */
  next(): Move | undefined {
    let prompt: string | undefined;
    for (; this.#at < this.#steps.length; this.#at += 1) {
      const step = this.#steps[this.#at];
      if (step?.kind === "setup") {
        this.#at += 1;
        return { kind: "setup", setup: step };
      }
      if (step?.kind === "said") prompt = step.prompt;
      if (step?.kind === "answer") return { kind: "input", prompt: prompt ?? PROMPT_WITHOUT_TEXT };
    }
    return undefined;
  }

  async *#stream(signal: AbortSignal): AsyncGenerator<ProviderEvent> {
    signal.throwIfAborted();
    const answer = this.#nextAnswer();
    if (!answer) throw new ProviderError("The recorded turn has no further answer.", undefined);
    const { id: _, ...message } = this.#matcher.messageOf(answer);
    yield { type: "done", message };
  }

  /** The turn's next answer: undefined after a person's own input, or after another process. */
  #nextAnswer(): AssistantMessage | undefined {
    for (const step of this.#steps.slice(this.#at)) {
      if (step.kind === "answer") return step.message;
      if (step.kind === "setup" || (step.kind === "said" && step.by !== "harness")) return undefined;
    }
    return undefined;
  }

  #answered(): void {
    while (this.#at < this.#steps.length && this.#steps[this.#at]?.kind !== "answer") this.#at += 1;
    this.#at += 1;
  }
}
