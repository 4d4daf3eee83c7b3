/** A program's output as a file of asciicast, version 2: a header, then a line for each part with its time in seconds. */
export class Recording {
  readonly #startedAtMs = performance.now();
  readonly #lines: string[] = [];
  readonly #size: { readonly columns: number; readonly rows: number };

  constructor(size: { readonly columns: number; readonly rows: number }) {
    this.#size = size;
  }

  add(text: string): void {
    const seconds = Math.round(performance.now() - this.#startedAtMs) / 1_000;
    this.#lines.push(JSON.stringify([seconds, "o", text]));
  }

  /** The file. @param title For its header. */
  cast(title: string): string {
    const { columns: width, rows: height } = this.#size;
    const header = { version: 2, width, height, title, env: { TERM: "xterm-256color" } };
    return `${[JSON.stringify(header), ...this.#lines].join("\n")}\n`;
  }
}
