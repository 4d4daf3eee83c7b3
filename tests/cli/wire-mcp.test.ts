import { expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { wireMcp } from "../../src/cli/wire-mcp.ts";
import { workspaceAt } from "../services/tools/bash/bash-session.ts";
import { tempProject } from "../support/temp-project.ts";

test("for a session that has ended already no server is started", async () => {
  await using place = await tempProject();
  const silent = { command: "bash", args: ["-c", "touch started; exec sleep 5"] };
  const wiring = {
    workspace: workspaceAt(place.dir),
    environment: { HOME: place.dir, PATH: "/usr/bin:/bin" },
    settings: { passedVariables: [] },
    version: "1",
    warn: () => undefined,
  };
  const configs = [JSON.stringify({ mcpServers: { silent } })];
  const signal = AbortSignal.abort(new Error("It is over."));
  await expect(wireMcp({ ...wiring, request: { configs, inProcess: [], signal } })).rejects.toThrow("It is over.");
  expect(existsSync(place.path("started"))).toBe(false);
});

test("a server's PATH begins with the entries that Quoll was started with", async () => {
  await using place = await tempProject({ ".bash_profile": "export PATH=/usr/bin:/opt/login\n" });
  const said = { command: "bash", args: ["-c", 'printf %s "$PATH" > said'] };
  const wiring = {
    workspace: workspaceAt(place.dir),
    environment: { HOME: place.dir, SHELL: "/bin/bash", PATH: `${place.dir}/.venv/bin:/usr/bin:/bin` },
    settings: { passedVariables: [] },
    version: "1",
    warn: () => undefined,
  };
  const configs = [JSON.stringify({ mcpServers: { said } })];
  await (await wireMcp({ ...wiring, request: { configs, inProcess: [] } })).close();
  expect(await place.read("said")).toBe(`${place.dir}/.venv/bin:/usr/bin:/bin:/opt/login`);
});
