import type { ReplScreen } from "../repl-screen-state.ts";
import type { AlternateScreen } from "../viewer/alternate-screen.ts";

/** Turns on reports of pressed buttons and of the wheel (mode 1000), in the form without a column limit (mode 1006). */
const MOUSE_ON = "\u001b[?1000h\u001b[?1006h";
const MOUSE_OFF = "\u001b[?1006l\u001b[?1000l";

type Deps = {
  readonly stdout: Pick<NodeJS.WriteStream, "write">;
  readonly alternate: AlternateScreen;
  readonly screen: ReplScreen;
  /** False if the terminal handles the wheel and the selection itself. */
  readonly hasMouse: boolean;
};

/** Draws the screen on the terminal's alternate screen; the main screen stays unchanged. */
export class FullOutput {
  readonly #deps: Deps;
  readonly #unsubscribe: () => void;
  #hasTerminal = true;

  constructor(deps: Deps) {
    this.#deps = deps;
    this.#unsubscribe = deps.screen.subscribe(() => this.draw());
    if (deps.hasMouse) deps.stdout.write(MOUSE_ON);
    this.draw();
  }

  draw(): void {
    const { alternate, screen } = this.#deps;
    const { lines, cursor } = screen.frame;
    if (this.#hasTerminal && lines.length > 0) alternate.draw({ lines, ...(cursor && { cursor }) });
  }

  /** Gives the terminal to another program. */
  lease(): void {
    this.#hasTerminal = false;
    this.#leave();
  }

  /** Takes the terminal back; the next frame is drawn in full. */
  takeBack(): void {
    this.#hasTerminal = true;
    if (this.#deps.hasMouse) this.#deps.stdout.write(MOUSE_ON);
    this.draw();
  }

  /** Shows the main screen again, with the last lines of the session below its earlier content. */
  end(farewell: readonly string[]): void {
    this.#unsubscribe();
    if (this.#hasTerminal) this.#leave();
    if (farewell.length > 0) this.#deps.stdout.write(`${farewell.join("\r\n")}\r\n`);
  }

  #leave(): void {
    const { alternate, stdout, hasMouse } = this.#deps;
    if (hasMouse) stdout.write(MOUSE_OFF);
    alternate.leave(true);
  }
}
