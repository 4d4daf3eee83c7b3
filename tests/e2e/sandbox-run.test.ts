import { expect, test } from "bun:test";
import { mkdirSync, symlinkSync } from "node:fs";
import { dirname } from "node:path";
import { deepTest, eachOrDeep } from "../support/deep.ts";
import { quollPlace } from "../support/quoll-process.ts";

const settings = {};

test("an obstacle to `quoll sandbox run` is one line for the person, and not a bug in Quoll", async () => {
  await using place = await quollPlace({ settings });
  await place.home.write("own/state/sandbox", "a file where a folder has to be");
  const { code, out, err } = await place.run(["sandbox", "run", "--", "echo", "ran"]);
  expect({ code, out }).toEqual({ code: 1, out: "" });
  expect(err).toMatch(/^quoll: The sandbox could not create a private folder in \S+ \([^\n]+\)\.\n$/);
});

test("a change that the sandbox could not prevent is reported after the command", async () => {
  await using place = await quollPlace({ settings, files: { "docs/a": "mine" } });
  const path = place.project.path("sub/AGENTS.md");
  mkdirSync(dirname(path));
  symlinkSync("../docs/a", path);
  const { code, err } = await place.run([
    "sandbox",
    "run",
    "--",
    "sh",
    "-c",
    "rm sub/AGENTS.md; echo evil > sub/AGENTS.md",
  ]);
  expect(code).toBe(0);
  expect(err).toBe(`quoll: ${path} was a link to ../docs/a, and was put back; its replacement was moved aside.\n`);
  expect(await place.project.read("docs/a")).toBe("mine");
});

test("rules about paths hold for what a command starts, as they would in a session", async () => {
  const permissions = { deny: ["Read(./.env)", "Edit(./src/**)"] };
  await using place = await quollPlace({ settings: { permissions }, files: { ".env": "hunter2", "src/a.ts": "mine" } });
  const run = (code: string) => place.run(["sandbox", "run", "--", "python3", "-c", code]);
  expect((await run("print(open('.e' + 'nv').read())")).out).not.toContain("hunter2");
  expect((await run("open('sr' + 'c/a.ts', 'w').write('evil')")).code).toBe(1);
  expect(await place.project.read("src/a.ts")).toBe("mine");
});

test("a program is told by the built program's proxy which host was refused", async () => {
  const network = { allowedDomains: ["registry.example"] };
  await using place = await quollPlace({ settings: { sandbox: { network } } });
  const { out } = await place.run(["sandbox", "run", "--", "curl", "-si", "http://other.example/"]);
  expect(out).toStartWith("HTTP/1.1 403 ");
  expect(out).toContain("sandbox refused other.example");
});

test("a new entry that agents obey is moved aside, and the message names the way back", async () => {
  await using place = await quollPlace({ settings });
  const { code, err } = await place.run(["sandbox", "run", "--", "sh", "-c", "echo evil > .mcp.json"]);
  expect(code).toBe(0);
  expect(err).toMatch(/^quoll: \.mcp\.json appeared .* To put it back: mv \.mcp\.json\.set-aside-\w+ \.mcp\.json\n$/);
});

const SEARCHED = { ".env": "KEY=hunter2", "a.txt": "KEY=open" };

eachOrDeep(
  "a search skips the files that it skips for a model, and says so: %j",
  1,
  [
    [["sh", "-c", "cd . && grep -rn KEY ."]],
    [["grep", "-r", "KEY", "."]],
    [["bash", "-c", "find . -type f -exec grep KEY {} +"]],
    [["bash", "-c", "cd . && find . -type f -exec grep KEY {} +"]],
    [["bash", "-c", "cd . && find . -type f | xargs grep KEY"]],
  ],
  async (command) => {
    await using place = await quollPlace({ settings, files: SEARCHED });
    const { out, err } = await place.run(["sandbox", "run", "--", ...command]);
    expect({ out, err }).toEqual({
      out: expect.stringMatching(/^(?!.*hunter2).*KEY=open/s),
      err: expect.stringContaining("hidden from this command: .env"),
    });
  },
);

test("a program that searches nothing reads a file that a search skips", async () => {
  await using place = await quollPlace({ settings, files: SEARCHED });
  expect((await place.run(["sandbox", "run", "--", "cat", ".env"])).out).toBe("KEY=hunter2");
});

deepTest("a search shows a file that a rule allows the model to read", async () => {
  const permissions = { allow: ["Read(/.env)"] };
  await using place = await quollPlace({ settings: { permissions }, files: { ".env": "KEY=hunter2" } });
  const { out, err } = await place.run(["--trust", "sandbox", "run", "--", "grep", "-r", "KEY", "."]);
  expect({ out, err }).toEqual({ out: "./.env:KEY=hunter2\n", err: "" });
});
