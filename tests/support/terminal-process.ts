import { Terminal as Xterm } from "@xterm/headless";
import { WAIT_MS } from "./eventually.ts";

type Options = {
  readonly columns?: number;
  readonly rows?: number;
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd?: string;
  /** How long output is on its way to the terminal. */
  readonly lagMs?: number;
  /** Gets what the program writes, as it comes. */
  readonly onOutput?: (text: string) => void;
};

/** Stands in the status line while a question waits, at 40 columns without the words after it. */
const ASKING = "waiting for you";
/** The row of an empty prompt, with what it tells one to do. */
export const EMPTY_PROMPT = /^›(?: (?:Say what you|Say what comes|Write what|Go on where)[^\n]*)?$/m;
/** Stands in a question that leaves the keys to somebody who types. */
const HELD = /You are typing|Pause a second/;

/**
 * A program in a real pseudo terminal, its screen kept by xterm.js. Ended at the end of its scope:
 * `await using terminal = terminalProcess(["bun", "x.ts"])`.
 */
export function terminalProcess(
  command: readonly string[],
  { columns = 80, rows = 24, env = {}, cwd, lagMs, onOutput }: Options = {},
) {
  // VS Code's terminal tells its size too.
  const windowOptions = { getWinSizeChars: true };
  const xterm = new Xterm({ cols: columns, rows, scrollback: 20_000, allowProposedApi: true, windowOptions });
  const decoder = new TextDecoder();
  let output = "";
  let waiters: (() => void)[] = [];
  const wake = () => {
    const now = waiters;
    waiters = [];
    for (const waiter of now) waiter();
  };
  const { CI: _, CONTINUOUS_INTEGRATION: __, NO_COLOR: ___, ...inherited } = process.env;
  const child = Bun.spawn([...command], {
    ...(cwd !== undefined && { cwd }),
    env: { ...inherited, TERM: "xterm-256color", NODE_ENV: "production", ...env },
    terminal: {
      cols: columns,
      rows,
      data(_terminal, data) {
        const text = decoder.decode(data, { stream: true });
        output += text;
        onOutput?.(text);
        if (lagMs === undefined) xterm.write(data, wake);
        else setTimeout((late: Uint8Array) => xterm.write(late, wake), lagMs, data.slice());
      },
    },
  });
  const { terminal } = child;
  if (!terminal) throw new Error("The child has no terminal.");
  // Typed text never ends in the middle of a key; answers of the terminal go back as a real one would send them.
  xterm.onData((data) => void terminal.write(data));

  const lines = (from: number, to: number) =>
    Array.from(
      { length: Math.max(0, to - from) },
      (_, at) => xterm.buffer.active.getLine(from + at)?.translateToString(true) ?? "",
    );

  return {
    xterm,
    child,
    /** Everything that was written to the terminal, as it was written. */
    get output() {
      return output;
    },
    /** The text on the screen. */
    get screen(): string {
      const top = xterm.buffer.active.baseY;
      return lines(top, top + xterm.rows)
        .join("\n")
        .trimEnd();
    },
    /** The screen and what was scrolled away. */
    get all(): string {
      return lines(0, xterm.buffer.active.length).join("\n").trimEnd();
    },
    get cursor() {
      const { cursorX, cursorY } = xterm.buffer.active;
      return { x: cursorX, y: cursorY };
    },
    type(text: string) {
      terminal.write(text);
    },
    resize(newColumns: number, newRows: number) {
      xterm.resize(newColumns, newRows);
      terminal.resize(newColumns, newRows);
    },
    /** Resizes the window step by step, as the mouse does. */
    async drag(sizes: readonly { readonly columns: number; readonly rows: number }[], stepMs: number): Promise<void> {
      for (const size of sizes) {
        this.resize(size.columns, size.rows);
        await Bun.sleep(stepMs);
      }
    },
    /** Waits until the screen shows something. @throws {Error} with the screen, when it doesn't in time. */
    async shows(wanted: string | RegExp | (() => boolean)): Promise<void> {
      const isThere = () =>
        typeof wanted === "function"
          ? wanted()
          : typeof wanted === "string"
            ? this.screen.includes(wanted)
            : wanted.test(this.screen);
      const until = Date.now() + WAIT_MS;
      while (!isThere()) {
        if (Date.now() > until) throw new Error(`Never shown: ${String(wanted)}. The screen:\n${this.screen}`);
        const changed = new Promise<void>((resolve) => waiters.push(resolve));
        const timer = Promise.withResolvers<void>();
        const id = setTimeout(timer.resolve, 100);
        await Promise.race([changed, timer.promise]);
        clearTimeout(id);
      }
    },
    /** Waits until the question on the screen takes keys: one that came while somebody typed lets them finish. */
    async asks(): Promise<void> {
      await this.shows(() => this.screen.includes(ASKING) && !HELD.test(this.screen));
    },
    /** Answers the question on the screen. One that has just come takes no key from somebody who types: it is given again. */
    async answers(key: string): Promise<void> {
      const question = this.screen;
      let next = 0;
      await this.shows(() => {
        // A screen that is half redrawn has no question either, before any key was sent.
        if (next > 0 && this.screen !== question && !this.screen.includes(ASKING)) return true;
        const now = Date.now();
        if (now >= next && this.screen.includes(ASKING) && !HELD.test(this.screen)) {
          terminal.write(key);
          next = now + 500;
        }
        return false;
      });
    },
    /** Leaves, also if a turn that is just ending makes `/exit` ask once. @returns the exit code. */
    async leaves(): Promise<number> {
      terminal.write("/exit\r");
      await this.shows(() => child.exitCode !== null || this.screen.includes("enter again"));
      if (child.exitCode === null) terminal.write("\r");
      return child.exited;
    },
    /** Waits until nothing was written for a while. */
    async rests(): Promise<void> {
      for (let written = -1; written !== output.length; ) {
        written = output.length;
        await Bun.sleep(150);
      }
    },
    async [Symbol.asyncDispose]() {
      if (child.exitCode === null) child.kill("SIGKILL");
      await child.exited;
      terminal.close();
      xterm.dispose();
    },
  };
}
