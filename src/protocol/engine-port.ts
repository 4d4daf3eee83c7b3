import type { ReadCall } from "../contracts/call-record.ts";
import { type Engine, type EngineState, shellInput, type UserInput } from "../contracts/engine.ts";
import { errorMessage, UserFacingError } from "../contracts/errors.ts";
import type { EngineEvent } from "../contracts/event.ts";
import type { PermissionMode } from "../contracts/permission-mode.ts";
import type { ShownConversation } from "../contracts/session.ts";
import type { TaskControl } from "../contracts/task-control.ts";
import { CommandRunner } from "./commands/command-runner.ts";
import type { SlashCommands } from "./commands/slash-commands.ts";
import type { SessionCommand, SessionEvent, SessionPort, SessionView } from "./session-port.ts";
import { type SessionSurroundings, SurroundingsPort } from "./surroundings-port.ts";
import { TaskPort } from "./task-port.ts";
import { earlierEvents, restoredEvents } from "./transcript/log-events.ts";
import { noticeText } from "./transcript/notice-text.ts";

/** Events after which the engine's state is different. */
const STATE_EVENTS: ReadonlySet<EngineEvent["type"]> = new Set([
  "assistant_message",
  "busy_changed",
  "compacted",
  "conversation_changed",
  "mode_changed",
  "model_changed",
  // The call's question may have granted rules.
  "tool_finished",
  "turn_started",
  "turn_finished",
]);

/** Events after which the session may work in another folder. */
const FOLDER_EVENTS: ReadonlySet<EngineEvent["type"]> = new Set(["tool_finished", "turn_finished"]);

/** The session that a screen shows. */
export type ShownSession = {
  /** Absent for an engine alone. */
  readonly surroundings?: SessionSurroundings;
  readonly engine: Engine;
  /** Controls the running agents and background shells; absent if there is no background work. */
  readonly tasks?: TaskControl;
  /** Reads the parts of an ended call that the screen does not hold. */
  readonly readCall?: ReadCall;
  /** The saved conversation of earlier processes, to be shown again. */
  readonly restored?: ShownConversation | undefined;
};

/** A screen of this process, or of another one. */
export type ShowingScreen = {
  /** The events of this process so far, for a screen that opens late. */
  readonly earlier?: () => readonly EngineEvent[];
  /** True if the screen's editor is part of this process: it gets a cancelled prompt back. */
  readonly takesPromptsBack?: boolean;
};

type Deps = {
  readonly session: ShownSession;
  readonly screen: ShowingScreen;
  readonly commands: SlashCommands;
  /** Reports a bug in Quoll. */
  readonly failed: (error: unknown) => void;
};

/** Connects an engine of this process to the events and commands of one screen; each screen has a port of its own. */
export class EnginePort implements SessionPort {
  readonly #deps: Deps;
  readonly #runner: CommandRunner;
  readonly #tasks: TaskPort;
  readonly #surroundings: SurroundingsPort | undefined;
  readonly #ended = new AbortController();
  #listener: ((event: SessionEvent) => void) | undefined;
  /** The last reasons why modes could not be entered, so that cycling through the modes reports them only once. */
  #lastObstacles = "";
  #isClosing = false;

  constructor(deps: Deps) {
    this.#deps = deps;
    const { surroundings, tasks } = deps.session;
    if (surroundings) this.#surroundings = new SurroundingsPort(surroundings, (event) => this.emit(event));
    this.#tasks = new TaskPort(tasks, (event) => this.emit(event));
    this.#runner = new CommandRunner(deps.commands, {
      emit: (event) => this.emit(event),
      submit: (input) => this.#submit(input),
      changed: () => {
        this.#surroundings?.emitStatus();
        this.#emitState();
      },
    });
  }

  subscribe(listener: (event: SessionEvent) => void): () => void {
    const { session, screen, commands } = this.#deps;
    const { engine, tasks, restored } = session;
    if (this.#listener) throw new Error("This port has a screen already: open another port of the session.");
    this.#listener = listener;
    this.emit({ type: "commands", completions: commands.completions });
    this.#surroundings?.emitStatus();
    this.#emitState();
    const { queue } = engine.state;
    if (restored && restored.entries.length > 0) {
      const messageIds = engine.state.messages.map(({ id }) => id);
      this.emit({ type: "restored", ...restoredEvents({ ...restored, messageIds }) });
    }
    const events = screen.earlier?.() ?? [];
    if (events.length > 0) this.emit({ type: "earlier", events });
    this.emit({ type: "engine", event: { type: "queue_changed", queue, total: queue.length } });
    this.#emitQuestions();
    const ends = [
      engine.subscribe(({ event }) => this.#take(event)),
      ...(tasks ? [tasks.onChildTask((event) => this.emit({ type: "engine", event }))] : []),
      engine.questions.subscribe(() => this.#emitQuestions()),
      commands.onChanged(() => this.emit({ type: "commands", completions: commands.completions })),
    ];
    this.#surroundings?.watch();
    return () => {
      this.#listener = undefined;
      for (const end of ends) end();
      this.#surroundings?.end();
      this.#runner.interrupt();
      this.#tasks.end();
      this.#ended.abort();
    };
  }

  send(command: SessionCommand): void {
    const { session, failed } = this.#deps;
    const { engine } = session;
    switch (command.type) {
      case "submit":
        this.#submit(command.input);
        return;
      case "shell":
        if (engine.state.busy) engine.enqueue(shellInput(command.command), "shell");
        else void this.#tried(engine.runShell(command.command));
        return;
      case "enqueue":
        engine.enqueue({ prompt: command.prompt }, command.when);
        return;
      case "withdraw":
        engine.withdraw(command.id, "edited");
        return;
      case "start_queued":
        engine.startQueued();
        return;
      case "interrupt":
        this.#runner.interrupt();
        this.#isClosing ||= command.isLast === true;
        if (command.what !== "commands") engine.interrupt();
        return;
      case "mode":
        this.#enterMode(command);
        return;
      case "answer":
        engine.questions.reply(command.id, command.reply);
        return;
      case "command":
        this.#runner.run(command).catch(failed);
        return;
      case "task":
        this.#tasks.take(command);
        return;
      case "history":
        void this.#emitHistory();
        return;
      case "call":
        void this.#emitCall(command.id);
        return;
      case "field":
        this.#runner.takeField(command.value).catch(failed);
        return;
      case "suggest":
        this.#runner.suggest(command.text).catch(failed);
        return;
      case "complete":
        this.#runner.complete(command).catch(failed);
        return;
      case "find_files":
      case "continue_mention":
      case "look":
        this.#surroundings?.take(command);
        return;
      case "edited":
        this.#runner.takeEdited(command.problem).catch(failed);
        return;
    }
  }

  emit(event: SessionEvent): void {
    try {
      this.#listener?.(event);
    } catch (error) {
      this.#deps.failed(error);
    }
  }

  #submit(input: UserInput): void {
    const { engine } = this.#deps.session;
    if (engine.state.busy) engine.enqueue(input, "steer");
    else void this.#tried(engine.submit(input));
  }

  #take(event: EngineEvent): void {
    this.emit({ type: "engine", event });
    if (FOLDER_EVENTS.has(event.type)) this.#surroundings?.emitStatus();
    if (STATE_EVENTS.has(event.type)) this.#emitState();
    if (event.type === "turn_finished") this.#takeBackPrompt();
  }

  /** Before the engine starts a waiting input. */
  #takeBackPrompt(): void {
    const { session, screen } = this.#deps;
    if (!screen.takesPromptsBack || this.#isClosing) return;
    try {
      const input = session.engine.takeBackPrompt();
      if (input) this.emit({ type: "taken_back", input });
    } catch (error) {
      this.#emitError(error);
    }
  }

  async #emitCall(id: string): Promise<void> {
    const { readCall } = this.#deps.session;
    const { signal } = this.#ended;
    const problem = (error: unknown) => ({ notes: [noticeText(errorMessage(error))] });
    const record = await (readCall?.(id, signal).catch(problem) ?? { notes: ["the whole output is not kept"] });
    if (!signal.aborted) this.emit({ type: "call_record", id, record });
  }

  async #emitHistory(): Promise<void> {
    try {
      this.emit({ type: "history", events: earlierEvents((await this.#deps.session.restored?.whole()) ?? []) });
    } catch (error) {
      this.#emitError(error);
      this.emit({ type: "history", events: [] });
    }
  }

  async #tried(running: Promise<unknown>): Promise<void> {
    try {
      await running;
    } catch (error) {
      this.#emitError(error);
    }
  }

  #emitError(error: unknown): void {
    this.emit({ type: "row", row: { kind: "notice", level: "error", text: noticeText(errorMessage(error)) } });
  }

  #enterMode({ modes, wanted }: Extract<SessionCommand, { type: "mode" }>): void {
    const obstacles = enterMode(this.#deps.session.engine, modes, wanted).join(" ");
    if (obstacles !== "" && obstacles !== this.#lastObstacles) {
      this.emit({ type: "row", row: { kind: "notice", level: "warning", text: obstacles } });
    }
    this.#lastObstacles = obstacles || this.#lastObstacles;
    this.#emitState();
  }

  #emitState(): void {
    this.emit({ type: "state", state: viewOf(this.#deps.session.engine.state) });
  }

  #emitQuestions(): void {
    this.emit({ type: "questions", pending: this.#deps.session.engine.questions.pending });
  }
}

function viewOf({ messages, usageByModel, spendBySource, ...state }: EngineState): SessionView {
  return { ...state, isEmpty: messages.length === 0 };
}

/**
 * Enters the wanted mode, or the first allowed mode after it.
 * @returns why each skipped mode is not allowed, one line each.
 */
export function enterMode(engine: Engine, modes: readonly PermissionMode[], wanted: PermissionMode): readonly string[] {
  const obstacles: string[] = [];
  const from = Math.max(0, modes.indexOf(wanted));
  for (const mode of [...modes.slice(from), ...modes.slice(0, from)]) {
    if (mode === engine.state.mode) return obstacles;
    try {
      engine.setMode(mode);
      return obstacles;
    } catch (error) {
      if (!(error instanceof UserFacingError)) throw error;
      obstacles.push(error.message);
    }
  }
  return obstacles;
}
