import { type Instance, render } from "ink";
import { errorMessage } from "../../contracts/errors.ts";
import { inkStdout } from "./ink-stdout.ts";
import { ReplController } from "./repl-controller.ts";
import type { ReplHandle, ReplProps, ReplResult } from "./repl-props.ts";
import { eraseReflowed } from "./resize-guard.ts";
import { DrawingBoundary, Screen } from "./screen.tsx";
import { readKeys } from "./terminal-input.ts";
import { enterTerminal } from "./terminal-modes.ts";
import { emptyFrame, type Frame } from "./view/live-frame.ts";
import { colorLevelOf, themeFor } from "./view/theme.ts";

/** Ink's own limit: ours (20 a second for a stream, at once for a key) comes before it. */
const MAX_FPS = 60;

/** Runs the REPL until the person leaves. Never throws; a fault of ours is one line on stderr and exit code 1. */
export async function runRepl(props: ReplProps): Promise<ReplResult> {
  return startRepl(props).done;
}

/** As `runRepl`, with the handle that signal handlers need. */
export function startRepl(props: ReplProps): ReplHandle {
  const { terminal, clock } = props;
  const { stdin, stdout, stderr } = terminal;
  const { promise, resolve } = Promise.withResolvers<ReplResult>();
  const level = terminal.colorLevel ?? colorLevelOf(stdout.getColorDepth?.() ?? 1);
  const size = sizeOf(stdout);
  const controller = new ReplController({ props, theme: themeFor(level), size, leave: finish, failed: fail });
  let painted: Frame = emptyFrame;
  let ink: Instance | undefined;
  let isFinished = false;

  const leaveTerminal = enterTerminal(terminal);
  const input = readKeys({
    stdin,
    clock,
    keys: (events) => guarded(() => controller.keys(events)),
    closed: () => controller.leave({ exitCode: 129 }),
  });
  const onResize = () => {
    stdout.write(eraseReflowed(painted, sizeOf(stdout).columns));
    guarded(() => controller.resize(sizeOf(stdout)));
  };
  // Before Ink's own listener: it erases the frame by the rows that it remembers.
  stdout.on("resize", onResize);
  guarded(() => controller.start());
  const onPainted = (frame: Frame) => {
    painted = frame;
  };
  // React must have ended its own work before the tree is taken down.
  const onDrawingFailed = (error: unknown) => queueMicrotask(() => fail(error));
  const tree = (
    <DrawingBoundary failed={onDrawingFailed}>
      <Screen screen={controller.screen} painted={onPainted} />
    </DrawingBoundary>
  );
  ink = render(tree, {
    stdin,
    stdout: inkStdout(stdout, () => painted.lines.length),
    stderr,
    exitOnCtrlC: false,
    incrementalRendering: true,
    maxFps: MAX_FPS,
  });
  if (props.initialInput) input.feed(props.initialInput);

  return { done: promise, restore, stop: (exitCode) => controller.leave({ exitCode }) };

  function finish(result: ReplResult): void {
    restore();
    resolve(result);
  }

  function restore(): void {
    if (isFinished) return;
    isFinished = true;
    controller.end();
    input.stop();
    stdout.off("resize", onResize);
    try {
      // The live frame goes, the transcript stays. Drawing the tree anew makes React and Ink do so now.
      controller.screen.clear();
      ink?.rerender(tree);
      ink?.unmount();
    } catch {
      // The terminal is gone.
    }
    leaveTerminal();
  }

  function guarded(run: () => void): void {
    try {
      run();
    } catch (error) {
      fail(error);
    }
  }

  function fail(error: unknown): void {
    if (isFinished) return;
    restore();
    stderr.write(
      `quoll: the screen could not be drawn: ${errorMessage(error).split("\n")[0]}. The session is saved.\n`,
    );
    controller.leave({ exitCode: 1 });
    resolve({ exitCode: 1 });
  }
}

function sizeOf({ columns, rows }: NodeJS.WriteStream): { columns: number; rows: number } {
  return { columns: columns || 80, rows: rows || 24 };
}
