import { expect } from "bun:test";
import { MAIN_AGENT } from "../../../src/contracts/agent.ts";
import { isOpenTask, type RunningTask, type TaskInfo, type TaskStopper } from "../../../src/contracts/task.ts";
import { TaskRegistry } from "../../../src/services/tasks/task-registry.ts";
import { seededTest } from "../../support/deep.ts";
import { fakeClock } from "../../support/fake-clock.ts";
import { seededRandom } from "../../support/seeded-random.ts";

const TASKS = 6;
const STEPS = 60;

type Seen = { readonly states: TaskInfo[]; ended: number; announced: number; withdrawn: number; isAwaited: boolean };

/** Starts, moves, reads, stops and ends some tasks in a random order; reads and ends may overlap. */
async function randomLife(seed: number): Promise<void> {
  const random = seededRandom(seed);
  const seen = new Map<string, Seen>();
  const of = ({ id }: TaskInfo): Seen => {
    const found = seen.get(id) ?? { states: [], ended: 0, announced: 0, withdrawn: 0, isAwaited: false };
    seen.set(id, found);
    return found;
  };
  const registry = new TaskRegistry({
    clock: fakeClock(),
    changed: (what, task) => {
      of(task).states.push(task);
      if (what === "ended") of(task).ended += 1;
    },
    announce: (task) => {
      of(task).announced += 1;
    },
    withdraw: (task) => {
      of(task).withdrawn += 1;
    },
  });
  const tasks = registry.seenBy(MAIN_AGENT);
  const running: RunningTask[] = [];
  const pending: Promise<unknown>[] = [];
  const turn = () => (random.chance(0.5) ? Promise.resolve() : new Promise<void>((done) => setImmediate(done)));
  const end = (task: RunningTask) =>
    task.end({ status: random.pick(["completed", "failed"] as const), state: `ended ${random.below(99)}` });
  const add = () => {
    const isAwaited = random.chance(0.4);
    const about = {
      kind: "agent",
      can: ["answer"],
      owner: MAIN_AGENT,
      title: "t",
      description: "d",
      outputFile: "/o",
      isAwaited,
    } as const;
    const info = tasks.add({ ...about, ...(random.chance(0.5) && { status: "queued" as const }) }, (task) => {
      running.push(task);
      const mayEnd = async () => {
        await turn();
        if (random.chance(0.2)) end(task);
      };
      const read = async () => {
        await mayEnd();
        if (random.chance(0.1)) throw new Error("The file is gone.");
        return "text";
      };
      const work = { refresh: mayEnd, read, stop: mayEnd, release: () => undefined };
      return random.chance(0.5) ? work : { ...work, endsInSteps: true };
    });
    of(info).isAwaited = isAwaited;
  };
  const { signal } = new AbortController();
  const steps = [
    () => running.length < TASKS && add(),
    () => running.length > 0 && random.pick(running).begin(),
    () => running.length > 0 && random.pick(running).remark("works"),
    () => running.length > 0 && end(random.pick(running)),
    () => pending.push(tasks.output(anyId(), { block: false, timeoutMs: 0, signal }).catch(() => undefined)),
    () => pending.push(tasks.stop(anyId(), signal, random.pick(STOPPERS)).catch(() => undefined)),
    () => tasks.moveToBackground(anyId()),
    () => pending.push(turn()),
  ];
  const anyId = () => `a${1 + random.below(running.length + 1)}`;
  for (let step = 0; step < STEPS; step += 1) {
    try {
      random.pick(steps)();
    } catch {
      // There is no such task, or it can't be moved.
    }
    if (random.chance(0.5)) await turn();
  }
  await Promise.all(pending);
  for (const task of running) end(task);
  for (const [id, { states, ended, announced, withdrawn, isAwaited }] of seen) {
    const about = { seed, id };
    const over = states.findIndex((info) => !isOpenTask(info));
    expect({ ...about, ended, after: states.slice(over + 1).length }).toEqual({ ...about, ended: 1, after: 0 });
    expect(tasks.list().find((info) => info.id === id)).toEqual(states[over]);
    expect(announced).toBeLessThanOrEqual(1);
    const last = states[over];
    const wasAwaited = isAwaited && last?.isBackground === false;
    const isSilent = last?.state === "was stopped" || last?.state === "was stopped with the session";
    // The end is told once: by its announcement, by a call that saw it, or by the call that waited.
    if (!isSilent)
      expect({ ...about, isTold: wasAwaited || announced === 1 || withdrawn > 0 }).toEqual({ ...about, isTold: true });
    if (wasAwaited) expect({ ...about, announced }).toEqual({ ...about, announced: 0 });
  }
}

const STOPPERS: readonly TaskStopper[] = ["model", "person", "limit", "session"];

seededTest(
  "in any order of start, end, stop, move and read, a task ends once, and its end never changes and is reported once",
  { seed: 20, cases: { quick: 60, deep: 20_000 } },
  async (seed, cases) => {
    for (let index = 0; index < cases; index += 1) await randomLife(seed + index);
  },
  600_000,
);
