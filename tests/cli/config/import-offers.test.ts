import { expect, test } from "bun:test";
import { importOffer, rememberImported } from "../../../src/cli/config/import-offers.ts";
import { tempProject } from "../../support/temp-project.ts";

const json = JSON.stringify;
const FILES = {
  "home/.claude/settings.json": json({
    permissions: { allow: ["Bash(npm test *)", "Bash(make *)"], deny: ["Read(.env)"] },
    hooks: { Stop: [{ hooks: [{ type: "command", command: "x" }] }] },
    language: "German",
  }),
  "home/.codex/config.toml": '[mcp_servers.a]\ncommand = "a"\n[mcp_servers.b]\ncommand = "b"\n',
};

async function homeWith(files: Readonly<Record<string, string>>) {
  const place = await tempProject(files);
  const folder = (name: string) => place.path(`home/quoll/${name}`);
  const own = {
    config: folder("c"),
    data: folder("d"),
    state: folder("s"),
    cache: folder("k"),
    home: place.path("home"),
  };
  const paths = { user: folder("c/settings.json"), own: folder("c/own.json"), managed: place.path("managed.json") };
  const parts = { own, paths, env: {}, isTrusted: false, project: { root: place.path("repo") } };
  return { place, parts, [Symbol.asyncDispose]: () => place[Symbol.asyncDispose]() };
}

test("settings of other agents are offered by name and count, in three sessions", async () => {
  await using home = await homeWith(FILES);
  const line =
    "Found settings of Claude Code (3 rules, 1 hook, 1 setting) and Codex (2 MCP servers): quoll config import";
  for (const _ of [1, 2, 3]) expect(await importOffer(home.parts)).toBe(line);
  expect(await importOffer(home.parts)).toBeUndefined();
});

test("imported settings are not offered again, nor are those that Quoll has already", async () => {
  await using home = await homeWith(FILES);
  await rememberImported(home.parts.own.state, ["claude"]);
  expect(await importOffer(home.parts)).toBe("Found settings of Codex (2 MCP servers): quoll config import");
  await home.place.write("home/quoll/c/mcp.json", json({ mcpServers: { a: { command: "a" }, b: { command: "b" } } }));
  expect(await importOffer(home.parts)).toBeUndefined();
});

test("without such settings there is no offer, and nothing is written", async () => {
  await using home = await homeWith({ "home/.claude.json": json({ numStartups: 3 }) });
  expect(await importOffer(home.parts)).toBeUndefined();
  expect(await Bun.file(home.place.path("home/quoll/s/import-offers.json")).exists()).toBe(false);
});
