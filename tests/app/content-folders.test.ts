import { expect, test } from "bun:test";
import {
  AGENT_FOLDERS,
  contentFolders,
  EXTENSION_FOLDERS,
  SKILL_FOLDERS,
  STYLE_FOLDERS,
} from "../../src/app/content-folders.ts";
import type { Plugin } from "../../src/contracts/plugin.ts";
import { tempProject } from "../support/temp-project.ts";

const KINDS = [SKILL_FOLDERS, AGENT_FOLDERS, EXTENSION_FOLDERS, STYLE_FOLDERS] as const;
const FILES = {
  "home/.claude/agents/a.md": "",
  "home/.quoll/output-styles/a.md": "",
  "home/.agents/skills/a/SKILL.md": "",
  "config/agents/a.md": "",
  "config/extensions/a.ts": "",
  "repo/.quoll/agents/a.md": "",
  "repo/.claude/skills/a/SKILL.md": "",
  "repo/.claude/commands/a.md": "",
  "repo/.quoll/extensions/a.ts": "",
  "repo/.quoll/output-styles/a.md": "",
  "repo/app/.claude/agents/a.md": "",
  "repo/app/.agents/skills/a/SKILL.md": "",
  "repo/app/.quoll/commands/a.md": "",
  "repo/app/.quoll/extensions/a.ts": "",
  "plugin/extensions/a.ts": "",
  "plugin/agents/a.md": "",
} as const;

type Place = Awaited<ReturnType<typeof tempProject>>;

function pluginIn(place: Place): Plugin {
  const agentFiles = [{ folder: place.path("plugin/agents"), only: "a.md" }];
  const skills = [{ folder: place.path("plugin/missing") }];
  const none = { commands: [], styles: [], agents: [], hooks: [], servers: {}, unsupported: [], problems: [] };
  return { name: "shop", id: "shop@x", root: place.path("plugin"), data: "", skills, agentFiles, ...none };
}

function foldersOf(place: Place, isTrusted: boolean, config: Parameters<typeof contentFolders>[0] = {}) {
  const own = { home: place.path("home"), config: place.path("config") };
  const project = { cwd: place.path("repo/app"), root: place.path("repo") };
  const sources = { env: {}, own, project, plugins: [pluginIn(place)], isTrusted };
  return KINDS.map((kind) =>
    contentFolders(config, sources, kind).map(({ folder }) => folder.slice(place.dir.length + 1)),
  );
}

const PLUGIN_AGENTS = "plugin/agents";
const PLUGIN_EXTENSIONS = "plugin/extensions";

test("the folders of each kind are listed in the order of precedence, without missing ones", async () => {
  await using place = await tempProject(FILES);
  expect(foldersOf(place, true)).toEqual([
    [
      "home/.agents/skills",
      ...["repo/app/.agents/skills", "repo/.claude/skills"],
      ...["repo/app/.quoll/commands", "repo/.claude/commands"],
    ],
    ["repo/app/.claude/agents", "repo/.quoll/agents", "config/agents", "home/.claude/agents", PLUGIN_AGENTS],
    ["config/extensions", "repo/.quoll/extensions", PLUGIN_EXTENSIONS],
    ["repo/.quoll/output-styles", "home/.quoll/output-styles"],
  ]);
});

test("an untrusted project has folders of skills, but none of agents, extensions and output styles", async () => {
  await using place = await tempProject(FILES);
  const [skills, ...others] = foldersOf(place, false);
  expect(skills?.filter((folder) => folder.startsWith("repo/"))).toHaveLength(4);
  expect(others.flat().filter((folder) => folder.startsWith("repo/"))).toEqual([]);
});

test("a session that reads only the user's settings uses no files of the project, and a bare one no files at all", async () => {
  await using place = await tempProject(FILES);
  expect(foldersOf(place, true, { settingSources: ["user"] })).toEqual([
    ["home/.agents/skills"],
    ["config/agents", "home/.claude/agents", PLUGIN_AGENTS],
    ["config/extensions", PLUGIN_EXTENSIONS],
    ["home/.quoll/output-styles"],
  ]);
  expect(foldersOf(place, true, { isBare: true }).flat()).toEqual([]);
});

test("files of the project and of plugins must lie in them, those of the user may lie anywhere", async () => {
  await using place = await tempProject(FILES);
  const own = { home: place.path("home"), config: place.path("config") };
  const project = { cwd: place.path("repo"), root: place.path("repo") };
  const sources = { env: {}, own, project, plugins: [pluginIn(place)], isTrusted: true };
  const found = contentFolders({}, sources, AGENT_FOLDERS).map(({ origin, within, plugin, only }) => [
    ...[origin, within?.slice(place.dir.length + 1), plugin, only],
  ]);
  expect(found).toEqual([
    ["project", "repo", undefined, undefined],
    ["user", undefined, undefined, undefined],
    ["user", undefined, undefined, undefined],
    ["plugin", "plugin", "shop", "a.md"],
  ]);
});
