import type { EngineState } from "../../contracts/engine.ts";
import type { FramePacer } from "./frame-pacer.ts";
import type { ReplProps } from "./repl-props.ts";
import { addRow } from "./transcript/reduce.ts";
import { emptyTranscript, type FaceRow, type Transcript } from "./transcript/transcript.ts";
import { emptyUi, type Ui } from "./ui/ui-state.ts";

/** What the REPL knows: every frame is drawn from it. Shared by those that change a part of it each. */
export class ReplState {
  transcript: Transcript = emptyTranscript;
  ui: Ui = emptyUi;
  /** Asking the engine may cost as much as its history is long: not at each key. */
  engine: EngineState;
  branch: string | undefined;
  /** What the model's tools still wait for. */
  starting: readonly string[] = [];
  hasLeft = false;
  /** The running turn was told to stop. */
  isStopping = false;
  readonly #props: Pick<ReplProps, "engine" | "info" | "clock">;
  readonly #pacer: FramePacer;
  #isBusy = false;

  constructor(props: Pick<ReplProps, "engine" | "info" | "clock">, pacer: FramePacer) {
    this.#props = props;
    this.#pacer = pacer;
    this.engine = props.engine.state;
  }

  get isBusy(): boolean {
    return this.#isBusy;
  }

  /** Monotonic milliseconds. */
  get nowMs(): number {
    return this.#props.clock.monotonicMs();
  }

  /** Draws once what is happening now is done. */
  drawNow(): void {
    this.#pacer.now();
  }

  add(row: FaceRow): void {
    this.transcript = addRow(this.transcript, row);
    this.drawNow();
  }

  tell(level: "info" | "warning" | "error", text: string): void {
    this.add({ kind: "notice", level, text });
  }

  refresh(): void {
    this.engine = this.#props.engine.state;
  }

  /** Reads the engine's state anew, and what depends on whether it works. Turns begin and end by themselves too. */
  sync(): void {
    this.refresh();
    const { busy } = this.engine;
    if (busy === this.#isBusy) return;
    this.#isBusy = busy;
    this.isStopping = false;
    if (busy) this.#pacer.startTicking();
    else {
      this.#pacer.stopTicking();
      this.branch = this.#props.info.branch();
    }
    this.drawNow();
  }
}
