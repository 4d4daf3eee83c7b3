import { join } from "node:path";
import { oneLine } from "@quoll/terminal-text/one-line";
import type { Session } from "../../app/session/session.ts";
import { afterSleep } from "../../contracts/after-sleep.ts";
import { errorMessage } from "../../contracts/errors.ts";
import type { EngineEvent } from "../../contracts/event.ts";
import { isOpenTask } from "../../contracts/task.ts";
import type { ThemeChoice } from "../../contracts/theme.ts";
import { PLAIN_KEYS } from "../../faces/repl/plain/plain-keys.ts";
import { shortPath } from "../../platform/directories.ts";
import { printError, printProblem } from "../../platform/host.ts";
import { type LineConnection, type LineReader, type LineServer, openLineServer } from "../../platform/line-socket.ts";
import { ownIdentity } from "../../platform/process-identity.ts";
import { parseCommand } from "../../protocol/commands/slash-commands.ts";
import { EventJournal } from "../../protocol/event-journal.ts";
import { openSessionPort, type SessionParts } from "../../protocol/open-session-port.ts";
import { remoteMessage, type ToHost, type ToScreen } from "../../protocol/remote-protocol.ts";
import type { SessionPort } from "../../protocol/session-port.ts";
import { type BackgroundRecord, BackgroundRecords } from "../../services/background/io/background-records.ts";
import { alertSettings, pastePlaceOf, promptSettings } from "../session/prompt-settings.ts";
import { sessionParts } from "../session/screen-services.ts";

const HOUR_MS = 60 * 60 * 1_000;
const DEFAULT_IDLE_HOURS = 24;
const MAX_TITLE_COLUMNS = 80;
const MAX_PROBLEM_COLUMNS = 300;
const NO_PROMPT = "(continued)";

/** Events of a stream, which do not change a record. */
const STREAMED: ReadonlySet<EngineEvent["type"]> = new Set([
  "text_delta",
  "thinking_delta",
  "tool_input_delta",
  "tool_progress",
]);

export type HostParts = {
  readonly id: string;
  readonly session: Session;
  readonly prompt: string | undefined;
  /** The folder of `quoll --bg`; absolute. */
  readonly startedIn: string;
  readonly notices: readonly string[];
  readonly theme: ThemeChoice | undefined;
  /** Called after the session is closed. @returns lines about worktrees and commands that stay. */
  leave(): Promise<readonly string[]>;
};

/** How a host ends: on request, or unexpectedly. `problem` is listed by `quoll ps`. */
type Ending = { readonly state: "stopped" | "failed"; readonly why: string; readonly problem?: string };

/** Runs a session in this process, and serves its events and commands to screens in other processes. */
export class BackgroundHost {
  readonly #parts: HostParts;
  readonly #records: BackgroundRecords;
  readonly #token: string;
  readonly #journal = new EventJournal();
  readonly #screenParts: SessionParts;
  readonly #connections = new Set<LineConnection>();
  readonly #done = Promise.withResolvers<void>();
  readonly #startedAt = new Date().toISOString();
  #screens = 0;
  #record: BackgroundRecord | undefined;
  #problem: string | undefined;
  #idle: AbortController | undefined;
  #server: LineServer | undefined;
  #isEnding = false;

  constructor(parts: HostParts) {
    this.#parts = parts;
    const { session, id } = parts;
    this.#records = new BackgroundRecords(session.app.own.state);
    this.#token = this.#records.token(id);
    this.#screenParts = sessionParts(session);
    const { engine } = session.main;
    engine.subscribe(({ event }) => {
      this.#journal.add(event);
      if (event.type === "turn_started") this.#problem = undefined;
      if (event.type === "turn_finished" && event.report.outcome.reason === "failed")
        this.#problem = oneLine(event.report.outcome.message, MAX_PROBLEM_COLUMNS);
      // The engine's state changes with the event.
      if (!STREAMED.has(event.type)) queueMicrotask(() => this.#note());
    });
    engine.questions.subscribe(() => this.#note());
  }

  get session(): Session {
    return this.#parts.session;
  }

  /** Resolves when the session has ended and all its parts are closed. */
  get done(): Promise<void> {
    return this.#done.promise;
  }

  /** Opens the socket, writes the first record and sends the prompt. @throws {UserFacingError} the socket can't be opened. */
  async open(): Promise<void> {
    const { id, session, prompt } = this.#parts;
    this.#server = await openLineServer(this.#records.files(id).socket, (connection) => this.#accept(connection));
    this.#note();
    if (prompt === undefined || prompt.trim() === "") return;
    const port = this.#openPort(false);
    const command = parseCommand(prompt);
    port.send(command ? { type: "command", text: prompt, ...command } : { type: "submit", input: { prompt } });
    session.debugging.log?.note("ui", `the background session ${id} has begun`);
  }

  /** Ends the session and this host; only the first call has an effect. */
  async end({ state, why, problem }: Ending): Promise<void> {
    if (this.#isEnding) return this.done;
    this.#isEnding = true;
    this.#idle?.abort();
    const { session, leave } = this.#parts;
    const { problem: _, ...record } = this.#describe();
    let lines: readonly string[];
    try {
      lines = (await session.close()).map((phrase) => `Ended: ${phrase}`);
      await session.app.close();
      lines = [...lines, ...(await leave())];
    } catch (error) {
      lines = [`The session could not be closed: ${errorMessage(error)}`];
    }
    for (const line of lines) printError(line);
    const changedAt = new Date().toISOString();
    this.#write({ ...record, state, changedAt, ...(problem !== undefined && { problem }) });
    for (const connection of this.#connections) send(connection, { type: "ended", why, lines });
    await this.#server?.close();
    this.#done.resolve();
  }

  #accept(connection: LineConnection): LineReader {
    let screen: { readonly port: SessionPort; end(): void } | undefined;
    return {
      line: (text) => {
        const message = remoteMessage<ToHost>(text);
        if (screen) {
          if (message?.type === "command") screen.port.send(message.command);
        } else if (message?.type !== "hello" || message.token !== this.#token) {
          connection.close();
        } else {
          this.#connections.add(connection);
          if (message.wants === "end") void this.end({ state: "stopped", why: "ended by quoll stop" });
          else screen = this.#show(connection, message.isPlain);
        }
      },
      closed: () => {
        this.#connections.delete(connection);
        screen?.end();
      },
    };
  }

  /** Connects a screen. */
  #show(connection: LineConnection, isPlain: boolean): { readonly port: SessionPort; end(): void } {
    const { id, session, notices, theme } = this.#parts;
    const { app, environment } = session;
    const facts = {
      id,
      version: app.version,
      notices,
      attention: alertSettings(environment.settings.terminal),
      prompt: promptSettings(environment.settings.terminal),
      theme,
      images: environment.settings.terminal?.images,
      shownCwd: shortPath(session.main.workspace.cwd, app.own.home),
      history: join(app.own.state, "history", `${environment.project.id}.jsonl`),
      pastes: pastePlaceOf(session),
    };
    send(connection, { type: "facts", facts });
    this.#screens += 1;
    if (!isPlain) session.statusLine.start();
    const port = this.#openPort(isPlain);
    const unsubscribe = port.subscribe((event) => send(connection, { type: "event", event }));
    const notice = (level: "info" | "warning", text: string) =>
      port.emit({ type: "row", row: { kind: "notice", level, text } });
    if (this.#journal.isCut) notice("warning", `The first turns are not shown here: quoll logs ${id}`);
    notice("info", `Attached to ${id}: Ctrl+Z detaches.`);
    this.#note();
    return {
      port,
      end: () => {
        unsubscribe();
        this.#screens -= 1;
        this.#note();
      },
    };
  }

  #openPort(isPlain: boolean) {
    const { session } = this.#parts;
    const screen = {
      clock: session.app.clock,
      earlier: () => this.#journal.events,
      canReopen: false,
      keys: PLAIN_KEYS,
      isPlain,
    };
    return openSessionPort(this.#screenParts, screen, (error) => {
      const where = session.debugging.noteFault(error);
      printProblem(`a bug in Quoll: ${errorMessage(error)} (${where})`);
    });
  }

  /** Writes the record if it changed, and tracks how long the session has been idle. */
  #note(): void {
    if (this.#isEnding) return;
    const record = this.#describe();
    const last = this.#record;
    const isSame = last && JSON.stringify({ ...record, changedAt: "" }) === JSON.stringify({ ...last, changedAt: "" });
    if (!isSame) {
      this.#record = record;
      this.#write(record);
    }
    const isIdle = record.state === "idle" && this.#screens === 0;
    if (!isIdle || !isSame) this.#idle?.abort();
    if (isIdle && (this.#idle?.signal.aborted ?? true)) this.#endWhenIdle();
  }

  /** A full disk, or a folder that the person deleted, must not end the session. */
  #write(record: BackgroundRecord): void {
    try {
      this.#records.write(record);
    } catch (error) {
      printError(`The record could not be written: ${errorMessage(error)}`);
    }
  }

  #endWhenIdle(): void {
    const { app, environment } = this.#parts.session;
    const hours = environment.settings.background?.idleHours ?? DEFAULT_IDLE_HOURS;
    const idle = new AbortController();
    this.#idle = idle;
    afterSleep(app.clock.sleep(hours * HOUR_MS, idle.signal), () =>
      this.end({ state: "stopped", why: `idle for ${hours} h`, problem: `idle for ${hours} h` }),
    );
  }

  #describe(): BackgroundRecord {
    const { id, session, prompt, startedIn } = this.#parts;
    const { engine, workspace } = session.main;
    const { sessionId, costUsd, busy } = engine.state;
    const isWorking = busy || session.tasks.list().some(isOpenTask);
    return {
      version: 1,
      id,
      sessionId,
      quoll: session.app.version,
      host: ownIdentity(),
      cwd: workspace.cwd,
      startedIn,
      title: oneLine(prompt ?? NO_PROMPT, MAX_TITLE_COLUMNS),
      state: engine.questions.pending.length > 0 ? "needs you" : isWorking ? "working" : "idle",
      ...(this.#problem !== undefined && { problem: this.#problem }),
      costUsd: costUsd ?? null,
      startedAt: this.#startedAt,
      changedAt: new Date().toISOString(),
      transcript: session.conversation.transcriptPath,
    };
  }
}

function send(connection: LineConnection, message: ToScreen): void {
  connection.send(JSON.stringify(message));
}
