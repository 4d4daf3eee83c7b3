import type { CommandResult } from "../contracts/command-result.ts";
import type { Engine } from "../contracts/engine.ts";
import type { TurnReport } from "../contracts/event.ts";
import type { Clock } from "../contracts/ports.ts";
import { failedReport, runCommand } from "./commands/run-slash-command.ts";
import type { ProgramCommand, ProgramEvent, ProgramSession } from "./session-port.ts";

type Parts = {
  readonly engine: Pick<Engine, "submit" | "enqueue" | "withdraw" | "startQueued" | "interrupt">;
  /** Reports the events of every agent of the session. */
  readonly agents: Pick<Engine, "subscribe">;
  readonly commands: {
    /** @returns undefined if the text names no command. @throws {UserFacingError} (as a rejection) the command failed. */
    run(text: string, signal: AbortSignal): Promise<CommandResult> | undefined;
  };
  readonly clock: Pick<Clock, "monotonicMs">;
};
type Ask = Extract<ProgramCommand, { readonly type: "ask" }>;

/** Connects an engine of this process to a program, or to a run without a person. */
export class ProgramPort implements ProgramSession {
  readonly #parts: Parts;
  readonly #listeners = new Set<(event: ProgramEvent) => void>();
  /** Ends the running slash command. */
  #command: AbortController | undefined;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  subscribe(listener: (event: ProgramEvent) => void): () => void {
    this.#listeners.add(listener);
    const end = this.#parts.agents.subscribe((envelope) => listener({ type: "engine", ...envelope }));
    return () => {
      this.#listeners.delete(listener);
      end();
    };
  }

  send(command: ProgramCommand): void {
    const { engine } = this.#parts;
    switch (command.type) {
      case "ask":
        this.#ask(command);
        return;
      case "withdraw":
        engine.withdraw(command.id);
        return;
      case "start_queued":
        engine.startQueued();
        return;
      case "interrupt":
        this.#command?.abort(new Error("The command was interrupted."));
        engine.interrupt();
        return;
    }
  }

  #ask(asked: Ask): void {
    const { id, input, when } = asked;
    const run = async () => {
      this.#emit({ type: "begun", id });
      const report = await this.#answer(asked).catch(failedReport);
      return () => this.#emit({ type: "answered", id, report });
    };
    this.#parts.engine.enqueue(input, when, { id, run });
  }

  /** Runs a turn, or a slash command, which asks no model unless its result is a prompt. */
  async #answer({ input, mayBeCommand }: Ask): Promise<TurnReport> {
    const { engine, commands, clock } = this.#parts;
    const running = new AbortController();
    const answer = mayBeCommand ? commands.run(input.prompt, running.signal) : undefined;
    if (!answer) return engine.submit(input);
    this.#command = running;
    const said = await runCommand(answer, {
      report: (title, progress) => this.#emit({ type: "operation", title, ...(progress && { progress }) }),
      monotonicMs: () => clock.monotonicMs(),
      signal: running.signal,
    });
    this.#command = undefined;
    return "outcome" in said ? said : engine.submit({ ...input, ...said, typed: input.prompt });
  }

  #emit(event: ProgramEvent): void {
    for (const listener of this.#listeners) listener(event);
  }
}
