import type { Entry } from "../contracts/session.ts";

/** The texts that the next prompt takes along, as the entries of a conversation determine them. */
export class NextPrompt {
  #notes: readonly string[] = [];
  /** True if a prompt came after the last turn. */
  #isPrompted = false;
  #isStopped = false;

  /** Commands that the person ran, and the like. */
  get notes(): readonly string[] {
    return this.#notes;
  }

  /** True if the last turn was interrupted, and no message has followed it. */
  get isStopped(): boolean {
    return this.#isStopped;
  }

  add(entry: Extract<Entry, { kind: "user" | "note" | "turn_finished" }>): void {
    switch (entry.kind) {
      case "note":
        this.#notes = [...this.#notes, entry.text];
        return;
      case "user":
        if (entry.by === undefined) this.#notes = [];
        this.#isPrompted = true;
        this.#isStopped = false;
        return;
      case "turn_finished":
        if (this.#isPrompted) this.#isStopped = entry.reason === "aborted";
        this.#isPrompted = false;
        return;
    }
  }

  clear(): void {
    this.#notes = [];
    this.#isPrompted = false;
    this.#isStopped = false;
  }
}
