import { expect, test } from "bun:test";
import { getEventListeners } from "node:events";
import { existsSync } from "node:fs";
import { wireMcp } from "../../../src/app/mcp/wire-mcp.ts";
import { OrphanWatch } from "../../../src/platform/processes/orphan-watch.ts";
import { workspaceAt } from "../../services/tools/bash/bash-session.ts";
import { tempProject } from "../../support/temp-project.ts";

const SERVER = { kind: "stdio", command: "bash", env: {}, isDisabled: false } as const;

test("for a session that has ended already no server is started", async () => {
  const orphans = new OrphanWatch({});
  await using place = await tempProject();
  const silent = { ...SERVER, name: "silent", args: ["-c", "touch started; exec sleep 5"] };
  const wiring = {
    workspace: workspaceAt(place.dir),
    environment: { env: { HOME: place.dir, PATH: "/usr/bin:/bin" }, settings: { passedVariables: [] } },
    version: "1",
    orphans: async () => orphans,
  };
  const signal = AbortSignal.abort(new Error("It is over."));
  await expect(wireMcp({ ...wiring, servers: [silent], ports: { signal } })).rejects.toThrow("It is over.");
  orphans.close();
  expect(existsSync(place.path("started"))).toBe(false);
});

test("a server's PATH begins with the entries that Quoll was started with, and no listener stays", async () => {
  const orphans = new OrphanWatch({});
  await using place = await tempProject({ ".bash_profile": "export PATH=/usr/bin:/opt/login\n" });
  const said = { ...SERVER, name: "said", args: ["-c", 'printf %s "$PATH" > said'] };
  const wiring = {
    workspace: workspaceAt(place.dir),
    environment: {
      env: { HOME: place.dir, SHELL: "/bin/bash", PATH: `${place.dir}/.venv/bin:/usr/bin:/bin` },
      settings: { passedVariables: [] },
    },
    version: "1",
    orphans: async () => orphans,
  };
  const { signal } = new AbortController();
  const client = await wireMcp({ ...wiring, servers: [said], ports: { signal } });
  await client.settled();
  expect(getEventListeners(signal, "abort").length).toBeGreaterThan(0);
  await client.close();
  expect(getEventListeners(signal, "abort")).toEqual([]);
  orphans.close();
  expect(await place.read("said")).toBe(`${place.dir}/.venv/bin:/usr/bin:/bin:/opt/login`);
});
