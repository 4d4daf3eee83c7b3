// biome-ignore-all lint/suspicious/noTemplateCurlyInString: these are texts of a plugin, not templates
import { expect, test } from "bun:test";
import { symlinkSync } from "node:fs";
import type { PluginSource } from "../../../src/services/plugins/read-plugin.ts";
import { readPlugin } from "../../../src/services/plugins/read-plugin.ts";
import { below, SHOP_PLUGIN } from "../../support/plugin-fixture.ts";
import { tempProject } from "../../support/temp-project.ts";

const pluginIn = (root: string, more: Partial<PluginSource> = {}) =>
  readPlugin({ root, marketplace: "inline", dataFolder: "/data", ...more });
const manifest = (fields: object) => ({ ".claude-plugin/plugin.json": JSON.stringify({ name: "p", ...fields }) });
const skill = (name: string) => ({ [`${name}/SKILL.md`]: `---\nname: ${name}\ndescription: D\n---\nText.\n` });

test("a plugin of the published layout has a part of each kind", async () => {
  await using place = await tempProject(SHOP_PLUGIN);
  const root = place.dir;
  const plugin = { name: "shop", root, data: "/data/shop-inline" };
  expect(pluginIn(root)).toEqual({
    ...{ ...plugin, id: "shop@inline", version: "1.0.0", description: "Helps in a shop" },
    skills: [{ folder: place.path("skills") }],
    commands: [{ folder: place.path("commands") }],
    styles: [{ folder: place.path("output-styles") }],
    agents: ["clerk"],
    agentFiles: [{ folder: place.path("agents") }],
    hooks: [
      {
        ...{ event: "PreToolUse", matcher: "Bash", file: place.path("hooks/hooks.json"), layer: "user", plugin },
        hook: { type: "command", command: 'bash "${CLAUDE_PLUGIN_ROOT}/scripts/note.sh"' },
      },
    ],
    servers: { till: { command: process.execPath, args: ["${CLAUDE_PLUGIN_ROOT}/server.mjs"] } },
    unsupported: ["language servers"],
    problems: [],
  });
});

test("paths of the manifest replace the folders of commands and styles, and are added to skills, hooks and servers", async () => {
  const hooks = (command: string) => ({ Stop: [{ hooks: [{ type: "command", command }] }] });
  await using place = await tempProject({
    ...manifest({
      commands: ["./more/one.md", "./extra"],
      outputStyles: "./looks",
      skills: "./own/solo",
      hooks: hooks("two"),
      mcpServers: { b: { command: "b" } },
    }),
    "hooks/hooks.json": JSON.stringify({ hooks: hooks("one") }),
    ".mcp.json": JSON.stringify({ mcpServers: { a: { command: "a" }, b: { command: "old" } } }),
    ...{ "more/one.md": "x", "extra/two.md": "x", "commands/usual.md": "x", "looks/a.md": "x" },
    ...below("own", skill("solo")),
    ...below("skills", skill("usual")),
  });
  const plugin = pluginIn(place.dir);
  expect(plugin.commands).toEqual([{ folder: place.path("more"), only: "one.md" }, { folder: place.path("extra") }]);
  expect(plugin.styles).toEqual([{ folder: place.path("looks") }]);
  expect(plugin.skills).toEqual([{ folder: place.path("skills") }, { folder: place.path("own"), only: "solo" }]);
  expect(plugin.hooks.map(({ hook }) => hook.command)).toEqual(["one", "two"]);
  expect(plugin.servers).toEqual({ a: { command: "a" }, b: { command: "b" } });
});

test("an entry of a marketplace with `strict: false` alone says which parts a plugin has", async () => {
  await using place = await tempProject({
    ...below("skills", { ...skill("a"), ...skill("b") }),
    "hooks/hooks.json": "{}",
  });
  const fields = { name: "docs", skills: ["./skills/a"] };
  const plugin = pluginIn(place.dir, { entry: { fields, isWhole: true } });
  expect(plugin).toMatchObject({ name: "docs", skills: [{ folder: place.path("skills"), only: "a" }], hooks: [] });
  await place.write(".claude-plugin/plugin.json", JSON.stringify({ name: "docs", commands: "./c" }));
  expect(() => pluginIn(place.dir, { entry: { fields, isWhole: true } })).toThrow(
    "its .claude-plugin/plugin.json declares commands, but its marketplace says `strict: false`",
  );
});

test("paths out of a plugin, also by a link, are named and not used", async () => {
  await using outside = await tempProject({ "c/x.md": "x" });
  await using place = await tempProject(
    manifest({ commands: ["../c", "/etc", "./gone", "./link", 7], skills: "./link" }),
  );
  symlinkSync(outside.path("c"), place.path("link"));
  const plugin = pluginIn(place.dir);
  expect({ commands: plugin.commands, skills: plugin.skills }).toEqual({ commands: [], skills: [] });
  expect(plugin.problems).toEqual([
    'skills: "./link" is not a path in the plugin',
    'commands: "../c" is not a path in the plugin',
    'commands: "/etc" is not a path in the plugin',
    'commands: there is no "./gone"',
    'commands: "./link" is not a path in the plugin',
    "commands must be a path or a list of paths",
  ]);
});

test("a hook that does not fit costs a line, not the other hooks", async () => {
  const hooks = { Stop: [{ hooks: [{ type: "command" }, { type: "command", command: "ok" }] }], Stopp: [] };
  await using place = await tempProject({ ...manifest({}), "hooks/hooks.json": JSON.stringify({ hooks }) });
  const plugin = pluginIn(place.dir);
  expect(plugin.hooks.map(({ hook }) => hook.command)).toEqual(["ok"]);
  expect(plugin.problems).toEqual([
    "hooks: Stop: command must be some text, since the type is command",
    'hooks: there is no event "Stopp"',
  ]);
});

test("a plugin without a manifest has the name of its folder, and one whose manifest is malformed is refused", async () => {
  await using place = await tempProject({
    "tools/skills/a/SKILL.md": "x",
    "bad/.claude-plugin/plugin.json": '{"name": "a b"}',
  });
  expect(pluginIn(place.path("tools"))).toMatchObject({ id: "tools@inline" });
  expect(() => pluginIn(place.path("bad"))).toThrow("`name` must be letters");
});
