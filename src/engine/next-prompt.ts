import type { Entry } from "../contracts/session.ts";

const UNFINISHED = ["aborted", "failed"] as const;

/** `failed`: a request to the model failed. */
export type UnfinishedTurn = (typeof UNFINISHED)[number];

/** The texts that the next prompt takes along, as the entries of a conversation determine them. */
export class NextPrompt {
  #notes: readonly string[] = [];
  /** True if a prompt came after the last turn. */
  #isPrompted = false;
  #unfinished: UnfinishedTurn | undefined;

  /** Commands that the person ran, and the like. */
  get notes(): readonly string[] {
    return this.#notes;
  }

  /** Why the last turn was not done; undefined if it was, or if a message has followed it. */
  get unfinished(): UnfinishedTurn | undefined {
    return this.#unfinished;
  }

  add(entry: Extract<Entry, { kind: "user" | "note" | "turn_finished" }>): void {
    switch (entry.kind) {
      case "note":
        this.#notes = [...this.#notes, entry.text];
        return;
      case "user":
        if (entry.by === undefined) this.#notes = [];
        this.#isPrompted = true;
        this.#unfinished = undefined;
        return;
      case "turn_finished":
        if (this.#isPrompted) this.#unfinished = UNFINISHED.find((reason) => reason === entry.reason);
        this.#isPrompted = false;
        return;
    }
  }

  clear(): void {
    this.#notes = [];
    this.#isPrompted = false;
    this.#unfinished = undefined;
  }
}
