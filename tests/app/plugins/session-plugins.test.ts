import { describe, expect, test } from "bun:test";
import { fetchPlugin } from "../../../src/app/plugins/fetch-plugin.ts";
import { keepPlugin } from "../../../src/app/plugins/install-plugin.ts";
import { findWanted } from "../../../src/app/plugins/marketplaces.ts";
import { changePluginStore } from "../../../src/app/plugins/plugin-store.ts";
import { BUILTIN_COMMANDS } from "../../../src/commands/builtin-commands.ts";
import type { TrustRequest } from "../../../src/contracts/permission.ts";
import { oneProcess, sessionIn } from "../../support/app-harness.ts";
import { SHOP_PLUGIN } from "../../support/plugin-fixture.ts";
import { tempProject } from "../../support/temp-project.ts";

const commands = { builtin: BUILTIN_COMMANDS };
const signal = new AbortController().signal;
const ID = "shop@folder";
const { ".mcp.json": _, ...WITHOUT_SERVER } = SHOP_PLUGIN;
const asking = (enabled: object) => ({ ".quoll/settings.json": JSON.stringify({ enabledPlugins: enabled }) });

type Process = Awaited<ReturnType<typeof oneProcess>>;

/** Installs the plugin `shop` from a folder, without enabling it. */
async function install({ app }: Process) {
  await using folder = await tempProject(WITHOUT_SERVER);
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
  const ids = session.place.plugins.map(({ id }) => id);
  const hooks = session.place.hooks.length;
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

  test("is named if it is not installed, and nothing is installed", async () => {
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

test("/plugins lists the plugins, shows one, and switches it off for the next session", async () => {
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
  expect(await run("/plugins shp@folder")).toEqual({
    kind: "text",
    lines: [`There is no plugin "shp@folder". Did you mean ${ID}?`],
  });
  expect(await run("/plugins disable shop")).toEqual({
    kind: "text",
    lines: [`${ID} is disabled in your own settings, from the next session on.`],
  });
  expect(await Bun.file(settings).json()).toEqual({ enabledPlugins: { [ID]: false } });
  await session.close();
  expect((await start(here, project.dir)).ids).toEqual([]);
});
