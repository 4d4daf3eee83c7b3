import { describe, expect, test } from "bun:test";
import { TOOL_SPECS } from "../../../src/cli/surface.ts";
import { PROMPT_SECTIONS, systemPrompt } from "../../../src/services/context/system-prompt.ts";

const ALL = TOOL_SPECS.map(({ name }) => name);
const BARE = ["Read", "Edit", "Write", "Bash"];
const without = (name: string) => ALL.filter((one) => one !== name);
const whole = systemPrompt({ tools: ALL, instructions: true });

/** Names that are no English words, so that a mention of them is one of the tool. */
const NAMES = ["Bash", "Glob", "Grep", "TodoWrite", "TaskOutput", "TaskStop", "EnterPlanMode", "ExitPlanMode"];
/** Everything that the model reads before the first message. */
const descriptions = (tools: readonly string[]) =>
  TOOL_SPECS.filter(({ name }) => tools.includes(name)).map(({ describe, description }) =>
    describe ? describe((name) => tools.includes(name)) : description,
  );
const schemas = (tools: readonly string[]) =>
  TOOL_SPECS.filter(({ name }) => tools.includes(name)).map(({ inputSchema }) => JSON.stringify(inputSchema));
const readWith = (tools: readonly string[], instructions = true) =>
  [systemPrompt({ tools, instructions }), ...descriptions(tools)].join("\n");
/** `Bash(npm test *)` is a rule, whatever tools there are. */
const named = (text: string) => NAMES.filter((name) => new RegExp(`\\b${name}\\b(?!\\()`).test(text));

describe("the system prompt", () => {
  test("a change of it is a visible diff: each byte of it is paid for in every request", () => {
    expect(whole).toMatchSnapshot("whole");
    expect(systemPrompt({ tools: BARE, instructions: false })).toMatchSnapshot("bare");
  });

  test.each(
    PROMPT_SECTIONS.filter(({ needs }) => needs.length > 0).map(
      ({ name, needs, text }) => [name, needs, text] as const,
    ),
  )("has its section %j only with %j", (_, needs, text) => {
    const [heading = ""] = text.split("\n");
    expect(whole).toContain(heading);
    for (const need of needs) expect(systemPrompt({ tools: without(need), instructions: true })).not.toContain(heading);
  });

  test.each([
    ["an Edit's answer shows", "Edit"],
    ["with Grep and Glob", "Grep"],
    ["with Grep and Glob", "Glob"],
    ["Use TodoWrite", "TodoWrite"],
    ["run the project's own check", "Bash"],
    ["Prefer Read", "Read"],
  ])("says %j only to a model that has %s", (words, tool) => {
    expect(whole).toContain(words);
    expect(systemPrompt({ tools: without(tool), instructions: true })).not.toContain(words);
  });

  test("speaks of instruction files only where they are read", () => {
    const bare = systemPrompt({ tools: BARE, instructions: false });
    expect(bare).not.toContain("instruction files");
    expect(bare).toContain("Only the user tells you what to do.");
  });

  test.each([["bare", BARE], ...ALL.map((name) => [`no ${name}`, without(name)] as const), ["none", []]])(
    "nor any description or schema names a tool that is not there: %s",
    (_, tools) => {
      const text = [readWith(tools), ...schemas(tools)].join("\n");
      expect(named(text).filter((name) => !tools.includes(name))).toEqual([]);
    },
  );

  test("leaves no trace of a condition", () => {
    for (const tools of [ALL, BARE, [], without("Grep")]) {
      for (const text of [readWith(tools), readWith(tools, false)]) {
        expect(text).not.toMatch(/\{\{|\}\}| {2}|\n{3}| [.,;:]/);
      }
    }
  });
});
