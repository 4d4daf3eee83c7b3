import { expect, setDefaultTimeout, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { quollPlace } from "../support/quoll-process.ts";

setDefaultTimeout(30_000);

test("quoll config sets, lists, gets and removes a setting, and says which file decides", async () => {
  await using place = await quollPlace({
    settings: {},
    files: { ".quoll/settings.json": '{\n  "model": "theirs"\n}\n' },
  });
  const file = join(place.home.dir, "own/config/settings.json");
  const run = async (...words: string[]) => {
    const { code, out, err } = await place.run(["config", ...words]);
    return { code, text: (out + err).replaceAll(place.home.dir, "~").replaceAll(place.project.dir, "…") };
  };
  const user = "~/own/config/settings.json";
  expect(await run("set", "model", "mine")).toEqual({ code: 0, text: `model = "mine" in ${user}\n` });
  expect(await run("set", "env.MY_TOKEN", "sk-ant-api03-abcdefabcdefabcdefabcdef0123")).toEqual({
    code: 0,
    text: `env.MY_TOKEN = "[hidden]" in ${user}\n`,
  });
  expect(JSON.parse(readFileSync(file, "utf8"))).toMatchObject({
    model: "mine",
    env: { MY_TOKEN: expect.stringMatching(/^sk-ant/) },
  });
  expect(await run("get", "model")).toEqual({ code: 0, text: `model = "mine"  (${user}:2)\n` });
  const trusted = await run("list", "--trust");
  expect(trusted.text).toContain(`model = "theirs"  (…/.quoll/settings.json:2, not ${user}:2)\n`);
  expect(trusted.text).not.toContain("sk-ant");
  expect(await run("unset", "model")).toEqual({ code: 0, text: `Removed model from ${user}.\n` });
  expect(await run("get", "model")).toEqual({ code: 1, text: "quoll: model is not set here.\n" });
  expect(await run("set", "permissions.allow", "Bash(npm", "--add")).toMatchObject({
    code: 2,
    text: expect.stringContaining('"Bash(npm" is invalid'),
  });
});
