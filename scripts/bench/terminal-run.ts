import { readdirSync, readFileSync } from "node:fs";
import { Terminal as Xterm } from "@xterm/headless";

const COLUMNS = 80;
const ROWS = 24;
const WAIT_MS = 60_000;
/** The unit of /proc/<pid>/stat; the same on all common Linux systems. */
const TICKS_PER_SECOND = 100;

/** A program in a real pseudo terminal that answers terminal queries. */
export class TerminalRun implements AsyncDisposable {
  readonly spawnedAtMs: number;
  readonly #xterm = new Xterm({ cols: COLUMNS, rows: ROWS, scrollback: 1_000, allowProposedApi: true });
  readonly #child: ReturnType<typeof Bun.spawn>;
  readonly #decoder = new TextDecoder();
  readonly #waiting = new Set<() => void>();
  #output = "";
  #bytes = 0;

  constructor(command: readonly string[], { cwd, env }: { cwd: string; env: Readonly<Record<string, string>> }) {
    this.spawnedAtMs = performance.now();
    this.#child = Bun.spawn([...command], {
      cwd,
      env: { ...env, TERM: "xterm-256color" },
      terminal: { cols: COLUMNS, rows: ROWS, data: (_, data) => this.#received(data) },
    });
    this.#xterm.onData((answer) => void this.#child.terminal?.write(answer));
  }

  /** Bytes that the program has written so far. */
  get bytes(): number {
    return this.#bytes;
  }

  type(text: string): void {
    this.#child.terminal?.write(text);
  }

  /** Waits until the program has written `wanted` in one piece. @returns the time of its bytes, in milliseconds of `performance.now()`. */
  wrote(wanted: string | RegExp): Promise<number> {
    return this.#when(wanted, () => this.#output);
  }

  /** Waits until the screen shows `wanted`, which may have been written in parts. @returns like `wrote`. */
  shows(wanted: string | RegExp): Promise<number> {
    return this.#when(wanted, () => this.#screen);
  }

  get #screen(): string {
    const { active } = this.#xterm.buffer;
    const rows = Array.from({ length: ROWS }, (_, row) => active.getLine(active.baseY + row)?.translateToString(true));
    return rows.join("\n");
  }

  async #when(wanted: string | RegExp, text: () => string): Promise<number> {
    const isThere = () => (typeof wanted === "string" ? text().includes(wanted) : wanted.test(text()));
    const { promise, resolve, reject } = Promise.withResolvers<number>();
    const check = () => isThere() && resolve(performance.now());
    const timer = setTimeout(
      () => reject(new Error(`Never written: ${wanted}\n${this.#output.slice(-2_000)}`)),
      WAIT_MS,
    );
    this.#waiting.add(check);
    check();
    try {
      return await promise;
    } finally {
      clearTimeout(timer);
      this.#waiting.delete(check);
    }
  }

  /** Waits until the program has written nothing for `ms`. */
  async quiet(ms: number): Promise<void> {
    const endsAtMs = performance.now() + WAIT_MS;
    for (let before = -1; before !== this.#bytes; ) {
      if (performance.now() > endsAtMs) throw new Error(`Never quiet:\n${this.#output.slice(-2_000)}`);
      before = this.#bytes;
      await Bun.sleep(ms);
    }
  }

  /** Clears the recorded output, so that `wrote` sees only new output. */
  forget(): void {
    this.#output = "";
  }

  /** User and system time of the process, in steps of 10 ms. Linux only. */
  cpuMs(): number {
    const fields = readFileSync(`/proc/${this.#child.pid}/stat`, "utf8").split(") ").at(-1)?.split(" ") ?? [];
    return ((Number(fields[11]) + Number(fields[12])) * 1_000) / TICKS_PER_SECOND;
  }

  /** The run time of each live thread in nanoseconds, by its id. Linux only. */
  threadTimes(): ReadonlyMap<string, number> {
    const tasks = `/proc/${this.#child.pid}/task`;
    const time = (id: string) => Number(readFileSync(`${tasks}/${id}/schedstat`, "utf8").split(" ")[0]);
    return new Map(readdirSync(tasks).map((id) => [id, time(id)]));
  }

  /** Linux only. */
  rssMb(): number {
    return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${this.#child.pid}/status`, "utf8"))?.[1]) / 1024;
  }

  /** The memory of the process, with its share of memory that several processes use. Linux only. */
  pssMb(): number {
    return Number(/^Pss:\s+(\d+)/m.exec(readFileSync(`/proc/${this.#child.pid}/smaps_rollup`, "utf8"))?.[1]) / 1024;
  }

  /** How often the threads have begun to run after a wait. Linux only. */
  wakeUps(): number {
    const tasks = `/proc/${this.#child.pid}/task`;
    const counts = readdirSync(tasks).map((id) => {
      const status = readFileSync(`${tasks}/${id}/status`, "utf8");
      return Number(/^voluntary_ctxt_switches:\s+(\d+)/m.exec(status)?.[1]);
    });
    return counts.reduce((sum, count) => sum + count, 0);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#child.exitCode === null) this.#child.kill("SIGKILL");
    await this.#child.exited;
    this.#child.terminal?.close();
    this.#xterm.dispose();
  }

  #received(data: Uint8Array): void {
    this.#bytes += data.length;
    this.#output += this.#decoder.decode(data, { stream: true });
    const check = () => {
      for (const one of this.#waiting) one();
    };
    check();
    this.#xterm.write(data, check);
  }
}
