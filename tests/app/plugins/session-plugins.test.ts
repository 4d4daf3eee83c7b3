import { describe, expect, test } from "bun:test";
import { rm } from "node:fs/promises";
import { fetchPlugin } from "../../../src/app/plugins/fetch-plugin.ts";
import { keepPlugin } from "../../../src/app/plugins/install-plugin.ts";
import { findWanted } from "../../../src/app/plugins/marketplaces.ts";
import { pluginServerChecks } from "../../../src/app/plugins/plugin-servers.ts";
import { pluginSkillItems } from "../../../src/app/plugins/plugin-skill-hooks.ts";
import { changePluginStore, readPluginStore } from "../../../src/app/plugins/plugin-store.ts";
import { BUILTIN_COMMANDS } from "../../../src/commands/builtin-commands.ts";
import type { TrustRequest } from "../../../src/contracts/permission.ts";
import type { Plugin } from "../../../src/contracts/plugin.ts";
import type { Directories } from "../../../src/platform/directories.ts";
import { readPlugin } from "../../../src/services/plugins/read-plugin.ts";
import { bash, oneProcess, sessionIn } from "../../support/app-harness.ts";
import { deepTest } from "../../support/deep.ts";
import { below, SHOP_PLUGIN } from "../../support/plugin-fixture.ts";
import { tempProject } from "../../support/temp-project.ts";

const commands = { builtin: BUILTIN_COMMANDS };
const signal = new AbortController().signal;
const ID = "shop@folder";
const { ".mcp.json": _, ...WITHOUT_SERVER } = SHOP_PLUGIN;
const asking = (enabled: object) => ({ ".quoll/settings.json": JSON.stringify({ enabledPlugins: enabled }) });

type Process = Awaited<ReturnType<typeof oneProcess>>;

/** Installs the plugin `shop` from a folder, without enabling it. */
async function install({ app }: Process, more: Readonly<Record<string, string>> = {}) {
  await using folder = await tempProject({ ...WITHOUT_SERVER, ...more });
  const place = { own: app.own, env: {} };
  const wanted = await findWanted(folder.dir, place, "/");
  await using fetched = await fetchPlugin(wanted, place, signal);
  expect(await keepPlugin(fetched, wanted, place)).toEqual([]);
}

/** A session of a project whose folder is not trusted yet. */
async function start(here: Process, dir: string, answer: "trust" | "no" = "trust") {
  const asked: TrustRequest[] = [];
  const ports = {
    commands,
    askTrust: async (request: TrustRequest) => {
      asked.push(request);
      return answer;
    },
    askApproval: async () => "no" as const,
  };
  const { session, warnings } = await sessionIn(here.app, dir, { isTrusted: undefined as never }, ports);
  const ids = session.environment.plugins.map(({ id }) => id);
  const hooks = session.environment.hooks.length;
  await session.close();
  return { ids, hooks, warnings, reasons: asked.flatMap(({ reasons }) => reasons) };
}

describe("a plugin that a project asks for", () => {
  test("is shown with what it may do, and counts after the approval", async () => {
    await using here = await oneProcess();
    await install(here);
    await using project = await tempProject(asking({ [ID]: true }));
    const untrusted = await start(here, project.dir, "no");
    expect(untrusted).toMatchObject({ ids: [], hooks: 0 });
    expect(untrusted.reasons.join("\n")).toContain(`uses your plugin ${ID} (skills: /shop:greet;`);
    expect(untrusted.reasons.join("\n")).toContain("runs at PreToolUse (Bash): bash");
    expect(await start(here, project.dir)).toMatchObject({ ids: [ID], hooks: 1 });
    const again = await start(here, project.dir);
    expect(again).toMatchObject({ ids: [ID], hooks: 1, reasons: [] });
  });

  test("names its faulty files by the plugin and their path in it", async () => {
    await using here = await oneProcess();
    await install(here, {
      "skills/odd/SKILL.md": "---\ndescription: Odd\nweird: 1\n---\nx\n",
      "hooks/hooks.json": JSON.stringify({
        hooks: { PreToolUse: [{ matcher: "(", hooks: [{ type: "command", command: "true" }] }] },
      }),
    });
    await using project = await tempProject(asking({ [ID]: true }));
    const { warnings } = await start(here, project.dir);
    expect(warnings).toContain("plugin shop, skills/odd/SKILL.md:3: ignored: weird. `quoll doctor` lists it.");
    expect(warnings.find((line) => line.includes("hooks.json"))).toStartWith("plugin shop, hooks/hooks.json: ");
  });

  deepTest("is named if it is not installed, and nothing is installed", async () => {
    await using here = await oneProcess();
    await using project = await tempProject(asking({ "till@corner": true }));
    Bun.spawnSync(["git", "init", "-q"], { cwd: project.dir });
    const { ids, warnings } = await start(here, project.dir);
    expect(ids).toEqual([]);
    expect(warnings).toEqual([
      "This project uses plugins that you have not installed: till@corner. quoll plugin install NAME shows what one may do.",
    ]);
  });

  test("stays disabled if the person disabled it, and a project can't disable a plugin of the person", async () => {
    await using here = await oneProcess();
    await install(here);
    await here.home.write(".config/quoll/settings.json", JSON.stringify({ enabledPlugins: { [ID]: false } }));
    await using project = await tempProject(asking({ [ID]: true }));
    expect((await start(here, project.dir)).ids).toEqual([]);
    await here.home.write(".config/quoll/settings.json", JSON.stringify({ enabledPlugins: { [ID]: true } }));
    await using other = await tempProject(asking({ [ID]: false }));
    expect((await start(here, other.dir)).ids).toEqual([ID]);
  });
});

test("an installed plugin whose recorded files were not approved is left out with one line", async () => {
  await using here = await oneProcess();
  await install(here);
  await here.home.write(".config/quoll/settings.json", JSON.stringify({ enabledPlugins: { [ID]: true } }));
  await changePluginStore(here.app.own, (store) => ({
    ...store,
    plugins: store.plugins.map((one) => ({ ...one, tree: "0".repeat(64) })),
  }));
  await using project = await tempProject();
  const { ids, hooks, warnings } = await start(here, project.dir);
  expect({ ids, hooks }).toEqual({ ids: [], hooks: 0 });
  expect(warnings).toEqual([
    `the plugin ${ID} is left out, because you have not approved its files: quoll plugin install ${ID} shows them`,
  ]);
});

describe("an installed plugin whose files change on the disk", () => {
  const enabled = JSON.stringify({ enabledPlugins: { [ID]: true } });
  const changed = async ({ app }: Process, path: string) => {
    const [plugin] = (await readPluginStore(app.own)).plugins;
    await Bun.write(`${plugin?.folder}/${path}`, "touch changed\n");
  };

  test("refuses what a hook guards whose script has changed, and is left out after the next start", async () => {
    await using here = await oneProcess();
    await install(here);
    await here.home.write(".config/quoll/settings.json", enabled);
    await using project = await tempProject();
    const { session } = await sessionIn(here.app, project.dir, { answerer: "nobody", allow: ["Bash(*)"] });
    const shell = (command: string) => session.main.engine.submit({ prompt: bash(command) });
    await shell("echo one");
    expect(await Bun.file(project.path("hook-ran")).exists()).toBe(true);
    await changed(here, "cache/left-by-a-program");
    await changed(here, "scripts/note.sh");
    const { denials } = await shell("echo two");
    expect(denials).toEqual([
      expect.objectContaining({ unanswered: true, decidedBy: expect.objectContaining({ kind: "hook" }) }),
    ]);
    expect(await Bun.file(project.path("changed")).exists()).toBe(false);
    await session.close();
    const { ids, warnings } = await start(here, project.dir);
    expect(ids).toEqual([]);
    expect(warnings).toEqual([
      `the plugin ${ID} is left out: files of its hooks or servers have changed since you approved them: quoll plugin install ${ID} restores them`,
    ]);
  });

  test("stays in use if a program of it only keeps other files there", async () => {
    await using here = await oneProcess();
    await install(here);
    await here.home.write(".config/quoll/settings.json", enabled);
    await changed(here, "cache/left-by-a-program");
    await using project = await tempProject();
    expect(await start(here, project.dir)).toMatchObject({ ids: [ID], warnings: [] });
  });

  test("runs the hooks of its skills, which don't loosen rules, only as they were approved", async () => {
    await using here = await oneProcess();
    const destination = { type: "setMode", mode: "acceptEdits", destination: "session" };
    const decision = { behavior: "allow", updatedPermissions: [destination] };
    const answer = { hookSpecificOutput: { hookEventName: "PermissionRequest", decision } };
    const hook = { type: "command", command: 'cat "$CLAUDE_PLUGIN_ROOT/answer.json"' };
    const hooks = JSON.stringify({ PermissionRequest: [{ matcher: "Bash", hooks: [hook] }] });
    const file = "skills/shut/SKILL.md";
    const text = (more: string) => `---\nname: shut\ndescription: d\nhooks: ${hooks}\n---\nShut.${more}\n`;
    await install(here, { [file]: text(""), "answer.json": JSON.stringify(answer) });
    await here.home.write(".config/quoll/settings.json", enabled);
    await using project = await tempProject();
    const { session, warnings } = await sessionIn(here.app, project.dir, { answerer: "nobody" }, { commands });
    const shown = await session.commands.run("/plugins shop", signal);
    expect(JSON.stringify(shown)).toContain("runs at PermissionRequest (Bash): cat");
    expect(JSON.stringify(shown)).toContain(`while /shop:shut is in use (${file})`);
    const use = async (command: string) => {
      const result = await session.commands.run("/shop:shut", signal);
      if (result?.kind !== "prompt") throw new Error(`a prompt, not ${result?.kind}`);
      const { prompt, skill } = result;
      const used = { prompt: `${prompt}\n${bash(command)}`, typed: "/shop:shut", ...(skill && { skill }) };
      const { denials } = await session.main.engine.submit(used);
      return { isRefused: denials.length > 0, mode: session.main.permissions.mode };
    };
    expect(await use("mkdir one")).toEqual({ isRefused: false, mode: "default" });
    const [plugin] = (await readPluginStore(here.app.own)).plugins;
    const inPlugin = (path: string) => `${plugin?.folder}/${path}`;
    await Bun.write(inPlugin(file), text(" Now."));
    expect(await use("mkdir two")).toEqual({ isRefused: true, mode: "default" });
    await Bun.write(inPlugin(file), text(""));
    await Bun.write(inPlugin("answer.json"), JSON.stringify({ ...answer, systemMessage: "changed" }));
    expect(await use("mkdir three")).toEqual({ isRefused: true, mode: "default" });
    expect(warnings.join()).toContain("/shop:shut continues without its hooks: hooks in the skills of the plugin");
  });

  test("asks at the next use of a skill whose text has changed, and one that was installed before the record existed", async () => {
    await using here = await oneProcess();
    const file = "skills/shut/SKILL.md";
    const text = (command: string) =>
      `---\nname: shut\ndescription: d\nallowed-tools: Bash(mkdir *)\n---\nShut.\n!\`${command}\`\n`;
    await install(here, { [file]: text("echo first") });
    await here.home.write(".config/quoll/settings.json", enabled);
    await using project = await tempProject();
    const asked: string[] = [];
    const open = async (answerer: "person" | "nobody", decision: "once" | "reject" = "reject") => {
      const opened = await sessionIn(here.app, project.dir, { answerer, allow: ["Bash(echo *)"] }, { commands });
      const { engine } = opened.session.main;
      opened.session.agents.subscribe(({ event }) => {
        if (event.type !== "question_asked") return;
        asked.push(event.question.title);
        engine.questions.reply(event.question.id, { decision });
      });
      const use = async () => {
        const result = await opened.session.commands.run("/shop:shut", signal);
        return result?.kind === "prompt" ? result.prompt : "";
      };
      return { ...opened, use };
    };
    const approved = await open("person");
    expect(await approved.use()).toContain("Shut.\nfirst");
    const [plugin] = (await readPluginStore(here.app.own)).plugins;
    await Bun.write(`${plugin?.folder}/${file}`, text("echo second"));
    expect(await approved.use()).toContain("[not run, because the user has not approved this text of the skill");
    await approved.session.close();
    expect(asked).toEqual([`Use all parts of the skill ${ID}/shop:shut?`]);
    const alone = await open("nobody");
    expect(await alone.use()).toContain("[not run, because");
    expect(alone.warnings.join()).toContain(`the skill ${ID}/shop:shut is new or has changed`);
    await alone.session.close();
    const again = await open("person", "once");
    expect(await again.use()).toContain("Shut.\nsecond");
    expect(await again.use()).toContain("Shut.\nsecond");
    await again.session.close();
    expect(asked).toHaveLength(2);
    // The answers of an installation by an earlier version name no skills.
    const answers = `${here.app.own.state}/approved-content.json`;
    const stored = await Bun.file(answers).json();
    const older = stored.answers.filter(({ kind }: { kind: string }) => kind !== "skill");
    await Bun.write(answers, JSON.stringify({ ...stored, answers: older }));
    const old = await open("person", "once");
    expect(await old.use()).toContain("Shut.\nsecond");
    await old.session.close();
    expect(asked).toHaveLength(3);
  });

  test("an approval from before the commands of skills were shown does not cover a skill with commands", async () => {
    await using folder = await tempProject({
      "commands/plain.md": "---\nallowed-tools: Read\n---\nPlain.\n",
      "commands/price.md": "---\nallowed-tools: Read\n---\n!`touch price`\n",
    });
    const plugin = readPlugin({ root: folder.dir, marketplace: "corner", dataFolder: folder.path("data") });
    const [plain, price] = (await pluginSkillItems(plugin)).toSorted((a, b) => a.name.localeCompare(b.name));
    expect(price?.lines[0]).toBe(`runs commands when /${plugin.name}:price starts: touch price (commands/price.md)`);
    // Earlier versions kept the text of the skill and of what it names, without a mark.
    expect(plain?.content).not.toContain("commands shown");
    expect(price?.content).toStartWith("commands shown\n");
  });

  test("has a changed server if a file that the server names has changed", async () => {
    await using project = await tempProject({ "data/plugins/shop/server.mjs": "1", "elsewhere/server.mjs": "1" });
    const entry = { command: "node", args: ["$" + "{CLAUDE_PLUGIN_ROOT}/server.mjs"] };
    const plugin = (name: string, root: string) => ({ name, root: project.path(root), servers: { till: entry } });
    const plugins = [plugin("shop", "data/plugins/shop"), plugin("own", "elsewhere")] as unknown as readonly Plugin[];
    const checks = pluginServerChecks({ plugins, own: { data: project.path("data") } as Directories });
    const states = () => [...checks].map(([name, isChanged]) => [name, isChanged()]);
    expect(states()).toEqual([["plugin:shop:till", false]]);
    await project.write("data/plugins/shop/server.mjs", "2");
    expect(states()).toEqual([["plugin:shop:till", true]]);
  });
});

deepTest("/plugins lists the plugins, shows one, and switches it off for the next session", async () => {
  await using here = await oneProcess();
  await install(here);
  const settings = await here.home.write(
    ".config/quoll/settings.json",
    JSON.stringify({ enabledPlugins: { [ID]: true } }),
  );
  await using project = await tempProject();
  const { session } = await sessionIn(here.app, project.dir, {}, { commands });
  const run = (words: string) => session.commands.run(words, signal);
  expect(await run("/plugins")).toMatchObject({ kind: "choose", choices: [{ label: ID, input: `/plugins ${ID}` }] });
  const shown = await run("/plugins shop");
  expect(shown).toMatchObject({ kind: "view", title: `Plugin ${ID} 1.0.0` });
  expect(JSON.stringify(shown)).toContain("runs at PreToolUse (Bash): bash");
  expect(JSON.stringify(await run("/hooks"))).toContain(" · plugin shop, hooks/hooks.json");
  await expect(run("/plugins shp@folder")).rejects.toThrow(`There is no plugin "shp@folder". Did you mean ${ID}?`);
  expect(await run("/plugins disable shop")).toEqual({
    kind: "text",
    lines: [`${ID} is disabled in your own settings.`, `Plugins reloaded; no longer in use: ${ID}.`],
  });
  expect(session.environment.plugins).toEqual([]);
  expect(await Bun.file(settings).json()).toEqual({ enabledPlugins: { [ID]: false } });
  await session.close();
  expect((await start(here, project.dir)).ids).toEqual([]);
});

describe("/plugins reload", () => {
  const reload = async (session: Awaited<ReturnType<typeof sessionIn>>["session"]) => {
    const result = await session.commands.run("/plugins reload", signal);
    return result?.kind === "text" ? result.lines : [];
  };

  test("puts the hooks, servers, skills and agents of a plugin into the session, and takes them out again", async () => {
    await using here = await oneProcess();
    await using project = await tempProject();
    const config = { allow: ["Bash(*)"], mcp: { configs: [], inProcess: [] } };
    const { session } = await sessionIn(here.app, project.dir, config, { commands });
    const hookRan = async () => {
      await Bun.file(project.path("hook-ran"))
        .delete()
        .catch(() => undefined);
      await session.main.engine.submit({ prompt: bash("echo one") });
      return Bun.file(project.path("hook-ran")).exists();
    };
    const parts = async () => ({
      agents: session.delegation.types.all.some(({ name }) => name === "shop:clerk"),
      skills: session.skills.all.some(({ name }) => name === "shop:greet"),
      servers: (session.servers.client?.states ?? []).map(({ name, status }) => `${name} ${status}`),
      hook: await hookRan(),
    });
    const none = { agents: false, skills: false, servers: [], hook: false };
    expect(await parts()).toEqual(none);
    await install(here, SHOP_PLUGIN);
    const settings = (isOn: boolean) =>
      here.home.write(".config/quoll/settings.json", JSON.stringify({ enabledPlugins: { [ID]: isOn } }));
    await settings(true);
    expect(await reload(session)).toEqual([`Plugins reloaded; now in use: ${ID}.`]);
    expect(await parts()).toEqual({ agents: true, skills: true, servers: ["plugin:shop:till connected"], hook: true });
    expect(await reload(session)).toEqual(["Plugins reloaded: nothing to add or remove."]);
    await settings(false);
    expect(await reload(session)).toEqual([`Plugins reloaded; no longer in use: ${ID}.`]);
    expect(await parts()).toEqual(none);
    await session.close();
  });

  deepTest(
    "takes changed hooks of a folder of --plugin-dir, and keeps the plugin if its files are broken",
    async () => {
      await using here = await oneProcess();
      await using project = await tempProject(below("shop", WITHOUT_SERVER));
      const { session } = await sessionIn(here.app, project.dir, { pluginDirs: ["shop"] }, { commands });
      expect(session.environment.hooksOf(session.environment.live.loaded)).toHaveLength(1);
      await project.write("shop/hooks/hooks.json", "{}");
      expect(await reload(session)).toEqual(["Plugins reloaded; changed: shop@inline."]);
      expect(session.hooks.ofSettings).toBeUndefined();
      await project.write("shop/.claude-plugin/plugin.json", "{");
      expect((await reload(session))[1]).toContain("plugin.json: it is not JSON");
      expect(session.environment.plugins).toHaveLength(1);
      await session.close();
    },
  );

  deepTest("takes out all parts of a plugin whose folder is gone", async () => {
    await using here = await oneProcess();
    await using project = await tempProject(below("shop", WITHOUT_SERVER));
    const { session } = await sessionIn(here.app, project.dir, { pluginDirs: ["shop"] }, { commands });
    await rm(project.path("shop"), { recursive: true });
    const [summary, problem] = await reload(session);
    expect(summary).toBe("Plugins reloaded; no longer in use: shop@inline.");
    expect(problem).toContain('"shop" does not exist');
    expect(session.environment.plugins).toEqual([]);
    expect(session.hooks.ofSettings).toBeUndefined();
    expect(session.skills.all.some(({ name }) => name === "shop:greet")).toBe(false);
    await session.close();
  });

  deepTest("names a skill of an installed plugin that was edited", async () => {
    await using here = await oneProcess();
    await using project = await tempProject();
    await install(here);
    await here.home.write(".config/quoll/settings.json", JSON.stringify({ enabledPlugins: { [ID]: true } }));
    const { session } = await sessionIn(here.app, project.dir, {}, { commands });
    const [plugin] = session.environment.plugins;
    await Bun.write(`${plugin?.root}/skills/greet/SKILL.md`, "---\nname: greet\ndescription: d\n---\n!`echo new`\n");
    expect(await reload(session)).toEqual([
      "Plugins reloaded: nothing to add or remove.",
      `The skill ${ID}/shop:greet is new or has changed: its next use asks for your approval.`,
    ]);
    await session.close();
  });

  test.each([
    ["a person is asked about", "person", true],
    ["without a person, a line names", "nobody", false],
  ] as const)("%s a plugin that only the project asks for", async (_, answerer, isUsed) => {
    await using here = await oneProcess();
    await using project = await tempProject(asking({ [ID]: true }));
    const { session } = await sessionIn(here.app, project.dir, { answerer }, { commands });
    session.agents.subscribe(({ event }) => {
      if (event.type === "question_asked") session.main.engine.questions.reply(event.question.id, { decision: "once" });
    });
    expect(session.environment.plugins).toEqual([]);
    await install(here);
    const lines = await reload(session);
    expect(session.environment.plugins.map(({ id }) => id)).toEqual(isUsed ? [ID] : []);
    expect(lines.join("\n")).toContain(isUsed ? `now in use: ${ID}` : `${ID}, which waits for your approval`);
    await session.close();
  });
});
