import { errorMessage } from "../contracts/errors.ts";
import { sentLine } from "../contracts/task.ts";
import type { TaskControl, TaskReport } from "../contracts/task-control.ts";
import type { SessionEvent, TaskMessage, TaskOutput, TaskRequest } from "./session-port.ts";
import { watchedEvents } from "./transcript/log-events.ts";
import { noticeText } from "./transcript/notice-text.ts";

/**
 * Carries out the person's requests about running agents and background shells. Only one output is watched at a time.
 */
export class TaskPort {
  readonly #control: TaskControl | undefined;
  readonly #emit: (event: SessionEvent) => void;
  readonly #ended = new AbortController();
  #watching: AbortController | undefined;

  constructor(control: TaskControl | undefined, emit: (event: SessionEvent) => void) {
    this.#control = control;
    this.#emit = emit;
  }

  take(request: TaskRequest): void {
    const { does, id } = request;
    const control = this.#control;
    if (!control) return;
    if (does === "message") void this.#tried(async () => this.#send(control, request));
    else if (does === "watch") this.#watch(control, id);
    else if (does === "unwatch") this.#watching?.abort();
    else if (does === "stop") void this.#tried(() => control.tasks.stop(id, this.#ended.signal, "person"));
    else if (does === "release") control.tasks.releaseCall(id);
    else void this.#tried(async () => control.tasks.moveToBackground(id));
  }

  end(): void {
    this.#watching?.abort();
    this.#ended.abort();
  }

  #watch(control: TaskControl, id: string): void {
    this.#watching?.abort();
    const watching = new AbortController();
    this.#watching = watching;
    const report = (part: TaskReport) => {
      if (!watching.signal.aborted) this.#emit({ type: "task_output", id, part: outputOf(part) });
    };
    void this.#tried(() => control.follow(id, report, watching.signal));
  }

  #send(control: TaskControl, { id, text }: TaskMessage): void {
    const { id: taker } = control.tasks.send(id, { message: text });
    this.#emit({ type: "row", row: { kind: "notice", level: "info", text: sentLine(id, taker) } });
  }

  async #tried(run: () => Promise<unknown>): Promise<void> {
    try {
      await run();
    } catch (error) {
      this.#emit({ type: "row", row: { kind: "notice", level: "error", text: noticeText(errorMessage(error)) } });
    }
  }
}

function outputOf(part: TaskReport): TaskOutput {
  if (part.kind !== "conversation") return part;
  return { kind: "conversation", events: watchedEvents(part.entries, part.isOpen) };
}
