import { oneLine } from "@quoll/terminal-text/one-line";
import type { ServerNotice } from "./session/server-notices.ts";

type LogNotice = Extract<ServerNotice, { kind: "log" }>;

/** The maximum number of warnings kept for one server. */
const MAX_WARNINGS = 20;
const MAX_COLUMNS = 300;
/** The syslog levels from which a message is a warning. */
const WARNINGS: ReadonlySet<string> = new Set(["warning", "error", "critical", "alert", "emergency"]);

/** The messages that one server logs: the newest warnings are kept, and all messages go to the debug log. */
export class ServerLog {
  readonly #toDebugLog: ((line: string) => void) | undefined;
  #warnings: readonly string[] = [];

  constructor(toDebugLog: ((line: string) => void) | undefined) {
    this.#toDebugLog = toDebugLog;
  }

  /** Oldest first. */
  get warnings(): readonly string[] {
    return this.#warnings;
  }

  /** The lowest useful level; servers are asked not to send messages below it. */
  get level(): string {
    return this.#toDebugLog ? "debug" : "warning";
  }

  /** @returns true if the warnings changed. */
  add({ level, logger, data }: LogNotice): boolean {
    const text = typeof data === "string" ? data : (JSON.stringify(data) ?? "");
    const from = logger === undefined ? "" : `${logger}: `;
    const line = oneLine(`${level}: ${from}${text}`, MAX_COLUMNS);
    this.#toDebugLog?.(line);
    if (!WARNINGS.has(level) || this.#warnings.at(-1) === line) return false;
    this.#warnings = [...this.#warnings, line].slice(-MAX_WARNINGS);
    return true;
  }
}
