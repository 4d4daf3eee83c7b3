import { expect, setDefaultTimeout, test } from "bun:test";
import { createServer } from "node:net";
import { join } from "node:path";
import { MAIN_AGENT } from "../../../../src/contracts/agent.ts";
import type { NewQuestion, Reply } from "../../../../src/contracts/question.ts";
import { makeGrant } from "../../../../src/contracts/subject.ts";
import { systemClock } from "../../../../src/platform/clock.ts";
import { stopSpawn } from "../../../../src/platform/processes/stop-ladder.ts";
import { BackgroundShells } from "../../../../src/services/tools/bash/background-shells.ts";
import { BASH_LIMITS } from "../../../../src/services/tools/bash/limits.ts";
import { ServerPorts } from "../../../../src/services/tools/bash/server-ports.ts";
import { taskOutputTool } from "../../../../src/services/tools/task-output/task-output.ts";
import { deepTest } from "../../../support/deep.ts";
import { until } from "../../../support/eventually.ts";
import { toolContext, toolPorts } from "../../../support/tool-context.ts";
import { sandboxPlace } from "../../sandbox/sandbox-fixture.ts";

setDefaultTimeout(60_000);

const SERVE = (port: number) => `exec python3 -m http.server ${port} --bind 127.0.0.1 >/dev/null 2>&1`;

type Options = { readonly answer?: Reply["decision"]; readonly canAsk?: boolean };

/** Servers in a real sandbox; a person who gives one answer to each question. */
async function servers({ answer = "once", canAsk = true }: Options = {}) {
  const cleanup = new AsyncDisposableStack();
  const at = cleanup.use(await sandboxPlace());
  const asked: string[] = [];
  const told: string[] = [];
  const asker = {
    canAsk,
    ask: async ({ title }: NewQuestion): Promise<Reply> => {
      asked.push(title);
      return { decision: answer } as Reply;
    },
  };
  const opener = () => at.sandbox.portOpener();
  const ports = new ServerPorts({ clock: systemClock, asker, opener, onNotice: (line) => void told.push(line) });
  cleanup.defer(() => ports.close());
  let count = 0;
  const start = async (script: string) => {
    const { spawn, tag, confined } = await at.start(script);
    let isRunning = true;
    count += 1;
    const task = { id: `b${count}`, command: script, spawn: { ...spawn, tag }, isRunning: () => isRunning };
    const watched = ports.watch(task);
    const stop = async () => {
      await stopSpawn(task.spawn, systemClock, { interruptMs: 0, terminateMs: 0 });
      isRunning = false;
      await watched;
      await confined.dispose();
    };
    return { stop };
  };
  const fetched = (address: string) =>
    fetch(`http://${address}/`).then(
      ({ status }) => status,
      () => "closed",
    );
  return { ...at, ports, asked, told, start, fetched, [Symbol.asyncDispose]: () => cleanup.disposeAsync() };
}

test("a server's port is asked for once, open on 127.0.0.1 after a yes, listed, and closed with its server", async () => {
  await using at = await servers();
  const first = await at.start(SERVE(8131));
  await until(() => at.ports.list().length === 1);
  expect(at.ports.list()).toMatchObject([{ port: 8131, address: "127.0.0.1:8131", taskId: "b1" }]);
  expect(await at.fetched("127.0.0.1:8131")).toBe(200);
  expect(at.told).toEqual(["Port 8131 of b1 is open to you at http://127.0.0.1:8131 until its server ends."]);
  await first.stop();
  expect(at.ports.list()).toEqual([]);
  expect(await at.fetched("127.0.0.1:8131")).toBe("closed");
  const again = await at.start(SERVE(8131));
  await until(() => at.ports.list().length === 1);
  expect(at.ports.list("b2")).toHaveLength(1);
  expect(at.asked).toEqual(["Open port 8131 to you?"]);
  await again.stop();
});

deepTest("a server on IPv6 alone is reached too", async () => {
  await using at = await servers();
  await at.start("exec python3 -m http.server 8137 --bind ::1 >/dev/null 2>&1");
  await until(() => at.ports.list().length === 1);
  expect(await at.fetched("127.0.0.1:8137")).toBe(200);
});

deepTest("a port that is taken outside is open on another one", async () => {
  await using at = await servers();
  const taken = createServer();
  await new Promise<void>((done) => taken.listen(8132, "127.0.0.1", done));
  try {
    await at.start(SERVE(8132));
    await until(() => at.ports.list().length === 1);
    const [open] = at.ports.list();
    expect(open?.address).toMatch(/^127\.0\.0\.1:(?!8132$)\d+$/);
    expect(await at.fetched(open?.address ?? "")).toBe(200);
  } finally {
    taken.close();
  }
});

test("after a no, and for what the system numbers itself, nothing is open", async () => {
  await using at = await servers({ answer: "reject" });
  await at.start(SERVE(40_133));
  await at.start(SERVE(8133));
  await until(() => at.asked.length === 1);
  // Until a later server is asked for, the others were looked at several times.
  await at.start(SERVE(8136));
  await until(() => at.asked.length === 2);
  expect(at.asked).toEqual(["Open port 8133 to you?", "Open port 8136 to you?"]);
  expect(at.ports.list()).toEqual([]);
  expect(await at.fetched("127.0.0.1:8133")).toBe("closed");
});

deepTest("a server on many ports asks three questions, then one line, until the person calls for more", async () => {
  await using at = await servers({ answer: "reject" });
  const ports = Array.from({ length: 30 }, (_, at) => 9000 + at).join(",");
  const listens = `exec python3 -c "
import socket, time
held = [socket.create_server(('127.0.0.1', port)) for port in (${ports})]
time.sleep(60)"`;
  await at.start(listens);
  await until(() => at.asked.length >= 3);
  await until(() => at.told.length >= 1 || at.asked.length >= 30);
  expect([at.asked.length, at.told]).toEqual([3, ["b1 listens on further ports: /ports asks about the next ones."]]);
  expect(at.ports.askNext()).toBe(true);
  await until(() => at.told.length === 2);
  expect([at.asked.length, new Set(at.asked).size]).toEqual([6, 6]);
});

test("where nobody can be asked, nothing is watched", async () => {
  await using at = await servers({ canAsk: false });
  const server = await at.start(SERVE(8134));
  await server.stop();
  expect(at.asked).toEqual([]);
});

test("TaskOutput tells the model where the user reaches a task's port", async () => {
  await using at = await sandboxPlace();
  const ports = toolPorts();
  const shells = new BackgroundShells({ clock: systemClock, limits: BASH_LIMITS, tasks: ports.tasks });
  const { spawn, tag } = await at.start("exec sleep 300");
  const logPath = join(at.artifacts, `${tag}.log`);
  shells.add({
    owner: MAIN_AGENT,
    spawn: { ...spawn, tag },
    command: "serve",
    description: "",
    logPath,
    exited: spawn.exited,
  });
  const open = { port: 5173, address: "127.0.0.1:5173", taskId: "b1", command: "serve" };
  const tool = taskOutputTool({ list: (id) => (id === "b1" ? [open] : []) });
  const textFor = async (id: string) => {
    const call = await tool.prepare({ task_id: id, block: false }, toolContext(ports));
    const { content } = await call.run(
      makeGrant({ toolUseId: "t", confinement: "none", decidedBy: { kind: "default" }, notes: [] }),
      () => undefined,
    );
    return JSON.stringify(content);
  };
  expect(await textFor("b1")).toContain("[b1 is running; the user reaches port 5173 at 127.0.0.1:5173]");
  await shells.closeAll();
});
