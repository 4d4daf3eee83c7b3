import { expect } from "bun:test";
import { join } from "node:path";
import { reply, toolUse } from "@quoll/model-twin/scenario";
import { deepTest } from "../support/deep.ts";
import { below, SHOP_PLUGIN } from "../support/plugin-fixture.ts";
import { quollPlace } from "../support/quoll-process.ts";

const BASH = { command: "echo sold", description: "Sells" };
const SELLING = [reply([toolUse("Bash", BASH), toolUse("mcp__plugin_shop_till__price", {})]), reply("Done.")];
const ALLOWED = ["--allowed-tools", "Bash(echo *),mcp__plugin_shop_till__price"];

deepTest(
  "a folder of --plugin-dir gives a session its skills, commands, hook, MCP server and output style",
  async () => {
    await using place = await quollPlace({
      files: below("shop", SHOP_PLUGIN),
      scenario: SELLING,
      settings: { sandbox: { enabled: false }, outputStyle: "shop:terse" },
    });
    const root = place.project.path("shop");
    const stream = ["-p", "--output-format", "stream-json", "--verbose"];
    const { code, out, err } = await place.run([...stream, "--plugin-dir", "shop", ...ALLOWED, "/shop:greet Ann"]);
    expect({ code, err }).toEqual({
      code: 0,
      err: "quoll: the plugin shop has parts that Quoll does not support yet: language servers\n",
    });
    const [init] = out
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line));
    expect(init).toMatchObject({
      plugins: [{ name: "shop", path: root, source: "shop@inline" }],
      skills: expect.arrayContaining(["shop:greet", "shop:close"]),
      mcp_servers: [{ name: "plugin:shop:till", status: "connected" }],
      output_style: "shop:terse",
    });
    const data = join(place.home.dir, "own/data/plugin-data/shop-inline");
    expect(await place.project.read("hook-ran")).toBe(`${root} ${data}\n`);
    const sent = JSON.stringify(place.sent());
    expect(sent).toContain("Answer in three words.");
    expect(sent).toContain(`Greet Ann from ${root}.`);
    expect(sent).toContain(`price 42 with data in ${data}`);
    expect(place.refused()).toEqual([]);
  },
);

deepTest("a folder of --plugin-dir that is none ends the run with one line", async () => {
  await using place = await quollPlace({ files: { "bad/.claude-plugin/plugin.json": "{" }, scenario: SELLING });
  const missing = await place.run(["-p", "--plugin-dir", "gone", "hi"]);
  expect(missing).toEqual({
    code: 2,
    out: "",
    err: `quoll: --plugin-dir: "${place.project.path("gone")}" does not exist.\n`,
  });
  const bad = await place.run(["-p", "--plugin-dir", "bad", "hi"]);
  expect(bad.code).toBe(2);
  expect(bad.err).toContain("--plugin-dir: The plugin in");
  expect(bad.err).toContain("plugin.json: it is not JSON");
});
