import { ProviderError } from "../../contracts/errors.ts";
import type { AssistantMessage } from "../../contracts/message.ts";
import type { Provider, ProviderEvent } from "../../contracts/provider.ts";
import type { SessionLog } from "../../contracts/session.ts";
import type { CallBook } from "./call-book.ts";
import type { Setup, Step } from "./recording.ts";

const GO_ON = "Go on.";

/** What to do next: a process begins (all is forgotten), something has changed, or an input is to be put in. */
export type Move =
  | { readonly kind: "setup"; readonly setup: Setup }
  | { readonly kind: "input"; readonly prompt: string };

/**
 * Plays the answers of a recording. Which comes next is known from what the engine took into its history: an answer that it throws
 * away, to ask again, is given again.
 */
export class Playback {
  readonly provider: Provider;
  readonly log: SessionLog;
  readonly #steps: readonly Step[];
  readonly #book: CallBook;
  /** Of the first step that was not played. */
  #at = 0;

  constructor(steps: readonly Step[], book: CallBook) {
    this.#steps = steps;
    this.#book = book;
    this.provider = { name: "recording", stream: (_, signal) => this.#stream(signal) };
    this.log = {
      sessionId: "replay",
      append: (body) => {
        if (body.kind === "assistant") this.#answered();
        if (body.kind === "tool_finished") book.finished(body.result);
      },
      sync: () => Promise.resolve(),
    };
  }

  /** Answers that were not played yet. */
  get left(): number {
    return this.#steps.slice(this.#at).filter(({ kind }) => kind === "answer").length;
  }

  /** The next thing to do when the engine is at rest; undefined at the end. Words that got no answer are passed over. */
  next(): Move | undefined {
    let prompt: string | undefined;
    for (; this.#at < this.#steps.length; this.#at += 1) {
      const step = this.#steps[this.#at];
      if (step?.kind === "setup") {
        this.#at += 1;
        return { kind: "setup", setup: step };
      }
      if (step?.kind === "said") prompt = step.prompt;
      if (step?.kind === "answer") return { kind: "input", prompt: prompt ?? GO_ON };
    }
    return undefined;
  }

  async *#stream(signal: AbortSignal): AsyncGenerator<ProviderEvent> {
    signal.throwIfAborted();
    const answer = this.#nextAnswer();
    if (!answer) throw new ProviderError("The recorded turn has no further answer.", undefined);
    const { id: _, ...message } = this.#book.messageOf(answer);
    yield { type: "done", message };
  }

  /** The answer that belongs to the turn: before somebody's own words, or another process, nothing else is given. */
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
