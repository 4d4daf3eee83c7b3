import { expect, setDefaultTimeout, test } from "bun:test";
import { join } from "node:path";
import { reply, toolUse } from "@quoll/model-twin/scenario";
import { ROOT } from "../support/built.ts";
import { deepTest, eachOrDeep } from "../support/deep.ts";
import { linesOf } from "../support/lines-of.ts";
import { quollPlace } from "../support/quoll-process.ts";

setDefaultTimeout(60_000);

const FILES = {
  "bad.json": '{"a":',
  "list.json": "[]",
  "empty.json": "",
  "noise.bin": new Uint8Array([0xff, 0xfe, 0x00]),
  "broken.json": '{"mcpServers":{"a":{}}}',
};
const SHAPE = 'expected a JSON schema, such as {"type":"object","properties":{…}}.';
const AGENT = { description: "d", prompt: "p" };

/** A wrong argument, and the line that reports it. */
const WRONG: readonly (readonly [args: readonly string[], line: string | RegExp])[] = [
  [["--system-prompt-file", "nowhere"], /^--system-prompt-file: \S+\/nowhere does not exist\.$/],
  [["--system-prompt-file", "noise.bin"], /^--system-prompt-file: \S+\/noise\.bin is not UTF-8 text\.$/],
  [["--append-system-prompt-file", "."], /^--append-system-prompt-file: \S+ is a folder\.$/],
  [["--json-schema", ""], "--json-schema is empty: expected JSON."],
  [["--json-schema", "{"], /^--json-schema is not JSON: /],
  [["--json-schema", "7"], `--json-schema: ${SHAPE}`],
  [["--json-schema", "@nowhere"], /^--json-schema: \S+\/nowhere does not exist\.$/],
  [["--json-schema", "@empty.json"], "--json-schema is empty: expected JSON."],
  [["--json-schema", "@list.json"], `--json-schema: ${SHAPE}`],
  [["--json-schema", '{"type":"thing"}'], /^--json-schema is not a JSON schema: /],
  [["--agents", ""], "--agents is empty: expected JSON."],
  [["--agents", "[]"], '--agents: expected an object of agents: {"name":{"description":…,"prompt":…}}.'],
  [["--agents", '{"a":{}}'], "--agents: a.description: expected a text."],
  [["--agents", '{"a":{"description":"","prompt":"p"}}'], "--agents: a.description: it is empty."],
  [["--agents", JSON.stringify({ a: { ...AGENT, tools: "Read" } })], "--agents: a.tools: expected a list of texts."],
  [["--setting-sources", "user,nowhere"], /Each must be one of user, project, local\./],
  [["--settings", "nowhere.json"], /^--settings: there is no file "nowhere\.json"/],
  [["--settings", "bad.json"], /bad\.json:1:6: expected a value\.$/],
  [["--mcp-config", "nowhere.json"], /^--mcp-config: \S+\/nowhere\.json does not exist\.$/],
  [["--mcp-config", "bad.json"], /^bad\.json: line 1, column 6: this is not JSON/],
  [["--mcp-config", "list.json"], /^list\.json: expected \{"mcpServers"/],
  [["--tools", "Raed"], '--tools: There is no tool "Raed"; did you mean Read?'],
  [["--permission-prompt-tool", "Read"], /"Read" is neither an MCP tool .* no server of --mcp-config has tools\.$/],
  [["--fallback-model", "openai/gpt-5"], /^--fallback-model: There is no key for the model "openai\/gpt-5"/],
];

eachOrDeep(
  "%j is wrong usage in one line",
  (at) => at % 5 === 0,
  WRONG,
  async (args, line) => {
    await using here = await quollPlace({ files: FILES, scenario: [] });
    const { code, out, err } = await here.run(["-p", "hi", ...args]);
    expect({ code, out, lines: linesOf(err) }).toEqual({
      code: 2,
      out: "",
      lines: [typeof line === "string" ? `quoll: ${line}` : expect.stringMatching(/^quoll: /)],
    });
    if (line instanceof RegExp) expect(err.trim().replace(/^quoll: /, "")).toMatch(line);
    expect(here.sent()).toEqual([]);
  },
);

test("-p names a server that does not exist, and the answer comes all the same", async () => {
  await using here = await quollPlace({ files: FILES, scenario: [reply("Hi.")] });
  const { code, out, err } = await here.run(["-p", "hi", "--mcp-config", "broken.json"]);
  expect({ code, out }).toEqual({ code: 0, out: "Hi.\n" });
  expect(err).toMatch(
    /^quoll: the MCP server "a" is not available: broken\.json: mcpServers\.a: expected a "command".*\n$/,
  );
});

deepTest("-p names a server that is lost in a call, once", async () => {
  const call = reply([toolUse("mcp__frail__echo", {})]);
  await using here = await quollPlace({ scenario: [call, reply("It died.")] });
  const args = [join(ROOT, "tests/services/mcp/servers/raw-server.ts"), "dies-in-call", here.project.path("died")];
  const config = JSON.stringify({ mcpServers: { frail: { command: process.execPath, args } } });
  const { code, out, err } = await here.run(["-p", "hi", "--mcp-config", config, "--allowed-tools", "mcp__frail__*"]);
  expect({ code, out }).toEqual({ code: 0, out: "It died.\n" });
  expect(err).toMatch(/^quoll: the MCP server "frail" was lost: it exited with code 3[^\n]*\n$/);
});

eachOrDeep(
  "with %j the servers of --mcp-config and of a trusted project are %j",
  1,
  [
    [[], ["a", "project"]],
    [["--strict-mcp-config"], ["a"]],
    [["--strictMcpConfig"], ["a"]],
  ],
  async (more, names) => {
    const own = { mcpServers: { project: { command: "touch", args: ["started"] } } };
    const files = { ".mcp.json": JSON.stringify(own), ...FILES };
    await using here = await quollPlace({ files, scenario: [reply("Hi.")] });
    const args = ["-p", "hi", "--output-format", "stream-json", "--mcp-config", "broken.json", "--trust", ...more];
    const { out } = await here.run(args);
    expect(JSON.parse(linesOf(out)[0] ?? "").mcp_servers).toEqual(names.map((name) => ({ name, status: "failed" })));
    const isStarted = await here.project.read("started").then(
      () => true,
      () => false,
    );
    expect(isStarted).toBe(names.includes("project"));
  },
);
