import { render } from "ink";
import type { ReplScreen } from "../repl-screen-state.ts";
import { DrawingBoundary, Screen, type Suspend } from "../screen.tsx";
import type { Frame } from "../view/live-frame.ts";
import { FrameWriter } from "./frame-writer.ts";
import { frameOf, outputOf } from "./ink-output.ts";
import type { InkStdout } from "./ink-stdout.ts";
import { LivePlaces } from "./live-places.ts";

/** Ink's own limit, above ours (five to ten a second, at once for a key): at 60, a key after a frame of the stream waits for 16 ms. */
const MAX_FPS = 500;

type Deps = {
  readonly screen: ReplScreen;
  readonly stdin: NodeJS.ReadStream;
  readonly stdout: InkStdout;
  readonly stderr: NodeJS.WriteStream;
  /** Receives each frame that goes to the terminal. */
  readonly painted: (frame: Frame) => void;
  /** Receives the function that suspends Ink. */
  readonly mounted: (suspend: Suspend) => void;
  readonly failed: (error: unknown) => void;
};

/** Draws the screen with Ink from now on. @returns the function that shows the latest state at once, and unmounts. */
export function mountScreen({ screen, painted, mounted, failed, stdout, ...streams }: Deps): () => void {
  const live = new LivePlaces();
  const tree = () => (
    <DrawingBoundary failed={failed}>
      <Screen screen={screen} live={live} painted={painted} mounted={mounted} />
    </DrawingBoundary>
  );
  stdout.writeWith({ writer: new FrameWriter(), frameOf, outputOf, live });
  const ink = render(tree(), {
    ...streams,
    stdout: stdout.stream,
    exitOnCtrlC: false,
    // A person is present even if the shell has CI variables.
    interactive: true,
    maxFps: MAX_FPS,
  });
  return () => {
    // Rendering the tree again makes React and Ink show the latest state at once.
    ink.rerender(tree());
    ink.unmount();
  };
}
