import { expect, setDefaultTimeout, test } from "bun:test";
import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { oneProcess, sessionIn } from "../../support/app-harness.ts";
import { ROOT } from "../../support/built.ts";
import { deepTest } from "../../support/deep.ts";
import { eventually } from "../../support/eventually.ts";
import { tempProject } from "../../support/temp-project.ts";

setDefaultTimeout(60_000);

const MANY = 60;
const FEW = 3;
/** The last built-in tools where something is deferred, in their order. */
const LAST = ["Agent", "WebFetch", "AskUserQuestion"];

type Body = { readonly tools: readonly { readonly name: string }[]; readonly messages: unknown };

/**
 * A session whose server answers after its gate is opened, with the tools of a request before and of one after that.
 */
async function lateServer(count: number, isKnown: boolean) {
  await using here = await oneProcess();
  await using place = await tempProject();
  const gate = place.path("gate");
  const args = [join(ROOT, "tests/services/mcp/servers/shop-server.ts"), String(count), gate];
  const configs = [JSON.stringify({ mcpServers: { shop: { command: process.execPath, args } } })];
  const open = () => writeFileSync(gate, "");
  const shut = () => rmSync(gate);
  if (isKnown) {
    open();
    const earlier = await sessionIn(here.app, place.dir, { mcp: { configs, inProcess: [] } });
    await earlier.session.close();
    shut();
  }
  const { session, events } = await sessionIn(here.app, place.dir, {
    mcp: { configs, inProcess: [], isInBackground: true },
  });
  session.servers.start();
  await session.main.engine.submit({ prompt: "one" });
  open();
  await eventually("the server is connected", () => session.servers.client?.states[0]?.status === "connected");
  await session.main.engine.submit({ prompt: "two" });
  const bodies = here.twin.requests.map(({ body }) => body as Body);
  const changes = events.flatMap(({ event }) => (event.type === "tools_changed" ? [event] : []));
  await session.close();
  return {
    changes,
    names: bodies.map(({ tools }) =>
      tools.map(({ name }) => name).slice("Read Edit Write Bash Glob Grep".split(" ").length),
    ),
    told: bodies.map(({ messages }) => JSON.stringify(messages).includes("mcp__shop__*: ")),
  };
}

test("a server that nobody knows and that answers late is announced, and the tool list stays", async () => {
  const { names, told, changes } = await lateServer(FEW, false);
  expect(names[0]?.slice(-4)).toEqual([...LAST, "NotebookEdit"]);
  expect(names[1]).toEqual(names[0] ?? []);
  expect(told).toEqual([false, true]);
  expect(changes).toEqual([]);
});

deepTest("a server whose last list was long is deferred before it answers", async () => {
  const { names, told, changes } = await lateServer(MANY, true);
  expect(names[0]?.slice(-3)).toEqual(LAST);
  expect(names[1]).toEqual(names[0] ?? []);
  expect(told).toEqual([false, true]);
  expect(changes).toEqual([]);
});

deepTest(
  "a server whose last list was short joins the end of the tool list when it answers, and the price is reported",
  async () => {
    const { names, told, changes } = await lateServer(FEW, true);
    const joined = ["change_list", "create_order", "list_order", "update_order"].map((name) => `mcp__shop__${name}`);
    expect(names[0]).not.toContain("ToolSearch");
    expect(names[1]).toEqual([...(names[0] ?? []), ...joined]);
    expect(told).toEqual([false, false]);
    expect(changes).toMatchObject([{ added: joined, changed: [] }]);
    expect(changes[0]?.resentTokens).toBeGreaterThan(500);
  },
);

deepTest(
  "servers in the background load and start after the screen; a session that ends before starts none",
  async () => {
    await using here = await oneProcess();
    await using place = await tempProject();
    const args = [join(ROOT, "tests/services/mcp/servers/shop-server.ts"), String(FEW)];
    const configs = [JSON.stringify({ mcpServers: { shop: { command: process.execPath, args } } })];
    const open = async () =>
      (await sessionIn(here.app, place.dir, { mcp: { configs, inProcess: [], isInBackground: true } })).session;
    const unstarted = await open();
    const told: string[] = [];
    unstarted.servers.onClient(() => told.push("unstarted"));
    await unstarted.close();
    unstarted.servers.start();

    const session = await open();
    expect(session.servers.client).toBeUndefined();
    session.servers.onClient(({ states }) => told.push(...states.map(({ name, status }) => `${name} ${status}`)));
    session.servers.start();
    await session.commands.context.mcp?.known();
    expect(told).toEqual(["shop pending"]);
    await session.close();
    expect(session.servers.client?.states.map(({ status }) => status)).not.toContain("pending");
    expect(unstarted.servers.client).toBeUndefined();
  },
);

test("a session in the background reads its servers only after the start, but refuses a faulty value at once", async () => {
  await using here = await oneProcess();
  await using place = await tempProject();
  const file = place.path("servers.json");
  const program = { command: process.execPath, args: [join(ROOT, "tests/services/mcp/servers/shop-server.ts"), "1"] };
  const write = (mcpServers: object) => writeFileSync(file, JSON.stringify({ mcpServers }));
  const open = (config: string) =>
    sessionIn(here.app, place.dir, { mcp: { configs: [config], inProcess: [], isInBackground: true } });
  await expect(open("missing.json")).rejects.toThrow("missing.json");
  await expect(open('{"servers": {}}')).rejects.toThrow("mcpServers");

  write({ early: program });
  const { session } = await open(file);
  expect(session.servers.isExpecting).toBe(true);
  write({ late: program });
  session.servers.start();
  await session.servers.known();
  expect(session.servers.isExpecting).toBe(false);
  expect(session.servers.client?.states.map(({ name }) => name)).toEqual(["late"]);
  await session.close();
});
