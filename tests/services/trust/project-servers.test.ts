import { expect, test } from "bun:test";
import { truncate, utimes } from "node:fs/promises";
import { projectServers } from "../../../src/services/trust/project-servers.ts";
import { serverApprovable } from "../../../src/services/trust/server-approvable.ts";
import { tempProject } from "../../support/temp-project.ts";

/** A reference as configuration files write it. */
const variable = (name: string) => `\${${name}}`;
const contentOf = (root: string, entry: unknown) =>
  serverApprovable({ name: "s", entry, file: ".mcp.json" }, root).content;

test("a server's content changes with its entry and with each project file that it names", async () => {
  await using project = await tempProject({
    "tools/server.js": "1",
    "conf.json": "1",
    "sub/x.sh": "1",
    "other.js": "1",
  });
  const { dir } = project;
  const entry = {
    command: "node",
    args: ["./tools/server.js", "--config=conf.json", `${variable("CLAUDE_PROJECT_DIR")}/x`],
    headersHelper: "sh -c 'x.sh; cat conf.json'",
    cwd: "sub",
  };
  const before = contentOf(dir, entry);
  expect(contentOf(dir, Object.fromEntries(Object.entries(entry).reverse()))).toBe(before);
  expect(contentOf(dir, { ...entry, command: "bun" })).not.toBe(before);
  await project.write("other.js", "2");
  expect(contentOf(dir, entry)).toBe(before);
  let last = before;
  for (const file of ["tools/server.js", "conf.json", "sub/x.sh", "x"]) {
    await project.write(file, "2");
    const now = contentOf(dir, entry);
    expect([file, now === last]).toEqual([file, false]);
    last = now;
  }
});

test("a server's content includes files that a default value or a path after a variable names", async () => {
  await using project = await tempProject({ "s.sh": "1", "sub/t.sh": "1" });
  for (const [file, entry] of [
    ["s.sh", { command: variable("NOPE:-./s.sh") }],
    ["s.sh", { command: "sh", args: [variable(`A:-${variable("B:-./s.sh")}`)] }],
    ["s.sh", { command: `sh "$(pwd)"/s.sh` }],
    ["sub/t.sh", { command: "sh", args: [`${variable("ANY")}/t.sh`], cwd: "sub" }],
    ["sub/t.sh", { command: `${variable("NOPE:-sub")}/t.sh` }],
  ] as const) {
    const before = contentOf(project.dir, entry);
    await project.write(file, `${Math.random()}`);
    expect([entry, contentOf(project.dir, entry) === before]).toEqual([entry, false]);
  }
});

test("a named file that is too large to be hashed counts with its size and times", async () => {
  await using project = await tempProject({ "tools/big": "" });
  const big = project.path("tools/big");
  await truncate(big, 17 * 1024 * 1024);
  const before = contentOf(project.dir, { command: "./tools/big" });
  expect(contentOf(project.dir, { command: "./tools/big" })).toBe(before);
  await utimes(big, 1, 1);
  expect(contentOf(project.dir, { command: "./tools/big" })).not.toBe(before);
});

test("the lines of a server name its folder, its fixed headers, its login address and that it is required", () => {
  const entry = {
    url: "https://m.example/mcp",
    headers: { "X-Team": "red", Authorization: `Bearer ${variable("TOKEN")}` },
    oauth: { authServerMetadataUrl: "https://login.example/meta" },
    cwd: "sub",
    required: true,
  };
  expect(serverApprovable({ name: "s", entry, file: ".mcp.json" }, "/nowhere").lines.slice(1)).toEqual([
    "uses the folder sub for s (.mcp.json)",
    "sends s headers with fixed values: X-Team (.mcp.json)",
    "logs in to s by https://login.example/meta (.mcp.json)",
    "does not start a session without s (.mcp.json)",
    "gives s your variables TOKEN (.mcp.json)",
  ]);
});

test("files outside the project are the person's own and don't count", async () => {
  await using project = await tempProject({ "repo/a": "", "outside.sh": "1" });
  const entry = { command: "../outside.sh", args: [project.path("outside.sh"), "..", ".", ""] };
  const before = contentOf(project.path("repo"), entry);
  await project.write("outside.sh", "2");
  expect(contentOf(project.path("repo"), entry)).toBe(before);
});

test("the lines of a server name its command, its variables and those that it gets of the person", async () => {
  await using project = await tempProject({
    ".mcp.json": JSON.stringify({
      mcpServers: {
        db: { command: "npx", args: ["db"], env: { KEY: variable("DB_TOKEN"), MODE: variable("MODE:-ro") } },
        web: { url: `https://m.example/${variable("TENANT")}/mcp`, headersHelper: "./headers.sh" },
      },
    }),
  });
  const { items, problems } = await projectServers(project.dir);
  expect(problems).toEqual([]);
  expect(items.flatMap(({ lines }) => lines)).toEqual([
    "starts the MCP server db: npx db (.mcp.json)",
    `sets variables of db: KEY=${variable("DB_TOKEN")}, MODE=${variable("MODE:-ro")} (.mcp.json)`,
    "gives db your variables DB_TOKEN, MODE (.mcp.json)",
    `connects to the MCP server web: https://m.example/${variable("TENANT")}/mcp (.mcp.json)`,
    "runs a command for the headers of web: ./headers.sh (.mcp.json)",
    "gives web your variables TENANT (.mcp.json)",
  ]);
});
