import { expect, test } from "bun:test";
import { type AgentSource, MAIN_AGENT } from "../../../src/contracts/agent.ts";
import { TaskRegistry } from "../../../src/services/tasks/task-registry.ts";
import { fakeClock } from "../../support/fake-clock.ts";

const agent = (agentId: string, parentAgentId: string): AgentSource => ({
  agentId,
  parentAgentId,
  parentToolUseId: null,
  spendSource: "subagent",
});

test("an agent sees its own tasks and those of its children; the session's own agent sees all", async () => {
  const registry = new TaskRegistry({ clock: fakeClock() });
  const child = agent("child", "main");
  const [grandchild, sibling] = [agent("grandchild", "child"), agent("sibling", "main")];
  const work = { refresh: async () => undefined, read: async () => "", stop: async () => undefined };
  for (const owner of [MAIN_AGENT, child, grandchild, sibling]) {
    const { agentId } = owner;
    registry
      .seenBy(owner)
      .add({ kind: "shell", can: [], owner, title: agentId, description: "", outputFile: "/o" }, () => work);
  }
  const titles = (seer: AgentSource) =>
    registry
      .seenBy(seer)
      .list()
      .map(({ title }) => title);
  expect(titles(MAIN_AGENT)).toEqual(["main", "child", "grandchild", "sibling"]);
  expect(titles(child)).toEqual(["child", "grandchild"]);
  expect(titles(grandchild)).toEqual(["grandchild"]);
  const { signal } = new AbortController();
  expect(await registry.seenBy(child).stop("b3", signal)).toMatchObject({ status: "cancelled" });
  await expect((async () => registry.seenBy(grandchild).stop("b2", signal))()).rejects.toThrow(
    'no background task "b2"',
  );
});

test.each(["answers", "fails"])(
  "the end of a task is announced once when it comes during a read that %s",
  async (how) => {
    const announced: string[] = [];
    const withdrawn: string[] = [];
    const registry = new TaskRegistry({
      clock: fakeClock(),
      announce: ({ id }) => announced.push(id),
      withdraw: ({ id }) => withdrawn.push(id),
    });
    const tasks = registry.seenBy(MAIN_AGENT);
    const about = { kind: "shell", can: [], owner: MAIN_AGENT, title: "", description: "", outputFile: "/o" } as const;
    tasks.add(about, ({ end }) => ({
      refresh: async () => undefined,
      read: async (isOver) => {
        if (!isOver) end({ status: "completed", state: "has ended" });
        if (how === "fails") throw new Error("The file is gone.");
        return "some output";
      },
      stop: async () => undefined,
    }));
    const wait = { block: false, timeoutMs: 0, signal: new AbortController().signal };
    const first = await tasks.output("b1", wait).catch(() => undefined);
    expect(first?.task.status).toBe(how === "fails" ? undefined : "running");
    expect([announced, withdrawn]).toEqual([["b1"], []]);
    await tasks.output("b1", wait).catch(() => undefined);
    expect([announced, withdrawn]).toEqual([["b1"], how === "fails" ? [] : ["b1"]]);
  },
);

test("a watched line that comes while the output is read ends the next wait", async () => {
  const registry = new TaskRegistry({ clock: fakeClock() });
  const tasks = registry.seenBy(MAIN_AGENT);
  const about = { kind: "shell", can: [], owner: MAIN_AGENT, title: "", description: "", outputFile: "/o" } as const;
  const texts = ["before", "ready"];
  tasks.add(about, ({ matched }) => ({
    refresh: async () => undefined,
    read: async () => {
      if (texts.length === 2) matched(["ready"]);
      return texts.shift() ?? "";
    },
    get hasMatch() {
      return texts.length === 1;
    },
    stop: async () => undefined,
  }));
  const { signal } = new AbortController();
  const text = async (block: boolean) => (await tasks.output("b1", { block, timeoutMs: 60_000, signal })).text;
  expect(await text(false)).toBe("before");
  expect(await text(true)).toBe("ready");
});

test("a watched line ends a wait during which another call read the output", async () => {
  const clock = fakeClock();
  const tasks = new TaskRegistry({ clock }).seenBy(MAIN_AGENT);
  const about = { kind: "shell", can: [], owner: MAIN_AGENT, title: "", description: "", outputFile: "/o" } as const;
  let match: (lines: readonly string[]) => void = () => undefined;
  tasks.add(about, ({ matched }) => {
    match = matched;
    return { refresh: async () => undefined, read: async () => "text", stop: async () => undefined };
  });
  const { signal } = new AbortController();
  let hasEnded = false;
  const waiting = tasks.output("b1", { block: true, timeoutMs: 60_000, signal }).then(() => {
    hasEnded = true;
  });
  await tasks.output("b1", { block: false, timeoutMs: 0, signal });
  match(["ready"]);
  await clock.advance(1);
  expect(hasEnded).toBe(true);
  await waiting;
});
