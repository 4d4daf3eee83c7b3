import { randomUUID } from "node:crypto";
import { WAIT_MS } from "./eventually.ts";

type Options = {
  readonly columns?: number;
  readonly rows?: number;
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd?: string;
  /** True if tmux passes keys with modifiers on. */
  readonly extendedKeys?: boolean;
  /** Lines that tmux keeps above the screen. */
  readonly historyLines?: number;
};

const LOOK_MS = 40;
const DRAG_STEP_S = 0.03;
/** Longer than a question that has just come takes no key. */
const PRESS_AGAIN_MS = 1_500;

/**
 * A program in a pane of tmux, on a server of its own. Ended with its server at the end of its scope. Needs tmux: without it
 * a test fails.
 */
export async function tmuxProcess(
  command: readonly string[],
  { columns = 80, rows = 24, env = {}, cwd = process.cwd(), extendedKeys = false, historyLines = 2_000 }: Options = {},
) {
  const socket = `quoll-test-${randomUUID()}`;
  const tmuxWith = async (stdin: string, ...args: readonly string[]): Promise<string> => {
    const child = Bun.spawn(["tmux", "-L", socket, "-f", "/dev/null", ...args], {
      stdin: Buffer.from(stdin),
      stdout: "pipe",
      stderr: "pipe",
    });
    const [output, errors, code] = await Promise.all([
      new Response(child.stdout).text(),
      new Response(child.stderr).text(),
      child.exited,
    ]);
    if (code !== 0) throw new Error(`tmux ${args[0]} failed: ${errors}`);
    return output;
  };
  const tmux = (...args: readonly string[]) => tmuxWith("", ...args);
  const quoted = command.map((part) => `'${part.replaceAll("'", "'\\''")}'`).join(" ");
  const variables = Object.entries({ NODE_ENV: "production", ...env }).flatMap(([name, value]) => [
    "-e",
    `${name}=${value}`,
  ]);
  const size = ["-x", String(columns), "-y", String(rows)];
  const session = ["new-session", "-d", "-s", "test", ...size, "-c", cwd, ...variables];
  const option = ["set-option", "-s", "extended-keys", extendedKeys ? "on" : "off"];
  const history = ["set-option", "-g", "history-limit", String(historyLines)];
  await tmux("start-server", ";", ...option, ";", ...history, ";", ...session, `env -u CI -u NO_COLOR ${quoted}`);
  const capture = async (...from: readonly string[]) =>
    (await tmux("capture-pane", "-p", "-t", "test", ...from)).trimEnd();

  return {
    /** The text on the screen. */
    screen: () => capture(),
    /** The screen with the codes of its styles. */
    styled: () => capture("-e"),
    /** The screen and what was scrolled away. */
    all: () => capture("-S", "-"),
    /** The first rows of the screen as a person copies them. */
    async copied(rows: number): Promise<string> {
      const keys = ["top-line", "start-of-line", "begin-selection"].map((name) => [
        "send-keys",
        "-t",
        "test",
        "-X",
        name,
      ]);
      const down = ["send-keys", "-t", "test", "-X", "-N", String(rows), "cursor-down"];
      const copy = [
        // With the keys of vi, which EDITOR may choose, a selection holds the character below the cursor.
        ["set-option", "-w", "-t", "test", "mode-keys", "emacs"],
        ["copy-mode", "-t", "test"],
        ...keys,
        down,
        ["send-keys", "-t", "test", "-X", "copy-selection-and-cancel"],
      ];
      for (const command of copy) await tmux(...command);
      return tmux("show-buffer");
    },
    /** Lines that were scrolled away. */
    historySize: async () => Number(await tmux("display-message", "-p", "-t", "test", "#{history_size}")),
    pid: async () => Number(await tmux("display-message", "-p", "-t", "test", "#{pane_pid}")),
    /** The title that the program gave its window. */
    title: async () => (await tmux("display-message", "-p", "-t", "test", "#{pane_title}")).trimEnd(),
    /** A text from tmux's own clipboard, between marks if the program asked for them. */
    async paste(text: string): Promise<void> {
      await tmuxWith(text, "load-buffer", "-");
      await tmux("paste-buffer", "-p", "-d", "-t", "test");
    },
    /** From now on, everything that the program writes goes to this file too, as it is written. */
    recordTo: (file: string) => tmux("pipe-pane", "-t", "test", "-O", `cat > '${file}'`),
    /** Ends the server, and with it the terminal. */
    close: () => tmux("kill-server"),
    type: (text: string) => tmux("send-keys", "-t", "test", "-l", text),
    /** A key by the name that tmux has for it: `Enter`, `Escape`, `C-c`. */
    press: (key: string) => tmux("send-keys", "-t", "test", key),
    resize: (newColumns: number, newRows: number) =>
      tmux("resize-window", "-t", "test", "-x", String(newColumns), "-y", String(newRows)),
    /** Resizes the window step by step, as the mouse does: tmux itself keeps the time between the steps. */
    drag: (sizes: readonly { readonly columns: number; readonly rows: number }[]) =>
      tmux(
        ...sizes.flatMap(({ columns: x, rows: y }, at) => [
          ...(at > 0 ? [";", "run-shell", `sleep ${DRAG_STEP_S}`, ";"] : []),
          ...["resize-window", "-t", "test", "-x", String(x), "-y", String(y)],
        ]),
      ),
    /** Waits until the screen shows something. @throws {Error} with the screen, when it doesn't in time. */
    async shows(wanted: string | RegExp, waitMs = WAIT_MS): Promise<void> {
      const until = Date.now() + waitMs;
      for (;;) {
        const screen = await capture();
        if (typeof wanted === "string" ? screen.includes(wanted) : wanted.test(screen)) return;
        if (Date.now() > until) throw new Error(`Never shown: ${String(wanted)}. The screen:\n${screen}`);
        await Bun.sleep(LOOK_MS);
      }
    },
    /** Presses a key until it has an effect: a question that has just come takes none from somebody who types. */
    async pressUntil(key: string, wanted: string | RegExp): Promise<void> {
      for (let left = 6; ; left -= 1) {
        await tmux("send-keys", "-t", "test", key);
        const isShown = await this.shows(wanted, PRESS_AGAIN_MS).then(
          () => true,
          () => false,
        );
        if (isShown) return;
        if (left === 0) throw new Error(`${key} never led to: ${String(wanted)}. The screen:\n${await capture()}`);
      }
    },
    async [Symbol.asyncDispose]() {
      await tmux("kill-server").catch(() => undefined);
    },
  };
}
