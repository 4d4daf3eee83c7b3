import type { EngineEvent } from "../../src/contracts/event.ts";
import { NO_USAGE } from "../../src/contracts/message.ts";
import type { TaskInfo } from "../../src/contracts/task.ts";
import type { SessionCommand, SessionEvent, SessionPort, SessionView } from "../../src/protocol/session-port.ts";
import { fakeClock } from "./fake-clock.ts";
import { screenStage } from "./screen-stage.ts";

/** A running agent as the registry of tasks reports it. Its start is never past, so that its row counts from the report on. */
export const agentTask = (id: string, type: string, description: string, rest: Partial<TaskInfo> = {}): TaskInfo => ({
  ...({ id, kind: "agent", agentId: "main", parentAgentId: null, description, status: "running" } as const),
  ...{ can: ["message", "resume", "answer"] as const, summary: description },
  ...{
    title: `${type}: ${description}`,
    state: "is running",
    isBackground: true,
    startedAt: Number.MAX_SAFE_INTEGER,
    endedAt: undefined,
  },
  ...{ outputFile: `/out/${id}.log`, agent: { type, activity: "thinking", tokens: 18_000, calls: 1 } },
  ...rest,
});

/** A running background command. */
export function shellTask(id: string, title: string, rest: Partial<TaskInfo> = {}): TaskInfo {
  const own = { kind: "shell", can: ["keep"], title, summary: title } as const;
  const { agent: _, ...shell } = agentTask(id, "", "", { ...own, ...rest });
  return shell;
}

export const taskEvent = (type: "task_started" | "task_changed" | "task_ended", task: TaskInfo): EngineEvent => ({
  type,
  task,
});

/** A session in which nothing was said yet. */
export const EMPTY_SESSION: SessionView = {
  ...{ sessionId: "0d9f2c1e", model: "claude-sonnet-5", providerName: "anthropic", mode: "default", busy: false },
  ...{ usage: NO_USAGE, costUsd: 0, usedTokens: 0, windowTokens: 200_000, queue: [], isEmpty: true },
};

/** The REPL's screen on a session whose events the test sends, with a clock that it moves. */
export async function taskStage(size?: { columns: number; rows: number }) {
  const clock = fakeClock();
  const sent: SessionCommand[] = [];
  let tell: (event: SessionEvent) => void = () => undefined;
  const port: SessionPort = {
    // The screen also tells the session its size, which is no answer to a key.
    send: (command) => command.type !== "look" && sent.push(command),
    subscribe(listener) {
      tell = listener;
      listener({ type: "state", state: EMPTY_SESSION });
      return () => undefined;
    },
  };
  const stage = screenStage(port, clock, size);
  stage.controller.start();
  await clock.advance(0);
  return {
    stage,
    clock,
    sent,
    tell: (event: SessionEvent) => tell(event),
    play: (...events: readonly EngineEvent[]) => {
      for (const event of events) tell({ type: "engine", event });
    },
    /** The lines of the live frame. */
    get lines(): readonly string[] {
      return stage.controller.screen.frame.lines;
    },
    [Symbol.dispose]: () => stage[Symbol.dispose](),
  };
}
