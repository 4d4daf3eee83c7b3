import { AppendFile } from "../../../platform/append-file.ts";

/** The size beyond which a log receives only its last line. */
const MAX_LOG_BYTES = 16 * 1024 * 1024;

/**
 * The growing output file of an agent (0600), created at the first line. An error ends the log file, never the agent.
 */
export class AgentLog {
  readonly path: string;
  readonly #fault: (error: unknown) => void;
  #file: AppendFile | undefined;
  #isOver = false;

  /** @param fault Called once if the file can't be written. */
  constructor(path: string, fault: (error: unknown) => void) {
    this.path = path;
    this.#fault = fault;
  }

  add(text: string): void {
    if (this.#isOver) return;
    if ((this.#file?.size ?? 0) > MAX_LOG_BYTES) return;
    this.#write(text);
  }

  /** Writes the last line and closes the file. */
  end(text: string): void {
    if (this.#isOver) return;
    this.#write(text);
    this.#close();
  }

  #write(text: string): void {
    try {
      this.#file ??= new AppendFile(this.path);
      this.#file.append(`${text}\n`);
    } catch (error) {
      this.#close();
      this.#fault(error);
    }
  }

  #close(): void {
    this.#isOver = true;
    this.#file?.close();
    this.#file = undefined;
  }
}
