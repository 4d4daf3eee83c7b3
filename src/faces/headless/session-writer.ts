import type { Clock, Ids } from "../../contracts/ports.ts";
import { uuidOf, type WireLine } from "./wire-format.ts";

/** While nothing can come in any more, a line now and then finds out that nobody reads us either. */
const KEEP_ALIVE_MS = 15_000;

export type WriterDeps = {
  readonly clock: Clock;
  readonly ids: Ids;
  out(text: string): void;
  err(line: string): void;
};

/** Writes the lines of a session. What is told before it is known which session it is waits for the first turn. */
export class SessionWriter {
  readonly #deps: WriterDeps;
  #sessionId: string | undefined;
  #early: WireLine[] | undefined = [];

  constructor(deps: WriterDeps) {
    this.#deps = deps;
  }

  /** Any line, as it is. */
  write(line: WireLine): void {
    this.#deps.out(`${JSON.stringify(line)}\n`);
  }

  /** A line of the session, in its place behind the first line of a turn. */
  tell(line: WireLine): void {
    if (this.#early) this.#early.push(line);
    else this.#stamped(line);
  }

  remark(content: string, level: "notice" | "warning" = "notice"): void {
    this.tell({ type: "system", subtype: "informational", content, level });
  }

  /** What came in can't be used: said to the program and on stderr, and nothing else happens. */
  reportProblem(line: string): void {
    this.#deps.err(line);
    this.remark(line, "warning");
  }

  /** The session is there. */
  opened(sessionId: string): void {
    this.#sessionId = sessionId;
  }

  /** The first line of a turn. */
  begin(line: WireLine): void {
    this.#stamped(line);
    this.flush();
  }

  /** Tells what waited; without a session there is nobody to tell it of. */
  flush(): void {
    const early = this.#early ?? [];
    this.#early = undefined;
    if (this.#sessionId !== undefined) for (const line of early) this.#stamped(line);
  }

  /** Until `signal` aborts. */
  keepAlive(signal: AbortSignal): void {
    const beat = async () => {
      for (;;) {
        await this.#deps.clock.sleep(KEEP_ALIVE_MS, signal);
        this.write({ type: "keep_alive" });
      }
    };
    beat().catch(() => undefined);
  }

  #stamped(line: WireLine): void {
    this.write({ ...line, session_id: this.#sessionId ?? "", uuid: uuidOf(line, this.#deps.ids) });
  }
}
