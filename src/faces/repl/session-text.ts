import type { Question } from "../../contracts/question.ts";
import type { SessionEvent } from "../../protocol/session-port.ts";
import { AppendOnly } from "../../protocol/transcript/append-only.ts";
import { reduce, reduceAll } from "../../protocol/transcript/reduce.ts";
import { emptyTranscript, type Transcript } from "../../protocol/transcript/transcript.ts";
import { transcriptText } from "./view/transcript-text.ts";

/** A session as plain text, printed as it proceeds: each line is printed once, when it no longer changes. */
export class SessionText {
  readonly #id: string;
  #transcript: Transcript = emptyTranscript;
  #printed = 0;
  #asked: ReadonlySet<string> = new Set();

  /** @param id The id with which a person attaches to the session. */
  constructor(id: string) {
    this.#id = id;
  }

  /** @returns the lines that the event completes. */
  take(event: SessionEvent): readonly string[] {
    switch (event.type) {
      case "restored":
      case "earlier":
        this.#transcript = reduceAll(this.#transcript, event.events, 0);
        break;
      case "engine":
        this.#transcript = reduce(this.#transcript, event.event, 0);
        break;
      case "row":
        this.#transcript = reduce(this.#transcript, event, 0);
        break;
      case "questions":
        return [...this.#settled(), ...this.#ask(event.pending)];
      default:
        return [];
    }
    return this.#settled();
  }

  #settled(): readonly string[] {
    const { settled } = this.#transcript;
    const rows = settled.slice(this.#printed);
    this.#printed = settled.length;
    return rows.length === 0 ? [] : transcriptText({ ...emptyTranscript, settled: AppendOnly.of(...rows) });
  }

  #ask(pending: readonly Question[]): readonly string[] {
    const fresh = pending.filter(({ id }) => !this.#asked.has(id));
    this.#asked = new Set(pending.map(({ id }) => id));
    return fresh.map(({ title }) => `? ${title} (quoll attach ${this.#id})`);
  }
}
