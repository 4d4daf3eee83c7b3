import { describe, expect, setDefaultTimeout, test } from "bun:test";
import { reply, toolUse } from "@quoll/model-twin/scenario";
import { LIST_TOOLS } from "../../src/app/session/actions/session-task-list.ts";
import { WORKTREE_TOOLS } from "../../src/app/worktree/worktree-offer.ts";
import { declaredInventory, TOOL_SPECS } from "../../src/cli/surface.ts";
import { BUILTIN_COMMANDS } from "../../src/commands/builtin-commands.ts";
import { SEARCHING_TOOLS } from "../../src/contracts/call-target.ts";
import { systemPrompt } from "../../src/services/context/system-prompt.ts";
import { deepTest } from "../support/deep.ts";
import { quollPlace } from "../support/quoll-process.ts";

setDefaultTimeout(60_000);

const CHARS_PER_TOKEN = 4;
const tokens = (text: string) => Math.ceil(text.length / CHARS_PER_TOKEN);

describe("the declared surface", () => {
  test("a change of it is a visible diff", () => {
    expect(declaredInventory().list()).toMatchSnapshot("inventory");
    expect(TOOL_SPECS.map(({ name, inputSchema }) => ({ name, inputSchema }))).toMatchSnapshot("schemas");
  });

  test("tools of a first request cost the model at most 4,000 tokens, the system prompt at most 1,500", () => {
    const first = TOOL_SPECS.filter(({ isRare }) => !isRare);
    const tools = first.map(({ name, description, inputSchema }) => ({ name, description, inputSchema }));
    expect(tokens(JSON.stringify(tools))).toBeLessThanOrEqual(4_000);
    expect(tokens(systemPrompt({ tools: TOOL_SPECS.map(({ name }) => name), instructions: true }))).toBeLessThanOrEqual(
      1_500,
    );
  });

  deepTest("the first request of a small prompt is at most 4,500 tokens", async () => {
    const settings = { sandbox: { enabled: false }, providers: { anthropic: { webSearch: true } } };
    await using place = await quollPlace({ settings, scenario: [reply("Hello.")] });
    await place.run(["-p", "hi"]);
    const [request] = place.twin.requests;
    expect(tokens(request?.bodyText ?? "x".repeat(1e6))).toBeLessThanOrEqual(4_500);
  });

  deepTest("a bare session sends nothing about tools and files that it has not", async () => {
    await using place = await quollPlace({ scenario: [reply("Hello.")], files: { "AGENTS.md": "Use bun.\n" } });
    await place.run(["-p", "hi", "--bare"]);
    const sent = place.twin.requests[0]?.bodyText ?? "";
    expect(sent).toContain("Prefer Read and Edit");
    for (const absent of ["Grep", "Glob", "TodoWrite", "TaskOutput", "TaskStop", "PlanMode", "instruction files"])
      expect(sent).not.toContain(absent);
  });

  deepTest("results of a bare session name no tool that it has not", async () => {
    const calls = [
      toolUse("Read", { file_path: "src" }),
      toolUse("Bash", { command: "sleep 30", run_in_background: true }),
    ];
    await using place = await quollPlace({ scenario: [reply(calls), reply("Done.")], files: { "src/a.ts": "" } });
    await place.run(["-p", "go", "--bare", "--allowed-tools", "Bash(sleep *)"]);
    const results = JSON.stringify(place.sent().at(-1)?.messages.at(-1));
    expect(results).toContain("src is a folder with 1 name:");
    expect(results).toContain("Started in the background as task");
    expect(results).not.toMatch(/Glob|TaskOutput|TaskStop/);
  });

  test("the model is given just the declared tools, in their order, fewer by --tools and by a bare deny rule", async () => {
    // At an address of its own, the provider has no search by itself.
    const settings = { sandbox: { enabled: false }, providers: { anthropic: { webSearch: true } } };
    await using place = await quollPlace({ settings, scenario: () => reply("Hello.") });
    await place.run(["-p", "hi"]);
    await place.run(["-p", "hi", "--tools", "Grep,Read"]);
    await place.run(["-p", "hi", "--disallowed-tools", "Bash", "Edit(/x)"]);
    const names = TOOL_SPECS.map(({ name }) => name).filter(
      (name) =>
        ![...SEARCHING_TOOLS, ...LIST_TOOLS, ...WORKTREE_TOOLS].includes(name) &&
        // Nobody can answer in these runs.
        !["EnterPlanMode", "AskUserQuestion"].includes(name) &&
        name !== "Skill" &&
        name !== "SendMessage",
    );
    expect(place.sent().map(({ tools }) => (tools as { name: string }[]).map(({ name }) => name))).toEqual([
      names,
      ["Read", "Grep"],
      names.filter((name) => name !== "Bash"),
    ]);
  });
});

describe("quoll inventory, route, show and models", () => {
  test("lists as a table, and as JSON the same entries", async () => {
    await using place = await quollPlace();
    const [table, json, commands] = await Promise.all([
      place.run(["inventory", "tools"]),
      place.run(["inventory", "tools", "--json"]),
      place.run(["inventory", "commands"]),
    ]);
    expect({ code: table.code, err: table.err }).toEqual({ code: 0, err: "" });
    expect(table.out.split("\n")[0]).toBe(
      "Read             read     builtin  Read a text file, a document or an image",
    );
    expect(JSON.parse(json.out)).toEqual([...declaredInventory().list("tool")]);
    expect(
      commands.out
        .trimEnd()
        .split("\n")
        .map((line) => line.split(" ")[0]),
    ).toEqual(BUILTIN_COMMANDS.map(({ name }) => `/${name}`));
  });

  deepTest("filters narrow it, and an empty list says so", async () => {
    await using place = await quollPlace();
    const [simple, denied, agents, skills] = await Promise.all([
      place.run(["inventory", "tools", "--simple", "--json"]),
      place.run(["inventory", "tools", "--deny", "task", "--deny", "B", "--json"]),
      place.run(["inventory", "agents"]),
      place.run(["inventory", "skills", "--json"]),
    ]);
    const names = ({ out }: { out: string }) => JSON.parse(out).map(({ name }: { name: string }) => name);
    expect(names(simple)).toEqual(["Read", "Edit", "Write", "Bash"]);
    expect(names(denied)).toEqual([
      ...[
        "Read",
        "Edit",
        "Write",
        "Glob",
        "Grep",
        "TodoWrite",
        "EnterPlanMode",
        "ExitPlanMode",
        "ToolSearch",
        "ToolCall",
        "Recall",
        "Agent",
        "WebFetch",
        "AskUserQuestion",
        "NotebookEdit",
        "WebSearch",
        "Skill",
        "SendMessage",
        "EnterWorktree",
        "ExitWorktree",
      ],
    ]);
    expect(agents.out).toContain("Built in:\n  Explore  Searches and reads, changes nothing");
    expect(names(skills)).toEqual(["commit", "explain-failure", "make-skill", "review", "write-tests"]);
  });

  deepTest("route ranks the filtered view, the best of each kind first", async () => {
    await using place = await quollPlace();
    const [all, filtered, nothing] = await Promise.all([
      place.run(["route", "resume the session and find text in files", "--json"]),
      place.run(["route", "find text in files", "--deny", "grep", "--limit", "1", "--json"]),
      place.run(["route", "zzz"]),
    ]);
    const ranked = JSON.parse(all.out) as { kind: string; name: string; score: number }[];
    expect(ranked.slice(0, 2).map(({ kind, name }) => `${kind} ${name}`)).toEqual(["command resume", "tool Grep"]);
    const rest = ranked.slice(2).map(({ score }) => score);
    expect(rest).toEqual(rest.toSorted((a, b) => b - a));
    expect(JSON.parse(filtered.out)).toHaveLength(1);
    expect(filtered.out).not.toContain("Grep");
    expect(nothing).toEqual({ code: 0, out: "Nothing fits.\n", err: "" });
  });

  deepTest("show prints a tool whole and a command with its argument", async () => {
    await using place = await quollPlace();
    const [tool, command] = await Promise.all([
      place.run(["show", "tool", "read"]),
      place.run(["show", "command", "/model"]),
    ]);
    const read = TOOL_SPECS.find(({ name }) => name === "Read");
    expect(tool.out).toBe(
      `Read · read\n${read?.summary}\n\n${read?.description}\n\n${JSON.stringify(read?.inputSchema, null, 2)}\n`,
    );
    expect(command.out).toStartWith("/model [");
  });

  deepTest(
    "models lists what --model takes, also of the settings, with window, price and whether there is a key",
    async () => {
      await using place = await quollPlace({
        settings: {
          providers: { mine: { baseUrl: "http://127.0.0.1:9/v1", kind: "openai-compatible", models: ["m-1", "m-2"] } },
          models: { "m-1": { contextWindow: 64_000, price: { input: 1, output: 2.5 } } },
        },
      });
      const [list, json] = await Promise.all([place.run(["models"]), place.run(["models", "--json"])]);
      const models = JSON.parse(json.out) as { name: string; model: string; contextWindow: number | null }[];
      const lines = list.out.trimEnd().split("\n");
      expect([list.err, json.err, lines.length]).toEqual(["", "", models.length]);
      for (const { name, contextWindow } of models)
        if (contextWindow === null) expect(["offline", "mine/m-2"]).toContain(name);
        else expect(contextWindow).toBeGreaterThanOrEqual(32_000);
      expect(lines.map((line) => line.replace(/ +/g, " "))).toEqual(
        expect.arrayContaining([
          expect.stringMatching(/^default → claude-sonnet-5-5 1\.0M \$\d\S*\/\$\d/),
          "offline - free",
          expect.stringMatching(/^openai\/\S+ \S+ \S+ no key$/),
          "mine/m-1 64k $1/$2.50",
          "mine/m-2 - price unknown",
        ]),
      );
      expect(models.find(({ name }) => name === "mine/m-1")).toEqual({
        name: "mine/m-1",
        model: "m-1",
        provider: "mine",
        contextWindow: 64_000,
        price: { input: 1, output: 2.5 },
        efforts: [],
        hasAccess: true,
      } as never);
    },
  );
});

describe("quoll exec", () => {
  const exec = async (
    place: Awaited<ReturnType<typeof quollPlace>>,
    tool: string,
    input: unknown,
    ...flags: string[]
  ) => place.run(["exec", tool, "--input", JSON.stringify(input), ...flags]);

  deepTest("reads freely, and prints the whole result as JSON when asked", async () => {
    await using place = await quollPlace({ files: { "a.txt": "one\n" } });
    expect(await exec(place, "Read", { file_path: "a.txt" })).toEqual({ code: 0, out: "     1\tone\n", err: "" });
    expect(JSON.parse((await exec(place, "read", { path: "a.txt" }, "--json")).out)).toMatchObject({
      type: "tool_result",
      isError: false,
      content: expect.stringContaining("1\tone"),
    });
  });

  test("stops at a question with 4, at a deny rule with 1, and changes nothing", async () => {
    await using place = await quollPlace({ files: { "a.txt": "one\n" } });
    const change = { file_path: "a.txt", old_string: "one", new_string: "two" };
    expect((await exec(place, "Edit", change)).code).toBe(4);
    expect((await exec(place, "Edit", change, "--disallowed-tools", "Edit(/a.txt)")).code).toBe(1);
    expect(await place.project.read("a.txt")).toBe("one\n");
  });

  deepTest("edits a file that it reads first, as a model would have, and leaves no session", async () => {
    await using place = await quollPlace({ files: { "a.txt": "one\n" } });
    const change = { file_path: "a.txt", old_string: "one", new_string: "two" };
    const run = await exec(place, "Edit", change, "--permission-mode", "acceptEdits");
    expect({ code: run.code, err: run.err }).toEqual({ code: 0, err: "" });
    expect(await place.project.read("a.txt")).toBe("two\n");
    expect(place.ownFiles().filter(([path]) => path.endsWith(".jsonl"))).toEqual([]);
  });

  deepTest("a call that fails is 1, and input comes from a file or stdin too", async () => {
    await using place = await quollPlace({ files: { "in.json": '{"file_path":"none.txt"}' } });
    const failed = await place.run(["exec", "Read", "--input", "@in.json"]);
    expect(failed.code).toBe(1);
    expect(failed.out).toContain("none.txt");
    const piped = await place.run(["exec", "Glob", "--input", "-"], { stdin: '{"pattern":"*.json"}' });
    expect({ code: piped.code, err: piped.err }).toEqual({ code: 0, err: "" });
    expect(piped.out).toContain("in.json");
  });
});
