import { expect, setDefaultTimeout } from "bun:test";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { deepTest } from "../support/deep.ts";
import { quollPlace } from "../support/quoll-process.ts";

setDefaultTimeout(60_000);

deepTest("quoll config sets, lists, gets and removes a setting, and says which file decides", async () => {
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

deepTest("quoll config set refuses a theme, a style and an editor that do not exist", async () => {
  await using place = await quollPlace({
    settings: {},
    files: { ".quoll/output-styles/terse.md": "Be terse.\n" },
  });
  const set = async (key: string, value: string) => {
    const { code, out, err } = await place.run(["config", "set", key, value]);
    return `${code} ${out}${err}`;
  };
  expect(await set("terminal.theme", "drak")).toMatch(/^[1-9].*no theme "drak"[\s\S]*Did you mean\s+dark\?/);
  expect(await set("outputStyle", "ters")).toMatch(/^[1-9].*no output style "ters"\. Did you mean terse/);
  expect(await set("terminal.editor", "no-such-editor --wait")).toMatch(/^[1-9].*no-such-editor was not found/);
  expect(readFileSync(join(place.home.dir, "own/config/settings.json"), "utf8")).not.toContain("drak");
  expect(await set("terminal.theme", "dark")).toStartWith("0 terminal.theme");
  expect(await set("outputStyle", "terse")).toStartWith("0 outputStyle");
  expect(await set("outputStyle", "plugin:style")).toStartWith("0 outputStyle");
  expect(await set("terminal.editor", "cat")).toStartWith("0 terminal.editor");
});

deepTest(
  "quoll config import shows each line of another program's settings, and writes with --apply and a backup",
  async () => {
    await using place = await quollPlace({
      settings: { model: "mine" },
      files: {
        ".claude/settings.json": JSON.stringify({
          permissions: { allow: ["Bash(make *)"], additionalDirectories: ["../no-such-folder"] },
          statusLine: { type: "command", command: "evil" },
          hooks: { Stop: [{ hooks: [{ type: "command", command: "evil" }] }] },
        }),
      },
    });
    const hook = { matcher: "Edit", hooks: [{ type: "command", command: "./check.sh" }] };
    await place.home.write(
      ".claude/settings.json",
      JSON.stringify({
        model: "opus",
        permissions: {
          allow: ["Bash(npm test:*)", "WebSearch", "Foo(\u001b[1A\u001b[2K"],
          deny: ["Read(./.env)"],
          defaultMode: "bypassPermissions",
        },
        env: { APP_TOKEN: "sesame-4711-open", ANTHROPIC_MODEL: "x" },
        hooks: { PostToolUse: [hook] },
      }),
    );
    await place.home.write(
      ".claude.json",
      JSON.stringify({
        mcpServers: { issues: { command: "issues", env: { KEY: "sesame-4712-open" } } },
        projects: { [place.project.dir]: { mcpServers: { near: { type: "http", url: "http://127.0.0.1:9/mcp" } } } },
      }),
    );
    const own = (name: string) => JSON.parse(readFileSync(join(place.home.dir, "own/config", name), "utf8"));
    const before = own("settings.json");
    const dry = await place.run(["config", "import"]);
    expect({ code: dry.code, err: dry.err }).toEqual({ code: 0, err: "" });
    for (const part of [
      "+ permissions.allow: Bash(npm test:*) (line 1)\n",
      "+ permissions.allow: WebSearch (line 1)\n",
      "- model: opus: left out: you already have another value for this setting\n",
      "- permissions.defaultMode: bypassPermissions: left out: start with --permission-mode bypassPermissions",
      "- env.ANTHROPIC_MODEL: left out: it configures Claude Code itself",
      "- permissions.allow: Bash(make *) (line 1): left out: this folder is not trusted\n",
      "To import the settings of this project too, start quoll here and trust the folder, or add --trust.\n",
      "7 to import, 0 there already, 8 left out. Nothing was written yet: `quoll config import --apply` writes it.\n",
    ])
      expect(dry.out).toContain(part);
    expect(dry.out).not.toContain("sesame");
    expect(dry.out).toContain("Foo(␛[1A␛[2K");
    expect(dry.out).not.toContain("\u001b");
    expect(own("settings.json")).toEqual(before);

    const done = await place.run(["config", "import", "claude", "--apply", "--trust"]);
    expect(done.out).toContain("8 imported, 0 there already, 7 left out.");
    expect(done.out).toContain(
      "- permissions.additionalDirectories: ../no-such-folder: left out: there is no such folder\n",
    );
    expect(done.out).toContain("- statusLine: evil: left out: a file of the repository could run programs");
    expect(own("settings.json")).toEqual({
      model: "mine",
      permissions: { deny: ["Read(./.env)"], allow: ["Bash(npm test:*)", "WebSearch"] },
      hooks: { PostToolUse: [hook] },
      env: { APP_TOKEN: "sesame-4711-open" },
    });
    expect(own("settings.json.before-import-1")).toEqual(before);
    expect(own("mcp.json")).toEqual({
      mcpServers: { issues: { command: "issues", env: { KEY: "sesame-4712-open" } } },
    });
    const projects = join(place.home.dir, "own/config/projects");
    const written = readdirSync(projects).map((name) => JSON.parse(readFileSync(join(projects, name), "utf8")));
    expect(written).toContainEqual({ permissions: { allow: ["Bash(make *)"] } });
    expect(written).toContainEqual({ mcpServers: { near: { type: "http", url: "http://127.0.0.1:9/mcp" } } });
    expect((await place.run(["config", "import", "--trust"])).out).toContain("0 to import, 8 there already");
  },
);
