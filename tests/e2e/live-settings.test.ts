import { expect, setDefaultTimeout, test } from "bun:test";
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { reply, toolUse } from "@quoll/model-twin/scenario";
import { quollPlace } from "../support/quoll-process.ts";

setDefaultTimeout(60_000);

const run = (command: string) => reply([toolUse("Bash", { command, description: "x" })]);

test("a running session takes changed settings: the user's at once, of the project's only what tightens", async () => {
  const write = (file: string, text: string) => {
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
  };
  let files = { user: "", project: "" };
  const off = { sandbox: { enabled: false } };
  const steps = [
    () => run("touch a"),
    () => {
      write(files.user, JSON.stringify({ ...off, permissions: { allow: ["Bash(mkdir *)"] } }));
      return run("mkdir b");
    },
    () => run("touch c"),
    () => {
      write(files.project, JSON.stringify({ permissions: { allow: ["Bash(rmdir *)"], deny: ["Bash(mkdir *)"] } }));
      return run("rmdir b");
    },
    () => run("mkdir d"),
    () => {
      write(files.user, '{ "permissions": ');
      return run("true");
    },
  ];
  await using place = await quollPlace({
    settings: { ...off, permissions: { allow: ["Bash(touch *)"] } },
    scenario: (_, index) => steps[index]?.() ?? reply("Done."),
  });
  files = {
    user: join(place.home.dir, "own/config/settings.json"),
    project: join(place.project.dir, ".quoll/settings.json"),
  };
  const { err, code } = await place.run(["-p", "go", "--trust"]);
  const results = place
    .sent()
    .at(-1)
    ?.messages.flatMap(({ content }) => content.filter(({ type }) => type === "tool_result"));
  expect(results?.map(({ is_error }) => is_error === true)).toEqual([false, false, true, true, true, false]);
  expect(code).toBe(4);
  const lines = err
    .replaceAll(place.home.dir, "~")
    .split("\n")
    .filter((line) => /settings (?:changed|can)/i.test(line));
  expect(lines).toEqual([
    "quoll: Settings changed in ~/own/config/settings.json. In effect now: permissions.allow − Bash(touch *), permissions.allow + Bash(mkdir *).",
    "quoll: Settings changed in .quoll/settings.json. In effect now: permissions.deny + Bash(mkdir *). At the next start: permissions.allow + Bash(rmdir *).",
    "quoll: The changed settings can't be used, so the earlier settings stay. ~/own/config/settings.json:1:18: expected a value.",
  ]);
});
