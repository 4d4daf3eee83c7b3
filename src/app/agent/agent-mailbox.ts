import { type AgentMessage, isOpenTask, type Mailbox, type TaskInfo } from "../../contracts/task.ts";

/** The task in which an agent works. */
type AgentTask = {
  readonly info: TaskInfo;
  /** Continues the agent, which has ended, as a new task. @throws {ToolFailedError} it can't continue. */
  continueWith(message: AgentMessage): TaskInfo;
};

/** The messages to one agent, from its start on, in all tasks in which it works. */
export class AgentMailbox implements Mailbox {
  #task: AgentTask;
  /** Messages that no turn has taken yet. */
  readonly #waiting: string[] = [];
  /** The open agent. Returns false if no turn runs that could take the message. */
  #reader: ((message: string) => boolean) | undefined;

  constructor(task: AgentTask) {
    this.#task = task;
  }

  /** The agent works in this task from now on. */
  moveTo(task: AgentTask): void {
    this.#task = task;
  }

  send(message: AgentMessage): TaskInfo {
    const { info } = this.#task;
    if (!isOpenTask(info)) return this.#task.continueWith(message);
    if (!this.#reader?.(message.message)) this.#waiting.push(message.message);
    return info;
  }

  /** The agent reads messages from now on. @returns those that waited for it. */
  open(reader: (message: string) => boolean): readonly string[] {
    this.#reader = reader;
    return this.#waiting.splice(0);
  }

  /** The agent reads no more messages: later ones wait. */
  close(): void {
    this.#reader = undefined;
  }

  /** The messages that nobody will read, because the agent has ended in this task and works in no other one. */
  takeUnread(task: AgentTask): readonly string[] {
    return task === this.#task ? this.#waiting.splice(0) : [];
  }
}
