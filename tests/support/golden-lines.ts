import { approvalQuestion, trustQuestion } from "../../src/faces/repl/layers/start-questions.ts";
import { trustLines } from "../../src/faces/repl/layers/trust-layer.ts";
import { emptyTrustState } from "../../src/faces/repl/layers/trust-state.ts";
import type { ReplTerminal } from "../../src/faces/repl/repl-props.ts";
import type { Size } from "../../src/faces/repl/repl-screen-state.ts";
import { paintFirst } from "../../src/faces/repl/terminal/first-paint.ts";
import type { Theme } from "../../src/faces/repl/view/theme.ts";

/** The lines of the first paint, as they are written to a terminal of this width. */
export function paintedLines(
  columns: number,
  theme: Theme & { readonly background: "dark" | "light" },
): readonly string[] {
  const written: string[] = [];
  const nothing = () => undefined;
  const stdin = {
    setRawMode: nothing,
    setEncoding: nothing,
    on: nothing,
    off: nothing,
    pause: nothing,
    resume: nothing,
  };
  const stdout = { columns, write: (text: string) => written.push(text) };
  const terminal = {
    stdin,
    stdout,
    stderr: stdout,
    colorLevel: 3,
    background: theme.background,
  } as unknown as ReplTerminal;
  const paint = paintFirst(terminal, { version: "0.1.0", cwd: "~/src/shop" }, () => undefined);
  const [painted = ""] = written;
  paint.dispose();
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the movement of the cursor at the end.
  return painted.replace(/\u001b\[1A\r\u001b\[2C$/, "").split("\r\n");
}

const REASONS = [
  "allows Bash(npm test *) without asking (.quoll/settings.json:4)",
  "sets the variable NODE_OPTIONS for every command (.quoll/settings.json:9)",
  "runs the hook 漢字.sh (.quoll/hooks:1)",
];

/** The question whether a folder is trusted. */
export function trustBox({ columns, rows }: Size, theme: Theme): readonly string[] {
  const question = trustQuestion({ root: "/home/robin/店/shop", reasons: REASONS, items: [] });
  return trustLines(question, emptyTrustState(question, 0), { theme, columns, rows }).lines;
}

/** The question about content of a trusted folder that has changed. */
export function approvalBox({ columns, rows }: Size, theme: Theme): readonly string[] {
  const items = [{ kind: "hook", name: "b", content: "b", lines: [] }] as const;
  const question = approvalQuestion({ root: "/home/robin/shop", reasons: REASONS, items, hasChangedHook: true });
  return trustLines(question, emptyTrustState(question, 0), { theme, columns, rows }).lines;
}
