import { expect, test } from "bun:test";
import { mkdir } from "node:fs/promises";
import { MODEL, oneProcess, sessionIn } from "../../support/app-harness.ts";
import { tempProject } from "../../support/temp-project.ts";

const FOLDERS = ["skills", "commands", "agents", "output-styles", "plugins"];
const HOMES = [".claude", ".agents", ".codex", ".gemini", ".config/quoll", ".config/opencode"];

test("empty folders and files of extensions change no byte of the first request but the list of files", async () => {
  await using project = await tempProject({ "a.txt": "a" });
  await using here = await oneProcess();
  const requestOf = async () => {
    const { session, warnings } = await sessionIn(here.app, project.dir, { model: MODEL, isSaved: false });
    await session.main.engine.submit({ prompt: "hi" });
    await session.close();
    expect(warnings).toEqual([]);
    return JSON.stringify(here.twin.requests.at(-1)?.body).replace(/\\nFiles \([^)]*\): .*?\\n/, "\\n");
  };
  const without = await requestOf();
  for (const folder of FOLDERS) {
    for (const home of HOMES) await mkdir(here.home.path(`${home}/${folder}`), { recursive: true });
    for (const own of [".claude", ".quoll", ".agents"])
      await mkdir(project.path(`${own}/${folder}`), { recursive: true });
  }
  await project.write(".mcp.json", JSON.stringify({ mcpServers: {} }));
  await project.write(".claude/settings.json", JSON.stringify({ hooks: {} }));
  await here.home.write(".config/quoll/mcp.json", JSON.stringify({ mcpServers: {} }));
  await here.home.write(".claude.json", "{}");
  expect(await requestOf()).toBe(without);
  await project.write(".claude/skills/x/SKILL.md", "---\ndescription: X\n---\nx\n");
  expect(await requestOf()).not.toBe(without);
});
