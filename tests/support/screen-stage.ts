import { paletteOf } from "../../src/contracts/palettes.ts";
import type { Clock } from "../../src/contracts/ports.ts";
import { decodeKeys, emptyDecoder, flushKeys, type KeyEvent } from "../../src/faces/repl/input/decode-keys.ts";
import { ReplController } from "../../src/faces/repl/repl-controller.ts";
import type { ReplResult, ReplTerminal, ScreenProps } from "../../src/faces/repl/repl-props.ts";
import type { Size } from "../../src/faces/repl/repl-screen-state.ts";
import { ScreenTheme } from "../../src/faces/repl/terminal/screen-theme.ts";
import { AlternateScreen } from "../../src/faces/repl/viewer/alternate-screen.ts";
import type { SessionPort } from "../../src/protocol/session-port.ts";
import { noColors } from "./no-colors.ts";

const SIZE: Size = { columns: 80, rows: 24 };

type Look = {
  /** With a terminal, the screen is the one that a person sees there; without, it has no colours and no alternate screen. */
  readonly terminal?: Partial<ReplTerminal>;
  readonly props?: Partial<Pick<ScreenProps, "info" | "prompt" | "keybindings" | "history" | "editFile">>;
  /** Gets what is written on the alternate screen. */
  readonly alternate?: (text: string) => void;
  readonly freeMemory?: () => void;
};

/** The REPL's screen without a terminal and without Ink, on a session that is given. */
export function screenStage(port: SessionPort, clock: Clock, size = SIZE, look: Look = {}) {
  const { freeMemory, alternate } = look;
  const results: ReplResult[] = [];
  const terminal = {
    stdin: process.stdin,
    stdout: process.stdout,
    stderr: process.stderr,
    ...look.terminal,
  };
  const write = (text: string | Uint8Array) => {
    alternate?.(String(text));
    return true;
  };
  const controller = new ReplController({
    props: {
      terminal,
      info: { version: "0.1.0", cwd: "~/src/shop", branch: () => "main*", notices: [] },
      history: { load: async () => [], add: async () => undefined },
      clock,
      ...(freeMemory && { freeMemory }),
      ...look.props,
    },
    port,
    theme: look.terminal
      ? new ScreenTheme(terminal, undefined, { isStill: look.props?.prompt?.reducedMotion, paletteOf })
      : noColors(),
    size,
    leave: (result) => results.push(result),
    failed: (error) => {
      throw error;
    },
    lease: (run) => run(),
    alternate: new AlternateScreen(alternate ? { write } : process.stdout),
    uncovered: () => undefined,
  });
  return {
    controller,
    results,
    /** Presses keys as a terminal would send them. */
    type(text: string) {
      const decoded = decodeKeys(emptyDecoder, text);
      const events = [...decoded.events, ...flushKeys(decoded.decoder).events];
      controller.keys(events.filter((event): event is KeyEvent => event.type !== "report"));
    },
    /** The settled rows, and the live frame below them. */
    get text(): string {
      const { printed, frame } = controller.screen.snapshot;
      return [...printed.slice().map(({ text }) => text), ...frame.lines].join("\n");
    },
    [Symbol.dispose]: () => controller.end(),
  };
}
