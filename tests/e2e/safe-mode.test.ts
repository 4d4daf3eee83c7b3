import { expect, setDefaultTimeout, test } from "bun:test";
import { reply, toolUse } from "@quoll/model-twin/scenario";
import { deepTest } from "../support/deep.ts";
import { quollPlace, resultsIn } from "../support/quoll-process.ts";

setDefaultTimeout(60_000);

const SKILL = "---\nname: own-skill\ndescription: d\n---\nbody\n";
const AGENT = "---\nname: own-agent\ndescription: d\n---\nbody\n";
const HOOK = { type: "command", command: "touch hook-ran; exit 2" };
const SERVER = { command: "sh", args: ["-c", "touch server-ran; cat"] };
const SETTINGS = {
  sandbox: { enabled: false },
  hooks: { SessionStart: [{ hooks: [HOOK] }], PreToolUse: [{ hooks: [HOOK] }] },
  statusLine: { type: "command", command: "touch status-ran" },
  outputStyle: "pirate",
  agent: "own-agent",
  terminal: { theme: "missing" },
  permissions: {
    allow: ["Bash(touch *)", "Write", "Edit"],
    deny: ["Bash(touch denied*)"],
    ask: ["Bash(ls *)"],
    defaultMode: "acceptEdits",
  },
};

const place = () =>
  quollPlace({
    settings: SETTINGS,
    files: {
      "CLAUDE.md": "An instruction of the project.\n",
      ".quoll/settings.json": JSON.stringify({ hooks: SETTINGS.hooks, permissions: { allow: ["Bash(touch *)"] } }),
      ".claude/skills/own-skill/SKILL.md": SKILL,
      ".claude/commands/own-command.md": "body\n",
      ".claude/agents/own-agent.md": AGENT,
      ".quoll/extensions/own.ts":
        'import { writeFileSync } from "node:fs";\nwriteFileSync("extension-ran", "");\nexport default {};\n',
      ".mcp.json": JSON.stringify({ mcpServers: { one: SERVER } }),
      "shop/.claude-plugin/plugin.json": JSON.stringify({ name: "shop" }),
      "shop/commands/buy.md": "body\n",
    },
    scenario: [
      reply([toolUse("Bash", { command: "touch made", description: "d" })]),
      reply([toolUse("Bash", { command: "touch denied", description: "d" })]),
      reply([toolUse("Write", { file_path: "new.txt", content: "x\n" })]),
      reply("Done."),
    ],
  });
const OPTIONS = ["--plugin-dir", "shop", "--mcp-config", JSON.stringify({ mcpServers: { two: SERVER } })];
const FORMAT = ["-p", "go", "--trust", "--output-format", "stream-json", "--verbose"];

type Init = Readonly<
  Record<"tools" | "skills" | "slash_commands" | "agents" | "mcp_servers" | "plugins", readonly unknown[]>
>;
const initOf = (out: string) => JSON.parse(out.split("\n", 1)[0] ?? "") as Init;
const RAN = ["hook-ran", "status-ran", "server-ran", "extension-ran"];

test("--safe-mode starts without any customisation, with all tools, and only restrictions of the settings count", async () => {
  await using here = await place();
  const { code, out, err } = await here.run([...FORMAT, ...OPTIONS, "--safe-mode"]);
  const init = initOf(out);
  expect(init.tools).toEqual(
    expect.arrayContaining(["Read", "Edit", "Write", "Bash", "Grep", "Glob", "Agent", "TodoWrite"]),
  );
  const names = JSON.stringify([init.skills, init.slash_commands, init.agents, init.mcp_servers, init.plugins]);
  for (const name of ["own-skill", "own-command", "own-agent", "one", "two", "shop", "buy"])
    expect(names).not.toContain(`"${name}"`);
  expect(init.agents).toContain("Explore");
  expect(JSON.stringify(here.sent())).not.toContain("An instruction of the project.");
  const made = await Promise.all(RAN.map((name) => Bun.file(here.project.path(name)).exists()));
  expect(made).toEqual(RAN.map(() => false));
  const results = resultsIn(here.sent().at(-1));
  expect(results).toHaveLength(3);
  expect(results[1]).toContain("deny rule");
  for (const name of ["made", "denied", "new.txt"])
    expect(await Bun.file(here.project.path(name)).exists()).toBe(false);
  expect(code).toBe(4);
  expect(err).toContain("safe mode: hooks,");
});

deepTest("the same session without --safe-mode has all customisations", async () => {
  await using here = await place();
  const { out } = await here.run([...FORMAT, ...OPTIONS, "--agent", "own-agent"]);
  const init = initOf(out);
  const names = JSON.stringify([init.skills, init.slash_commands, init.agents, init.mcp_servers, init.plugins]);
  for (const name of ["own-skill", "own-command", "own-agent", "two", "shop"]) expect(names).toContain(name);
  expect(await Bun.file(here.project.path("hook-ran")).exists()).toBe(true);
});

test("--safe-mode leaves out --agent and the command line's servers, and keeps its rules", async () => {
  await using here = await place();
  const options = ["--safe-mode", "--agent", "own-agent", "--agents", "{}", "--allowed-tools", "Bash(touch *)"];
  const { code, err } = await here.run(["-p", "go", "--trust", ...options]);
  expect(await Bun.file(here.project.path("made")).exists()).toBe(true);
  expect(await Bun.file(here.project.path("denied")).exists()).toBe(false);
  expect([code, err]).toEqual([4, expect.stringContaining("safe mode: hooks,")]);
});

test("--safe-mode says of a command of the project that it is off", async () => {
  await using here = await place();
  const { code, err } = await here.run(["-p", "/own-command", "--trust", "--safe-mode"]);
  expect([code, err]).toEqual([2, expect.stringContaining("Safe mode has no command /own-command")]);
});

test("a fault in the customisation of a settings file stops a start, but not with --safe-mode", async () => {
  const broken = JSON.stringify({
    hooks: "oops",
    statusLine: 5,
    outputStyle: {},
    permissions: { deny: ["Bash(touch *)"] },
  });
  await using here = await quollPlace({
    files: {
      ".quoll/settings.json": broken,
      ".quoll/agents/a.md": "---\n: [\n",
      ".claude/skills/s/SKILL.md": "---\n: [\n",
    },
    scenario: [reply([toolUse("Bash", { command: "touch made", description: "d" })]), reply("Done.")],
  });
  await Bun.write(here.home.path("own/config/keybindings.json"), "{");
  expect((await here.run(["-p", "go", "--trust"])).code).toBe(2);
  const { code, out } = await here.run(["-p", "go", "--trust", "--safe-mode"]);
  expect([code, out]).toEqual([0, "Done.\n"]);
  expect(resultsIn(here.sent().at(-1)).join()).toContain("deny rule Bash(touch *)");
  const broader = await here.run(["-p", "go", "--safe-mode", "--settings", "{"]);
  expect(broader.code).toBe(2);
});
