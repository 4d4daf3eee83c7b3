import type { Clock, Ids } from "../../contracts/ports.ts";
import { uuidOf, type WireLine } from "./wire-format.ts";

/** After stdin has ended, an occasional line detects that the reader has exited too. */
const KEEP_ALIVE_MS = 15_000;

export type WriterDeps = {
  readonly clock: Clock;
  readonly ids: Ids;
  out(text: string): void;
  err(line: string): void;
};

/** Writes the lines of a session. Lines from before the session is known wait for the first turn. */
export class SessionWriter {
  readonly #deps: WriterDeps;
  #sessionId: string | undefined;
  #early: WireLine[] | undefined = [];

  constructor(deps: WriterDeps) {
    this.#deps = deps;
  }

  /** Writes any line unchanged. */
  write(line: WireLine): void {
    this.#deps.out(`${JSON.stringify(line)}\n`);
  }

  /** Writes a line of the session after the first line of a turn. */
  writeInTurn(line: WireLine): void {
    if (this.#early) this.#early.push(line);
    else this.#stamped(line);
  }

  remark(content: string, level: "notice" | "warning" = "notice"): void {
    this.writeInTurn({ type: "system", subtype: "informational", content, level });
  }

  /** Reports an unusable input to the program and on stderr. */
  reportProblem(line: string): void {
    this.#deps.err(line);
    this.remark(line, "warning");
  }

  /** The session is open. */
  opened(sessionId: string): void {
    this.#sessionId = sessionId;
  }

  /** Writes the first line of a turn. */
  begin(line: WireLine): void {
    this.#stamped(line);
    this.flush();
  }

  /** Writes the waiting lines; if there is no session they are dropped. */
  flush(): void {
    const early = this.#early ?? [];
    this.#early = undefined;
    if (this.#sessionId !== undefined) for (const line of early) this.#stamped(line);
  }

  /** Runs until `signal` aborts. */
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
