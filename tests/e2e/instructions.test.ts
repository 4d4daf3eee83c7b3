import { expect, setDefaultTimeout, test } from "bun:test";
import { symlinkSync } from "node:fs";
import { reply, text, toolUse } from "@quoll/model-twin/scenario";
import { deepTest, eachOrDeep, longerInDeep } from "../support/deep.ts";
import { QUOLL, quollPlace, type SentBody } from "../support/quoll-process.ts";
import { terminalProcess } from "../support/terminal-process.ts";

setDefaultTimeout(60_000);

/** The bytes of a request without the cache marks, which move with every request. */
function bytes(body: SentBody | undefined): readonly string[] {
  const unmarked = (key: string, value: unknown) => (key === "cache_control" ? undefined : value);
  return (body?.messages ?? []).map((message) => JSON.stringify(message, unmarked));
}

/** The names of the instruction files in a request, in order. */
function filesIn(body: SentBody | undefined): readonly string[] {
  const texts = (body?.messages ?? []).flatMap(({ content }) => content.flatMap(({ text: words = "" }) => [words]));
  return [...texts.join("\n").matchAll(/<project-instructions file="([^"]*)"/g)].map(([, name = ""]) => name);
}

const systemOf = (body: SentBody | undefined) => (body?.system ?? []).map(({ text: words }) => words).join("\n");

deepTest(
  "files of a folder below join behind what touched them, and a resumed session sends the same bytes",
  async () => {
    await using place = await quollPlace({
      files: {
        "AGENTS.md": "Top.\n",
        "p/AGENTS.md": "Of p.\n",
        "p/a.ts": "one\n",
        "q/CLAUDE.md": "Of q.\n",
        "q/b.txt": "",
        ".claude/rules/ts.md": "---\npaths: '**/*.ts'\n---\nOf all ts.\n",
      },
      scenario: [
        reply([text("I look."), toolUse("Read", { file_path: "p/a.ts" })]),
        reply([toolUse("Read", { file_path: "p/a.ts" }), toolUse("Bash", { command: "cat q/b.txt" })]),
        reply("Done."),
        reply([toolUse("Grep", { pattern: "one", path: "p" })]),
        reply("Again."),
      ],
    });
    expect(await place.run(["-p", "look"])).toEqual({ code: 0, out: "Done.\n", err: "" });
    const [first, second, third] = place.sent();
    expect(filesIn(first)).toEqual(["AGENTS.md"]);
    expect(filesIn(second)).toEqual(["AGENTS.md", ".claude/rules/ts.md", "p/AGENTS.md"]);
    expect(filesIn(third)).toEqual(["AGENTS.md", ".claude/rules/ts.md", "p/AGENTS.md", "q/CLAUDE.md"]);
    expect(bytes(third).slice(0, bytes(second).length - 1)).toEqual([...bytes(second)].slice(0, -1));

    expect((await place.run(["-p", "again", "-c"])).out).toBe("Again.\n");
    const [, , , fourth, fifth] = place.sent();
    expect(bytes(fourth).slice(0, bytes(third).length - 1)).toEqual([...bytes(third)].slice(0, -1));
    expect(filesIn(fifth)).toEqual([...filesIn(third)]);
    expect(place.refused()).toEqual([]);
  },
);

longerInDeep(
  "the system prompt is the same bytes in every folder, with every file and every switch of a session",
  async (isWhole) => {
    const scenario = () => reply("Fine.");
    await using bare = await quollPlace({ scenario });
    await using full = await quollPlace({
      scenario,
      files: { "AGENTS.md": "Sing.\n", "CLAUDE.md": "Dance.\n", "deep/GEMINI.md": "Rest.\n" },
      settings: {
        sandbox: { enabled: false },
        instructions: { claude: false },
        env: { A: "1" },
        permissions: { deny: ["Read(x)"] },
      },
    });
    const ended = [
      await bare.run(["-p", "one"]),
      await full.run(["-p", "two", "--trust", "--add-dir", full.home.dir], { cwd: full.project.path("deep") }),
      ...(isWhole
        ? [
            await bare.run(["-p", "three", "-c", "--permission-mode", "acceptEdits", "--max-turns", "3"]),
            await full.run(["-p", "four", "--permission-mode", "plan"]),
            await full.run(["-p", "five", "--permission-mode", "dontAsk", "--effort", "low"]),
          ]
        : []),
    ];
    expect(ended.map(({ out }) => out)).toEqual(ended.map(() => "Fine.\n"));
    const sent = [...bare.sent(), ...full.sent()];
    expect(sent).toHaveLength(ended.length);
    expect(new Set(sent.map(systemOf)).size).toBe(1);
    expect(new Set(sent.map(({ tools }) => JSON.stringify(tools))).size).toBe(1);
    const ofFull = full.sent();
    if (isWhole) expect(filesIn(ofFull[1])).toEqual(["AGENTS.md"]);
    expect(filesIn(ofFull[0])).toEqual([full.project.path("AGENTS.md"), full.project.path("deep/GEMINI.md")]);
  },
);

deepTest("an unusable file is reported in one line, and the session continues", async () => {
  await using place = await quollPlace({
    files: { "AGENTS.md": new Uint8Array([0, 1, 2, 255]), "GEMINI.md": "In force @gone.md.\n" },
    scenario: () => reply("Fine."),
  });
  symlinkSync("/etc/hostname", place.project.path("CLAUDE.md"));
  const { code, err } = await place.run(["-p", "hello"]);
  expect(code).toBe(0);
  expect(filesIn(place.sent()[0])).toEqual(["GEMINI.md"]);
  const lines = err.trimEnd().split("\n");
  expect(lines).toHaveLength(3);
  for (const [at, name] of ["AGENTS.md", "CLAUDE.md", "gone.md"].entries()) expect(lines[at]).toContain(name);
});

deepTest(
  "a terminal obeys no sequence in texts that a subcommand or an answer prints; a pipe gets them exact",
  async () => {
    const sequence = "\u001b]52;c;ZXZpbA==\u0007";
    const files = { "AGENTS.md": `Before${sequence}After\n` };
    await using place = await quollPlace({ files, scenario: () => reply(`Said${sequence}Done`) });
    const printed = async (...args: string[]) => {
      const options = { cwd: place.project.dir, env: place.environmentOf({}) };
      await using terminal = terminalProcess([...QUOLL, ...args], options);
      await terminal.child.exited;
      return terminal.output;
    };
    const onTerminal = [
      await printed("config", "get", "prompt"),
      await printed("exec", "Read", "--input", '{"file_path":"AGENTS.md"}'),
      await printed("-p", "hello"),
    ];
    for (const [at, wanted] of ["BeforeAfter", "BeforeAfter", "SaidDone"].entries()) {
      expect(onTerminal[at]).toContain(wanted);
      expect(onTerminal[at]).not.toContain("]52;");
    }
    expect((await place.run(["config", "get", "prompt"])).out).toContain(`Before${sequence}After`);
  },
);

test("an untrusted project sends no credentials through its instruction files, whatever the mode", async () => {
  const key = "wJalrXUtnFEMI/K7MDENG/bPxRfiCYzq83kQ1pLm";
  const token = `ghp_${"a8Kd93jLs0".repeat(4).slice(0, 36)}`;
  await using place = await quollPlace({ scenario: () => reply("Fine.") });
  const credentials = await place.home.write(
    ".aws/credentials",
    `[default]\naws_secret_access_key = ${key}\ngithub = ${token}\n`,
  );
  const copy = await place.home.write("copy.md", `aws_secret_access_key = ${key}\n${token}\n`);
  await place.project.write("AGENTS.md", `@${credentials}\n@${copy}\n@own.md\n`);
  await place.project.write("own.md", `Our token is ${token}.\n`);
  const options = ["--permission-mode", "bypassPermissions", "--allowed-tools", `Read(/${credentials})`];
  const { err } = await place.run(["-p", "one", ...options], { env: { IS_SANDBOX: "1" } });
  expect(err).toContain("~/.aws/credentials, imported by AGENTS.md, was left out");
  expect(err).toContain("~/copy.md, imported by AGENTS.md, was left out");
  await place.run(["-p", "two", "--trust", ...options], { env: { IS_SANDBOX: "1" } });
  expect(place.sent().map(filesIn)).toEqual([
    ["AGENTS.md", "own.md"],
    ["AGENTS.md", "~/copy.md", "own.md"],
  ]);
  expect(JSON.stringify(place.sent())).not.toMatch(/wJalr|ghp_/);
});

deepTest("an allow rule lets in a file from outside of a trusted project", async () => {
  await using place = await quollPlace({ files: { "AGENTS.md": "See @~/notes.md\n" }, scenario: () => reply("Fine.") });
  await place.home.write("notes.md", "Mine.\n");
  expect((await place.run(["-p", "one", "--trust"])).err).toContain("Read(~/notes.md)");
  await place.run(["-p", "two", "--trust", "--allowed-tools", "Read(~/notes.md)"]);
  expect(place.sent().map(filesIn)).toEqual([["AGENTS.md"], ["AGENTS.md", "~/notes.md"]]);
});

eachOrDeep(
  "config get prompt prints what a session sends: %s",
  1,
  [
    ["nothing", []],
    [
      "a mode and text of the user's",
      ["--permission-mode", "plan", "--append-system-prompt", "Sing.", "--tools", "Read,Grep"],
    ],
    ["--bare", ["--bare"]],
  ],
  async (_, options) => {
    await using place = await quollPlace({ files: { "AGENTS.md": "Top.\n" }, scenario: () => reply("Fine.") });
    await place.run(["-p", "hello", ...options]);
    const printed = await place.run(["config", "get", "prompt", "-p", "--json", ...options]);
    expect(printed).toMatchObject({ code: 0, err: "" });
    const { system, tools, firstMessage } = JSON.parse(printed.out);
    const [sent] = place.sent();
    expect(systemOf(sent)).toBe(system);
    expect(sent?.messages[0]?.content.map(({ text: words }) => words)).toEqual([...firstMessage, "hello"]);
    expect(sent?.tools.map((tool) => (tool as { name: string }).name)).toEqual(
      tools.map(({ name }: { name: string }) => name),
    );
    const readable = await place.run(["config", "get", "prompt", "-p", ...options]);
    expect(readable.out).toContain(system);
    expect(readable.out).toContain(firstMessage[0]);
    expect(place.sent()).toHaveLength(1);
    const sessions = place.ownFiles().filter(([path]) => path.endsWith(".jsonl") && path.includes("sessions/"));
    expect(sessions).toHaveLength(1);
  },
);

deepTest("config get prompt tells of files that can't be used, and refuses another key", async () => {
  await using place = await quollPlace({ files: { "AGENTS.md": "@gone.md\n" }, scenario: () => reply("Fine.") });
  const { code, err, out } = await place.run(["config", "get", "prompt"]);
  expect(code).toBe(0);
  expect(err).toContain("gone.md");
  expect(out).not.toContain("nobody can answer");
  expect((await place.run(["config", "get", "promt"])).code).toBe(2);
});

const SUMMARY = "<summary>\n## Goal\nLook around.\n## Next step\nGo on looking.\n</summary>";

deepTest("a summary of the conversation leaves every instruction file in force, word for word", async () => {
  const isSummaryRequest = (body: SentBody) => JSON.stringify(body.messages.at(-1)).includes("Stop the work here");
  await using place = await quollPlace({
    files: { "AGENTS.md": "Top.\n\n- one\n", "p/AGENTS.md": "Of p: <b>.\n", "p/a.ts": "one\n" },
    settings: {
      sandbox: { enabled: false },
      models: { "claude-sonnet-5": { contextWindow: 20_000, maxOutputTokens: 1_000 } },
    },
    scenario: ({ body }, index) => {
      if (isSummaryRequest(body as SentBody)) return reply(SUMMARY);
      return index === 0 ? reply([toolUse("Read", { file_path: "p/a.ts" })]) : reply("Fine.");
    },
  });
  const say = (words: string, ...options: readonly string[]) =>
    place.run(["-p", words, "--model", "claude-sonnet-5", ...options]);
  await say("look");
  for (let at = 0; at < 6 && !place.sent().some(isSummaryRequest); at += 1)
    await say(`${at} ${"words ".repeat(2_000)}`, "-c");
  await say("go on", "-c");
  const after = place.sent().at(-1);
  expect(place.sent().some(isSummaryRequest)).toBe(true);
  expect(JSON.stringify(after?.messages)).toContain("Go on looking.");
  const texts = (after?.messages ?? [])
    .flatMap(({ content }) => content.map(({ text: words = "" }) => words))
    .join("\n");
  for (const wanted of [
    '<project-instructions file="AGENTS.md">\nTop.\n\n- one\n</project-instructions>',
    '<project-instructions file="p/AGENTS.md" applies-to="p/">\nOf p: <b>.\n</project-instructions>',
  ])
    expect(texts.split(wanted)).toHaveLength(2);
  expect(place.refused()).toEqual([]);
});
