import { errorMessage } from "../../../contracts/errors.ts";
import type { Clock, OpenPort, PortOpener, ServerPort } from "../../../contracts/ports.ts";
import type { Asker, NewQuestion } from "../../../contracts/question.ts";
import { listeningPorts } from "../../../platform/processes/listening-ports.ts";
import { familyOf, type Spawn } from "../../../platform/processes/process-table.ts";

const LOOK_MS = 1_000;
/** The system assigns ports from this one on by itself. Tests use such ports; servers for a person usually don't. */
const FIRST_GIVEN_PORT = 32_768;
/**
 * The maximum number of questions about ports for one task, and of refusals in a row. After that, the person must
 * ask for a port.
 */
const MAX_QUESTIONS = 3;

export type ServerPortsDeps = {
  readonly clock: Clock;
  readonly asker: Asker;
  /** Undefined if a person reaches servers without an opened port, or if no port can be opened. */
  opener(): Promise<PortOpener | undefined>;
  /** Tells the person one line. */
  onNotice(line: string): void;
};

/** A watched background task. */
export type ServerTask = {
  readonly id: string;
  readonly command: string;
  readonly spawn: Spawn;
  isRunning(): boolean;
};

type Opened = ServerPort & { readonly way: OpenPort };

/**
 * Opens the ports of confined servers to the person, who is asked once in a session for each port. An open port ends with its server.
 */
export class ServerPorts {
  readonly #deps: ServerPortsDeps;
  readonly #answers = new Map<number, boolean>();
  readonly #pending = new Set<number>();
  readonly #open = new Map<number, Opened>();
  /** The number of questions about each task since the person last asked for more. */
  readonly #questions = new Map<string, number>();
  /** Tasks with ports that the person was not asked about. */
  readonly #waiting = new Set<string>();
  #refusals = 0;
  readonly #closing = new AbortController();

  constructor(deps: ServerPortsDeps) {
    this.#deps = deps;
  }

  /** The ports of one task, or of all tasks. */
  list(taskId?: string): readonly ServerPort[] {
    return [...this.#open.values()].filter((one) => taskId === undefined || one.taskId === taskId);
  }

  /** Allows further questions at the next check. @returns true if some were held back. */
  askNext(): boolean {
    const isHeldBack = this.#waiting.size > 0;
    this.#questions.clear();
    this.#waiting.clear();
    this.#refusals = 0;
    return isHeldBack;
  }

  /** Watches the ports of a task until it ends. Never rejects. */
  async watch(task: ServerTask): Promise<void> {
    const { clock, opener } = this.#deps;
    const { signal } = this.#closing;
    if (!this.#deps.asker.canAsk) return;
    let before: readonly number[] = [];
    try {
      const leads = await opener();
      while (leads && task.isRunning()) {
        await clock.sleep(LOOK_MS, signal);
        const family = await familyOf(task.spawn, clock);
        const ports = listeningPorts(family.map(({ pid }) => pid)).filter((port) => port < FIRST_GIVEN_PORT);
        await this.#closeMissing(task.id, ports);
        // A port that is closed again at the next check was not for a person.
        for (const port of ports) if (before.includes(port)) void this.#offer(port, task, leads);
        before = ports;
      }
    } catch {
      // The session ends.
    } finally {
      this.#waiting.delete(task.id);
      this.#questions.delete(task.id);
      await this.#closeMissing(task.id, []);
    }
  }

  async close(): Promise<void> {
    this.#closing.abort(new Error("The session ends."));
    await Promise.all([...this.#open.keys()].map((port) => this.#close(port)));
  }

  async #offer(port: number, task: ServerTask, opener: PortOpener): Promise<void> {
    if (this.#open.has(port) || this.#pending.has(port)) return;
    if (!this.#answers.has(port) && !this.#mayAsk(task.id)) return;
    this.#pending.add(port);
    try {
      const isAllowed = this.#answers.get(port) ?? (await this.#ask(port, task));
      this.#answers.set(port, isAllowed);
      if (!isAllowed || !task.isRunning() || this.#closing.signal.aborted) return;
      const way = await opener.open(port);
      const { id: taskId, command } = task;
      this.#open.set(port, { port, address: way.address, taskId, command, way });
      this.#deps.onNotice(`Port ${port} of ${taskId} is open to you at http://${way.address} until its server ends.`);
    } catch (error) {
      this.#answers.set(port, false);
      this.#deps.onNotice(`Port ${port} of ${task.id} could not be opened (${errorMessage(error)}).`);
    } finally {
      this.#pending.delete(port);
    }
  }

  #mayAsk(taskId: string): boolean {
    const questions = this.#questions.get(taskId) ?? 0;
    if (questions < MAX_QUESTIONS && this.#refusals < MAX_QUESTIONS) {
      this.#questions.set(taskId, questions + 1);
      return true;
    }
    if (!this.#waiting.has(taskId))
      this.#deps.onNotice(`${taskId} listens on further ports: /ports asks about the next ones.`);
    this.#waiting.add(taskId);
    return false;
  }

  async #ask(port: number, task: ServerTask): Promise<boolean> {
    const reply = await this.#deps.asker.ask(portQuestion(port, task), this.#closing.signal);
    const isAllowed = reply.decision !== "reject";
    this.#refusals = isAllowed ? 0 : this.#refusals + 1;
    return isAllowed;
  }

  async #closeMissing(taskId: string, ports: readonly number[]): Promise<void> {
    for (const { port } of this.list(taskId)) if (!ports.includes(port)) await this.#close(port);
  }

  async #close(port: number): Promise<void> {
    const opened = this.#open.get(port);
    this.#open.delete(port);
    await opened?.way.close();
  }
}

function portQuestion(port: number, { id, command }: ServerTask): NewQuestion {
  return {
    title: `Open port ${port} to you?`,
    body: {
      kind: "port",
      preview: { kind: "text", text: `${id}: ${command}` },
      reason: `A server in the sandbox listens on port ${port}. After a yes your browser reaches it on 127.0.0.1.`,
    },
  };
}
