import type { SessionConfig } from "../../contracts/session-config.ts";

/** Tells the person one line: in the conversation, where somebody reads one and it is open, else as a warning. */
export class PersonNotices {
  readonly #warn: (line: string) => void;
  readonly #isAnswered: boolean;
  readonly #isRead: boolean;
  #conversation: { tell(line: string): void } | undefined;

  constructor(
    { answerer, tellsByEvents }: Pick<SessionConfig, "answerer" | "tellsByEvents">,
    warn: (line: string) => void,
  ) {
    this.#warn = warn;
    this.#isAnswered = answerer !== "nobody";
    this.#isRead = this.#isAnswered || tellsByEvents === true;
  }

  readonly tell = (line: string): void => {
    const conversation = this.#isRead ? this.#conversation : undefined;
    conversation?.tell(line);
    if (!conversation || !this.#isAnswered) this.#warn(line);
  };

  /** From now on lines belong into this conversation. */
  tellBy(conversation: { tell(line: string): void }): void {
    this.#conversation = conversation;
  }

  /** The session is being closed: nobody reads the conversation any more. */
  stop(): void {
    this.#conversation = undefined;
  }
}
