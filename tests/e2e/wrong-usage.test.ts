import { describe, expect, setDefaultTimeout, test } from "bun:test";
import { chmod } from "node:fs/promises";
import { reply } from "@quoll/model-twin/scenario";
import { deepTest, eachOrDeep } from "../support/deep.ts";
import { QUOLL, quollPlace } from "../support/quoll-process.ts";
import { STREAM, said } from "../support/stream-client.ts";
import { terminalProcess } from "../support/terminal-process.ts";

setDefaultTimeout(60_000);

const FILES = {
  "a.txt": "one\n",
  "bad.json": '{"a":',
  "list.json": "[]",
  "empty.json": "",
  "noise.bin": new Uint8Array([0xff, 0xfe, 0x00]),
  "broken.json": '{"mcpServers":{"a":{}}}',
};
const SHAPE = 'expected a JSON schema, such as {"type":"object","properties":{…}}.';
const AGENT = { description: "d", prompt: "p" };

/** Every wrong argument, and the line that reports it; `…` stands for the folder of the test. */
const CASES: readonly (readonly [args: readonly string[], line: string | RegExp])[] = [
  [
    ["-p", "hi", "--model", "claude-sonnet-5-5"],
    'There is no key for the model "claude-sonnet-5-5": set ANTHROPIC_API_KEY or run "quoll auth login anthropic"; the model "offline" needs no key.',
  ],
  [["-p", "hi", "--moodel", "x"], "Unknown option '--moodel' (Did you mean --model?) (quoll --help shows the options)"],
  [["-p", "hi", "-C", "missing"], "The folder …/missing does not exist: check the name, or create it first."],
  [["-p", "hi", "-C", "a.txt"], "The folder …/a.txt is not a folder."],
  [
    ["-p", "hi", "--resume", "nonsense"],
    'No session of this project has a name or an id that begins with "nonsense": the project has no session yet.',
  ],
  [["-p", "hi", "--resume"], "--resume needs a session id with -p (--continue resumes the newest session)."],
  [["-p", "hi", "--continue"], "This project has no session to continue. Leave out --continue to start a new session."],
  [["-p", "hi", "--fork-session"], "--fork-session needs --continue or --resume."],
  [
    ["-p", "hi", "--session-id", "bad id"],
    "'bad id' is not valid for --session-id <uuid>. It must be a UUID, such as 0198c0de-0000-7000-8000-000000000000. --name gives a session a name. (quoll --help shows the options)",
  ],
  [
    ["-p", "hi", "--json-schema", '{"type":"strin"}'],
    '--json-schema is not a JSON schema: "strin" is not a type: use string, number, integer, boolean, object, array or null',
  ],
  [
    ["-p", "hi", "--disallowed-tools", "Bash("],
    '--disallowed-tools: the deny rule "Bash(" is invalid: the closing bracket ) is missing at its end.',
  ],
  [["-p", "hi", "--tools", "Reed"], '--tools: There is no tool "Reed"; did you mean Read?'],
  [["statz"], 'There is no command "statz": did you mean quoll stats? (as a prompt: quoll -- statz)'],
  [
    ["update"],
    'There is no command "update": pull the clone, then "npm install" and "npm run build". (as a prompt: quoll -- update)',
  ],
  [["ssh"], 'There is no command "ssh". (as a prompt: quoll -- ssh)'],
  [["hi"], 'An interactive session needs a terminal: use `quoll -p "…"` to get an answer without one.'],
  [["show", "tool", "Gerp"], 'There is no tool "Gerp". Did you mean Grep?'],
  [["exec", "Gerp", "--input", "{}"], 'There is no tool named "Gerp". Did you mean Grep?'],
  [
    ["exec", "Read", "--input", "[1]"],
    "--input must be a JSON object with the tool's fields (quoll show tool NAME lists them).",
  ],
  [["exec", "Read", "--input", "@missing.json"], "--input: there is no file missing.json."],
  [["-p", "hi", "--system-prompt-file", "nowhere"], /^--system-prompt-file: \S+\/nowhere does not exist\.$/],
  [["-p", "hi", "--system-prompt-file", "noise.bin"], /^--system-prompt-file: \S+\/noise\.bin is not UTF-8 text\.$/],
  [["-p", "hi", "--append-system-prompt-file", "."], /^--append-system-prompt-file: \S+ is a folder\.$/],
  [["-p", "hi", "--json-schema", ""], "--json-schema is empty: expected JSON."],
  [["-p", "hi", "--json-schema", "{"], /^--json-schema is not JSON: /],
  [["-p", "hi", "--json-schema", "7"], `--json-schema: ${SHAPE}`],
  [["-p", "hi", "--json-schema", "@nowhere"], /^--json-schema: \S+\/nowhere does not exist\.$/],
  [["-p", "hi", "--json-schema", "@empty.json"], "--json-schema is empty: expected JSON."],
  [["-p", "hi", "--json-schema", "@list.json"], `--json-schema: ${SHAPE}`],
  [["-p", "hi", "--agents", ""], "--agents is empty: expected JSON."],
  [["-p", "hi", "--agents", "[]"], '--agents: expected an object of agents: {"name":{"description":…,"prompt":…}}.'],
  [["-p", "hi", "--agents", '{"a":{}}'], "--agents: a.description: expected a text."],
  [["-p", "hi", "--agents", '{"a":{"description":"","prompt":"p"}}'], "--agents: a.description: it is empty."],
  [
    ["-p", "hi", "--agents", JSON.stringify({ a: { ...AGENT, tools: "Read" } })],
    "--agents: a.tools: expected a list of texts.",
  ],
  [["-p", "hi", "--setting-sources", "user,nowhere"], /Each must be one of user, project, local\./],
  [["-p", "hi", "--settings", "nowhere.json"], /^--settings: there is no file "nowhere\.json"/],
  [["-p", "hi", "--settings", "bad.json"], /bad\.json:1:6: expected a value\.$/],
  [["-p", "hi", "--mcp-config", "nowhere.json"], /^--mcp-config: \S+\/nowhere\.json does not exist\.$/],
  [["-p", "hi", "--mcp-config", "bad.json"], /^bad\.json: line 1, column 6: this is not JSON/],
  [["-p", "hi", "--mcp-config", "list.json"], /^list\.json: expected \{"mcpServers"/],
  [
    ["-p", "hi", "--permission-prompt-tool", "Read"],
    /"Read" is neither an MCP tool .* no server of --mcp-config has tools\.$/,
  ],
  [
    ["-p", "hi", "--fallback-model", "openai/gpt-5"],
    /^--fallback-model: There is no key for the model "openai\/gpt-5"/,
  ],
  [["-p", "hi", "--json-schema", '{"properties":{"a":{"$ref":"#/nowhere"}}}'], /^--json-schema is not a JSON schema: /],
  [
    ["-p", "hi", "--system-prompt", "a", "--system-prompt-file", "b"],
    "Give either --system-prompt or --system-prompt-file, not both.",
  ],
  [
    ["-p", "hi", "--permission-prompt-tool", "stdio"],
    "--permission-prompt-tool stdio needs --input-format stream-json.",
  ],
  [["-p", "hi", "--agent", "gone"], /^--agent: There is no agent type/],
  [["--input-format", "stream-json"], "--input-format stream-json needs --output-format stream-json."],
  [[...STREAM, "--resume"], "--resume needs a session id here (--continue resumes the newest session)."],
  [[...STREAM, "--max-turns", "0"], /quoll --help/],
  [[...STREAM, "--mcp-config", "nowhere/x.json"], /x\.json/],
  [[...STREAM, "--permission-prompt-tool", "mcp__no__tool"], /--permission-prompt-tool/],
];

test("a terminal is asked about a word that is surely meant as a command, and no prompt is sent by accident", async () => {
  await using place = await quollPlace({ scenario: [reply("Fine.")] });
  const start = async (word: string) => {
    const where = { columns: 100, rows: 24, cwd: place.project.dir, env: place.environmentOf({}) };
    const terminal = terminalProcess([...QUOLL, word], where);
    await terminal.shows("enter leaves");
    return terminal;
  };
  {
    await using left = await start("update");
    left.type("\r");
    expect(await left.child.exited).toBe(2);
  }
  {
    await using ran = await start("modelz");
    ran.type("y\r");
    await ran.shows("claude");
    expect(await ran.child.exited).toBe(0);
  }
  expect(place.sent()).toEqual([]);
  await using sent = await start("serve");
  sent.type("p\r");
  await sent.shows(/● Fine\.|Do you trust/);
});

test("in a terminal a line on stderr is broken at blanks", async () => {
  await using place = await quollPlace({ scenario: [] });
  const where = { columns: 40, rows: 24, cwd: place.project.dir, env: place.environmentOf({}) };
  await using terminal = terminalProcess([...QUOLL, "-p", "hi", "--fork-session", "--resume"], where);
  await terminal.shows("n).");
  const rows = terminal.screen.trimEnd().split("\n");
  expect(rows).toHaveLength(3);
  expect(rows.map((row) => row.trim()).join(" ")).toEndWith("resumes the newest session).");
});

describe("wrong usage gets one line that says what to do, no stack, and exit code 2", () => {
  eachOrDeep(
    "%j",
    (at) => at % 8 === 0,
    CASES,
    async (args, line) => {
      await using place = await quollPlace({ files: FILES, scenario: [] });
      const stdin = args.includes("stream-json") ? JSON.stringify(said("hi")) : undefined;
      // A model that is named needs a key, which is then missing.
      const options = { model: !args.includes("--model"), ...(stdin !== undefined && { stdin }) };
      const { code, out, err } = await place.run(args, options);
      const told = /^quoll: (.*)\n$/.exec(err.replaceAll(place.project.dir, "…"))?.[1];
      expect({ code, out, told }).toEqual({
        ...{ code: 2, out: "" },
        told: typeof line === "string" ? line : expect.stringMatching(line),
      });
      expect(place.sent()).toEqual([]);
      expect(place.ownFiles().filter(([path]) => path.endsWith(".jsonl") || path.endsWith(".lock"))).toEqual([]);
    },
  );

  deepTest("input for exec that is not JSON is named as such", async () => {
    await using place = await quollPlace();
    const { code, out, err } = await place.run(["exec", "Read", "--input", "file.txt"]);
    expect({ code, out }).toEqual({ code: 2, out: "" });
    expect(err).toMatch(/^quoll: --input is not valid JSON: .+\n$/);
  });

  test("--debug shows the stack with files of the source, which nothing else does", async () => {
    await using place = await quollPlace();
    const { code, err } = await place.run(["-p", "hi", "--fork-session", "--debug"]);
    expect(code).toBe(2);
    expect(err).toMatch(/^UserFacingError: --fork-session needs .+\n {4}at .*\(?src\/[\w/-]+\.ts:\d+/);
  });
});

describe("settings files", () => {
  test("a malformed one is named with file, line and column, and with what was expected", async () => {
    await using place = await quollPlace();
    const file = await place.home.write(
      "own/config/settings.json",
      '{\n  "model": "offline",\n  "permissions": [\n}\n',
    );
    const { code, out, err } = await place.run(["-p", "list files"]);
    expect({ code, out }).toEqual({ code: 2, out: "" });
    expect(err).toStartWith(`quoll: ${file}:4:1: `);
    expect(err.trimEnd().split("\n")).toHaveLength(1);
  });

  test("a wrong value is named with its place", async () => {
    await using place = await quollPlace();
    const file = await place.home.write(
      "own/config/settings.json",
      '{\n  "permissions": { "defaultMode": "yolo" }\n}\n',
    );
    const { code, err } = await place.run(["-p", "list files"]);
    expect(code).toBe(2);
    expect(err).toStartWith(`quoll: ${file}:2:`);
    expect(err).toContain("acceptEdits");
    expect(err.trimEnd().split("\n")).toHaveLength(1);
  });

  test("an unknown key warns with the nearest known key, and the work continues", async () => {
    await using place = await quollPlace({ files: { "a.txt": "one\n" } });
    await place.home.write("own/config/settings.json", '{ "modle": "offline" }');
    const { code, out, err } = await place.run(["-p", "read a.txt", "--model", "offline"]);
    expect({ code, out }).toEqual({ code: 0, out: "     1\tone\n" });
    expect(err).toContain("model");
    expect(err.trimEnd().split("\n")).toHaveLength(1);
  });
});

// Root reads every folder.
test.skipIf(process.getuid?.() === 0)("a folder that can't be entered is told in one line", async () => {
  await using place = await quollPlace({ files: { "closed/a.txt": "x" } });
  await chmod(place.project.path("closed"), 0o000);
  try {
    const { code, out, err } = await place.run(["-p", "list files", "-C", "closed"]);
    expect({ code, out }).toEqual({ code: 2, out: "" });
    expect(err.trimEnd().split("\n")).toHaveLength(1);
  } finally {
    await chmod(place.project.path("closed"), 0o700);
  }
});
