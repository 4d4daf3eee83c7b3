import { afterEach, describe, expect, setDefaultTimeout, test } from "bun:test";
import type { Options, PermissionResult, SDKMessage } from "@anthropic-ai/claude-agent-sdk";
import type { AskUserQuestionOutput } from "@anthropic-ai/claude-agent-sdk/sdk-tools";
import { reply, text, toolUse } from "@quoll/model-twin/scenario";
import { deepTest, eachOrDeep } from "../support/deep.ts";
import { QUOLL, quollPlace, resultsIn } from "../support/quoll-process.ts";
import { ask, closeQueries, collect, place, resultOf } from "../support/sdk-client.ts";
import { stdioClient } from "../support/served-client.ts";
import { terminalProcess } from "../support/terminal-process.ts";
import { tmuxProcess } from "../support/tmux-process.ts";

setDefaultTimeout(60_000);
afterEach(closeQueries);

type Asked = AskUserQuestionOutput["questions"][number];
const PREVIEW = "-pg()\n+sqlite()";
const DATABASE: Omit<Asked, "multiSelect"> = {
  question: "Which database should the shop use?",
  header: "Database",
  options: [
    { label: "PostgreSQL", description: "Relational" },
    { label: "SQLite", description: "One file", preview: PREVIEW },
  ],
};
const FEATURES: Asked = {
  question: "Which features come first?",
  header: "Features",
  options: [
    { label: "Login", description: "" },
    { label: "Search", description: "" },
  ],
  multiSelect: true,
};
const asking = (...questions: readonly object[]) => reply([toolUse("AskUserQuestion", { questions })]);
const twice = () => [asking(DATABASE, FEATURES), reply("Done.")];
const answers = { [DATABASE.question]: "SQLite", [FEATURES.question]: "Login, Search" };
/** A program that shows previews as text. */
const textPreviews: Options = { toolConfig: { askUserQuestion: { previewFormat: "markdown" } } };
/** The structured results of the calls. */
const outputs = (messages: readonly SDKMessage[]) =>
  messages.flatMap((message) => (message.type === "user" && message.tool_use_result ? [message.tool_use_result] : []));
type AskTool = { readonly name: string; readonly description: string; readonly input_schema: object };
/** The tool as the model sees it. */
const declared = ({ tools = [] }: { readonly tools?: readonly unknown[] } = {}) =>
  (tools as readonly AskTool[]).find(({ name }) => name === "AskUserQuestion");

describe("a program that drives a session", () => {
  test("is asked for a permission, and answers by its input", async () => {
    await using here = await place(twice());
    const asked: unknown[] = [];
    const canUseTool: Options["canUseTool"] = async (name, input, { toolUseID, title, suggestions }) => {
      asked.push({ name, input, isCall: toolUseID !== "", title, suggestions });
      return { behavior: "allow", updatedInput: { ...input, answers } };
    };
    const messages = await collect(ask(here, "go", { canUseTool, ...textPreviews }));
    expect(asked).toEqual([
      {
        name: "AskUserQuestion",
        input: { questions: [{ ...DATABASE, multiSelect: false }, FEATURES] },
        isCall: true,
        title: "Database, Features",
        suggestions: [],
      },
    ]);
    expect(resultsIn(here.sent()[1])).toEqual([
      `The user answered:\n- ${DATABASE.question} SQLite\n- ${FEATURES.question} Login, Search`,
    ]);
    expect(resultOf(messages)).toMatchObject({ subtype: "success", permission_denials: [] });
    const output: AskUserQuestionOutput = {
      questions: [{ ...DATABASE, multiSelect: false }, FEATURES],
      answers,
      annotations: { [DATABASE.question]: { preview: PREVIEW } },
    };
    expect(outputs(messages)).toEqual([output]);
    expect(here.refused()).toEqual([]);
  });

  deepTest(
    "that shows previews as HTML gets them as the model wrote them; a page with a script goes back to the model",
    async () => {
      const card = '<div style="padding:12px">Compact &amp; small</div>';
      const withPreview = (preview: string) =>
        asking({ ...DATABASE, options: [{ label: "Compact", description: "", preview }, DATABASE.options[0]] });
      await using here = await place([withPreview(`<script>x</script>${card}`), withPreview(card), reply("Done.")]);
      const previews: unknown[] = [];
      const canUseTool: Options["canUseTool"] = async (_, input) => {
        const [{ options }] = input["questions"] as [{ options: { preview?: string }[] }];
        previews.push(...options.map(({ preview }) => preview));
        return { behavior: "allow", updatedInput: { ...input, answers: { [DATABASE.question]: "Compact" } } };
      };
      const toolConfig: Options["toolConfig"] = { askUserQuestion: { previewFormat: "html" } };
      const messages = await collect(ask(here, "go", { canUseTool, toolConfig }));
      expect(previews).toEqual([card, undefined]);
      expect(resultsIn(here.sent()[1])).toEqual([expect.stringContaining("options[0].preview")]);
      expect(outputs(messages)).toEqual([
        expect.objectContaining({ annotations: { [DATABASE.question]: { preview: card } } }),
      ]);
      expect(declared(here.sent()[0])?.description).toContain("HTML");
    },
  );

  deepTest("that shows no previews gets none, and the model is not told of them", async () => {
    await using here = await place(twice());
    const inputs: object[] = [];
    const canUseTool: Options["canUseTool"] = async (_, input) => {
      inputs.push(input);
      return { behavior: "allow", updatedInput: { ...input, answers } };
    };
    await collect(ask(here, "go", { canUseTool }));
    expect(JSON.stringify([inputs, declared(here.sent()[0])])).not.toContain("preview");
    expect(inputs).toHaveLength(1);
  });

  deepTest("that declines is told of as a refused call", async () => {
    await using here = await place(twice());
    const canUseTool = async (): Promise<PermissionResult> => ({ behavior: "deny", message: "Not on a Friday." });
    const messages = await collect(ask(here, "go", { canUseTool }));
    expect(resultsIn(here.sent()[1])).toEqual([expect.stringContaining("Not on a Friday.")]);
    expect(resultOf(messages)).toMatchObject({
      subtype: "success",
      permission_denials: [{ tool_name: "AskUserQuestion" }],
    });
  });

  deepTest("may answer by a hook before the call, so that nobody is asked", async () => {
    await using here = await place(twice());
    const asked: string[] = [];
    const hook = async (input: object) => ({
      hookSpecificOutput: {
        hookEventName: "PreToolUse" as const,
        permissionDecision: "allow" as const,
        updatedInput: { ...("tool_input" in input ? (input.tool_input as object) : {}), answers },
      },
    });
    const canUseTool: Options["canUseTool"] = async (name, input) => {
      asked.push(name);
      return { behavior: "allow", updatedInput: input };
    };
    const hooks = { PreToolUse: [{ matcher: "AskUserQuestion", hooks: [hook] }] };
    await collect(ask(here, "go", { canUseTool, hooks }));
    expect(resultsIn(here.sent()[1])).toEqual([expect.stringContaining("SQLite")]);
    expect(asked).toEqual([]);
  });

  deepTest("that allows every call with its own input gives no answer, also if the model wrote one", async () => {
    const forged = toolUse("AskUserQuestion", { questions: [DATABASE], answers });
    await using here = await place([reply([forged]), reply("Done.")]);
    const canUseTool: Options["canUseTool"] = async (_, updatedInput) => ({ behavior: "allow", updatedInput });
    await collect(ask(here, "go", { canUseTool }));
    expect(resultsIn(here.sent()[1])).toEqual([expect.stringContaining("no answer")]);
  });
});

describe("where nobody is there", () => {
  /** A hook that could answer, and does not. */
  const hooks = { PreToolUse: [{ matcher: "AskUserQuestion", hooks: [{ type: "command", command: "true" }] }] };

  test("the model gets no tool that asks or begins a plan, in no mode", async () => {
    await using here = await quollPlace({ scenario: () => reply("Done.") });
    await here.run(["-p", "go"]);
    await here.run(["-p", "go", "--permission-mode", "plan"]);
    const asks = here
      .sent()
      .map(({ tools }) =>
        (tools as readonly AskTool[]).map(({ name }) => name).filter((name) => /Ask|Plan/.test(name)),
      );
    expect(asks).toEqual([["ExitPlanMode"], ["ExitPlanMode"]]);
  });

  test("the model is told at once and goes on: no refused call, exit code 0", async () => {
    await using here = await quollPlace({ scenario: [asking(DATABASE), reply("I took SQLite.")], settings: { hooks } });
    const { code, out, err } = await here.run(["-p", "go", "--output-format", "json"]);
    expect([code, err]).toEqual([0, ""]);
    expect(JSON.parse(out)).toMatchObject({ result: "I took SQLite.", permission_denials: [], is_error: false });
    const [result] = resultsIn(here.sent()[1]);
    expect(result).toContain("Nobody can answer");
    expect(result).toContain("assumed");
  });

  deepTest("plan mode does not ask the model to ask", async () => {
    await using here = await quollPlace({ scenario: [reply("The plan.")] });
    await here.run(["-p", "go", "--permission-mode", "plan"]);
    const sent = JSON.stringify(here.sent()[0]?.messages);
    expect(sent).toContain("Plan mode is on");
    expect(sent).not.toContain("AskUserQuestion");
  });

  deepTest("/init goes on without answers", async () => {
    await using here = await quollPlace({ scenario: [asking(DATABASE), reply("I assumed npm.")], settings: { hooks } });
    const { code, out } = await here.run(["-p", "/init", "--output-format", "json"]);
    expect([code, JSON.parse(out).permission_denials]).toEqual([0, []]);
    expect(JSON.stringify(here.sent()[0]?.messages)).toContain("at most three questions");
    expect(resultsIn(here.sent()[1])).toEqual([expect.stringContaining("Nobody can answer")]);
  });

  eachOrDeep(
    "a hook of the settings may answer at %s with answers alone",
    0,
    [
      ["PreToolUse", { permissionDecision: "allow", updatedInput: { answers } }],
      ["PermissionRequest", { decision: { behavior: "allow", updatedInput: { answers } } }],
    ] as const,
    async (hookEventName, decision) => {
      const command = `printf '%s' '${JSON.stringify({ hookSpecificOutput: { hookEventName, ...decision } })}'`;
      const hooks = { [hookEventName]: [{ matcher: "AskUserQuestion", hooks: [{ type: "command", command }] }] };
      await using here = await quollPlace({ scenario: [asking(DATABASE), reply("Done.")], settings: { hooks } });
      expect(await here.run(["-p", "go"])).toMatchObject({ code: 0 });
      expect(resultsIn(here.sent()[1])).toEqual([`The user answered:\n- ${DATABASE.question} SQLite`]);
    },
  );
});

deepTest("a client of the MCP server shows the questions as a form", async () => {
  await using here = await quollPlace({ scenario: [asking(DATABASE), reply("Done.")] });
  const answer = () => ({ answer1: "SQLite", words1: "in memory" });
  await using client = await stdioClient(here, [], { answer });
  await client.call("agent", { prompt: "go" });
  expect(client.asked).toEqual([DATABASE.question]);
  expect(resultsIn(here.sent()[1])).toEqual([expect.stringContaining('SQLite; in their own words: "in memory"')]);
});

/** Types keys until they have an effect: for a moment after a step, a question takes no key. */
async function press(
  terminal: ReturnType<typeof terminalProcess>,
  keys: string,
  effect: string | (() => boolean),
): Promise<void> {
  let next = 0;
  await terminal.shows(() => {
    if (typeof effect === "string" ? terminal.screen.includes(effect) : effect()) return true;
    if (Date.now() < next) return false;
    terminal.type(keys);
    // A busy machine takes seconds to show the effect; another press would then answer the next question.
    next = Date.now() + 3_000;
    return false;
  });
}

describe("a person at a terminal", () => {
  const begin = async (here: Awaited<ReturnType<typeof quollPlace>>) => {
    const size = { columns: 80, rows: 24 };
    const terminal = terminalProcess([...QUOLL, "--trust"], {
      ...size,
      cwd: here.project.dir,
      env: here.environmentOf({}),
    });
    await terminal.shows("? for keys");
    terminal.type("go\r");
    return terminal;
  };
  const start = async (here: Awaited<ReturnType<typeof quollPlace>>) => {
    const terminal = await begin(here);
    await terminal.shows(DATABASE.question);
    await terminal.asks();
    return terminal;
  };

  test("answers by keys, reviews, and sends; the row of the call shows what was said", async () => {
    await using here = await quollPlace({ scenario: twice() });
    await using terminal = await start(here);
    await press(terminal, "\u001b[B", "+sqlite()");
    await press(terminal, "\r", FEATURES.question);
    await press(terminal, "2", "☑ Search");
    await press(terminal, "dark mode", "Another answer: dark mode");
    await press(terminal, "\r", "Your answers");
    await press(terminal, "\r", "● Done.");
    expect(terminal.screen).toContain("Features: Search, dark mode");
    expect(resultsIn(here.sent()[1])).toEqual([
      `The user answered:\n- ${DATABASE.question} SQLite\n- ${FEATURES.question} Search; in their own words: "dark mode"`,
    ]);
    await terminal.leaves();
  });

  deepTest("ends the turn with escape, keeps what was typed in the prompt, and the model knows it", async () => {
    await using here = await quollPlace({ scenario: [asking(DATABASE), reply("Fine.")] });
    await using terminal = await start(here);
    await terminal.shows("esc ends the turn");
    terminal.type("neither of");
    await terminal.shows("neither of");
    terminal.type("\u001b");
    await terminal.shows("enter lets you write");
    terminal.type("\u001b");
    await terminal.shows("› neither of");
    await terminal.shows("? for keys");
    expect(here.sent()).toHaveLength(1);
    terminal.type(" them\r");
    await terminal.shows("● Fine.");
    const { messages = [] } = here.sent()[1] ?? {};
    expect(JSON.stringify(messages)).toContain("closed the questions without an answer");
    expect(JSON.stringify(messages.at(-1))).toContain("neither of them");
    await terminal.leaves();
  });

  deepTest("is asked before the plan's approval, and the answering key does not approve the plan", async () => {
    const plan = toolUse("ExitPlanMode", { plan: "# Use SQLite", allowed: [] });
    const asks = toolUse("AskUserQuestion", { questions: [DATABASE] });
    const settings = { permissions: { defaultMode: "plan" } };
    await using here = await quollPlace({ scenario: [reply([asks, plan]), reply("Planned.")], settings });
    await using terminal = await start(here);
    await terminal.rests();
    terminal.type("11");
    await terminal.shows("Start this plan?");
    await terminal.rests();
    expect(here.sent()).toHaveLength(1);
    expect(JSON.stringify(here.sent()[0]?.messages)).toContain("Ask with AskUserQuestion");
    await press(terminal, "3", "No:");
    await press(terminal, "smaller\r", "● Planned.");
    expect(resultsIn(here.sent()[1])).toEqual([
      expect.stringContaining("PostgreSQL"),
      expect.stringContaining("smaller"),
    ]);
    await terminal.leaves();
  });

  deepTest("answers by lines on a plain screen, which prints each question", async () => {
    await using here = await quollPlace({ scenario: twice() });
    await using terminal = terminalProcess([...QUOLL, "--trust", "--plain"], {
      ...{ columns: 80, rows: 40 },
      cwd: here.project.dir,
      env: here.environmentOf({}),
    });
    await terminal.shows(/plain screen\.[\s\S]*\nYou:$/);
    terminal.type("go\r");
    await terminal.shows(/Question: .* Question 1 of 2\.[\s\S]*\+sqlite\(\)[\s\S]*\nAnswer:$/);
    await press(terminal, "2\r", FEATURES.question);
    await press(terminal, "1 2\r", "Are these your answers?");
    await press(terminal, "1\r", "Done.");
    expect(resultsIn(here.sent()[1])).toEqual([
      `The user answered:\n- ${DATABASE.question} SQLite\n- ${FEATURES.question} Login, Search`,
    ]);
  });

  deepTest("reads in the row of an agent in the background what it asks, and answers it there", async () => {
    const agent = toolUse("Agent", { description: "Plan it", prompt: "plan", run_in_background: true });
    await using here = await quollPlace({
      scenario: ({ body }) => {
        const words = JSON.stringify(body);
        const isMain = words.includes('"name":"Agent"');
        if (isMain) return words.includes("tool_result") ? reply("It plans.") : reply([text("I start it."), agent]);
        return words.includes("tool_result") ? reply("The plan.") : asking(DATABASE);
      },
    });
    await using terminal = await begin(here);
    await terminal.shows(/▲ a1 general-purpose {2}asks: Which database/);
    await terminal.shows("● It plans.");
    await press(terminal, "\u001b[B", "enter answer ·");
    await press(terminal, "\r", "Database · asked by general-purpose: Plan it");
    await press(terminal, "or", "3 Another answer: or");
    await press(terminal, "\u001b", () => !terminal.screen.includes("asked by"));
    expect(terminal.screen).toMatch(/▲ a1 general-purpose {2}asks: /);
    await press(terminal, "\u001b[B", "enter answer ·");
    await press(terminal, "\r", "3 Another answer: or");
    await press(terminal, "1", () => JSON.stringify(here.sent()).includes("The user answered"));
    await terminal.shows(/a1 completed|✓ a1/);
    terminal.type("\u0003\u0003");
  });
});

describe.each([
  { columns: 80, rows: 24 },
  { columns: 120, rows: 40 },
])("in tmux at %j", (size) => {
  deepTest("the questions stay whole while the window changes its width", async () => {
    await using here = await quollPlace({ scenario: twice() });
    const env = Object.fromEntries(Object.entries(here.environmentOf({})).map(([key, value]) => [key, value ?? ""]));
    await using tmux = await tmuxProcess([...QUOLL, "--trust"], { ...size, cwd: here.project.dir, env });
    await tmux.shows("? for keys");
    await tmux.type("go");
    await tmux.press("Enter");
    await tmux.shows("4 Talk about it instead");
    await tmux.resize(60, size.rows);
    await tmux.shows(/│ ❯ 1 PostgreSQL {40,}│/);
    await tmux.resize(size.columns, size.rows);
    await tmux.pressUntil("2", FEATURES.question);
    await tmux.pressUntil("Left", DATABASE.question);
    expect((await tmux.screen()).match(/╭ 2 questions/g)).toHaveLength(1);
  });
});
