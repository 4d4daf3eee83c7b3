import { resolve } from "node:path";
import type { Message } from "../../../contracts/message.ts";
import { elementsIn } from "./instruction-element.ts";
import { sameText } from "./read-instruction.ts";

/**
 * The instruction files that the model sees in its conversation. This class reads the texts from the messages, so a
 * resumed, forked, cleared or compacted conversation needs no separate record.
 */
export class SentInstructions {
  readonly #messages: () => readonly Message[];
  readonly #places: { readonly projectRoot: string; readonly home: string };
  #of: readonly Message[] | undefined;
  #count = 0;
  #paths = new Set<string>();
  #texts = new Set<string>();
  /** Files of messages that the model no longer sees. */
  #earlier = new Set<string>();

  /**
   * @param messages The messages currently sent to the model: the list grows in place, and is replaced if old messages
   * change.
   */
  constructor(messages: () => readonly Message[], places: { readonly projectRoot: string; readonly home: string }) {
    this.#messages = messages;
    this.#places = places;
  }

  /** Absolute paths, in the order in which they were sent. */
  get paths(): readonly string[] {
    this.#read();
    return [...this.#paths];
  }

  /** Files that the model saw in this process and no longer sees. */
  get lost(): readonly string[] {
    this.#read();
    return [...this.#earlier].filter((path) => !this.#paths.has(path));
  }

  /** A file that was lost is on its way to the model again. */
  restore(path: string): void {
    this.#earlier.delete(path);
  }

  /** Called when another conversation has replaced this one: no text counts as lost then. */
  forget(): void {
    this.#of = undefined;
    this.#earlier.clear();
    this.#paths.clear();
  }

  /** True if the model sees this file, or the same text from another file. */
  has(path: string, sameAs: string): boolean {
    this.#read();
    return this.#paths.has(path) || this.#texts.has(sameAs);
  }

  /** True if the model sees exactly this text. */
  hasText(sameAs: string): boolean {
    this.#read();
    return this.#texts.has(sameAs);
  }

  #read(): void {
    const messages = this.#messages();
    if (messages !== this.#of) {
      this.#of = messages;
      this.#count = 0;
      for (const path of this.#paths) this.#earlier.add(path);
      this.#paths = new Set();
      this.#texts = new Set();
    }
    for (const { role, content } of messages.slice(this.#count)) {
      if (role !== "user") continue;
      // A tool's result may show such an element from a file, so only text blocks count.
      for (const block of content) if (block.type === "text") this.#note(block.text);
    }
    this.#count = messages.length;
  }

  #note(text: string): void {
    const { projectRoot, home } = this.#places;
    for (const { name, body } of elementsIn(text)) {
      this.#paths.add(name.startsWith("~/") ? resolve(home, name.slice(2)) : resolve(projectRoot, name));
      this.#texts.add(sameText(body));
    }
  }
}
