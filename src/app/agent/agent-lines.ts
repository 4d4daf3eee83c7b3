import { oneLine } from "@quoll/terminal-text/one-line";
import type { AgentSign } from "../../contracts/agent-scope.ts";

export const MAX_LINE_COLUMNS = 200;
/** The maximum number of lines about a running agent that wait for TaskOutput; older lines are dropped. */
const MAX_UNREAD = 60;

/** The lines about a running agent that TaskOutput has not read yet. */
export class AgentLines {
  readonly #unread: string[] = [];
  readonly #log: (text: string) => void;
  #dropped = 0;

  /** @param log Gets each line in full. */
  constructor(log: (text: string) => void) {
    this.#log = log;
  }

  note(sign: AgentSign): void {
    if (sign.kind === "call") this.#add(`> ${sign.toolName} ${sign.title}`);
    else if (sign.kind === "question") this.#add(`waits for an answer of the user: ${sign.text}`);
    else if (sign.kind === "words" && sign.text.trim() !== "") this.#add(sign.text);
  }

  /** Returns each line once; a first line counts those that were dropped. */
  take(): string {
    const lines = this.#unread.splice(0);
    const dropped = this.#dropped === 0 ? [] : [`… ${this.#dropped} earlier lines`];
    this.#dropped = 0;
    return [...dropped, ...lines].join("\n");
  }

  #add(text: string): void {
    this.#log(text);
    this.#unread.push(oneLine(text, MAX_LINE_COLUMNS));
    if (this.#unread.length <= MAX_UNREAD) return;
    this.#unread.shift();
    this.#dropped += 1;
  }
}
