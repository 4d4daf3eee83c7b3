import { expect, test } from "bun:test";
import { argumentHint, promptArguments } from "../../../../src/services/mcp/prompts/prompt-arguments.ts";

const prompt = (...names: readonly string[]) => ({
  server: "shop",
  name: "order",
  arguments: names.map((name, at) => ({ name, isRequired: at === 0 })),
});

test("typed words become a prompt's arguments in order, quoted words stay together, the last argument takes the rest", () => {
  const two = prompt("id", "tone");
  expect(promptArguments("", two)).toEqual({});
  expect(promptArguments("A-1", two)).toEqual({ id: "A-1" });
  expect(promptArguments(`"A 1" 'very polite'`, two)).toEqual({ id: "A 1", tone: "very polite" });
  expect(promptArguments('A-1 polite and "quite" short', two)).toEqual({ id: "A-1", tone: "polite and quite short" });
  expect(promptArguments('"say \\"hi\\"" it\'s', two)).toEqual({ id: 'say "hi"', tone: "it's" });
  expect(promptArguments("anything", prompt())).toEqual({});
});

test("help shows which arguments a prompt needs", () => {
  expect(argumentHint(prompt("id", "tone"))).toBe("<id> [tone]");
  expect(argumentHint(prompt())).toBeUndefined();
});
