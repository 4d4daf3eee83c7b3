import type { Clock } from "../../src/contracts/ports.ts";
import { decodeKeys, emptyDecoder, flushKeys, type KeyEvent } from "../../src/faces/repl/input/decode-keys.ts";
import { ReplController } from "../../src/faces/repl/repl-controller.ts";
import type { ReplResult } from "../../src/faces/repl/repl-props.ts";
import type { Size } from "../../src/faces/repl/repl-screen-state.ts";
import { AlternateScreen } from "../../src/faces/repl/viewer/alternate-screen.ts";
import type { SessionPort } from "../../src/protocol/session-port.ts";
import { noColors } from "./no-colors.ts";

const SIZE: Size = { columns: 80, rows: 24 };

/** The REPL's screen without a terminal and without Ink, on a session that is given. */
export function screenStage(port: SessionPort, clock: Clock, size = SIZE, freeMemory?: () => void) {
  const results: ReplResult[] = [];
  const controller = new ReplController({
    props: {
      terminal: { stdin: process.stdin, stdout: process.stdout, stderr: process.stderr, isPlain: true },
      info: { version: "0.1.0", cwd: "~/src/shop", branch: () => "main*", notices: [] },
      history: { load: async () => [], add: async () => undefined },
      clock,
      ...(freeMemory && { freeMemory }),
    },
    port,
    theme: noColors(),
    size,
    leave: (result) => results.push(result),
    failed: (error) => {
      throw error;
    },
    lease: (run) => run(),
    alternate: new AlternateScreen(process.stdout),
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
