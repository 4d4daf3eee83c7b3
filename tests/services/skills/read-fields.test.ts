import { expect, test } from "bun:test";
import { plainFields, yamlFields } from "../../../src/services/skills/read-fields.ts";

test.each([
  "name: a\ndescription: Does x. Use it for y",
  "a: 'single # quoted: text'\nb: \"double\"",
  "allowed-tools:\n  - Read\n  - Bash(git log *)\nname: x",
  "tools: [Read, Grep]",
  "# a comment\nurl: https://example.com/x#y",
  "empty:\nnext: x",
  "description: >-\n  folded: text\n  of two lines # with a sharp\nname: x",
  "description: >\n    folded\nname: x",
  "description: |\n  first\n  second",
  "description: |-\n  first\n  second\n",
])("plain frontmatter has the fields that YAML gives it: %j", async (header) => {
  const { values } = await yamlFields(header);
  const asText = Object.fromEntries(Object.entries(values).map(([name, value]) => [name, value ?? ""]));
  expect(plainFields(header)?.values).toEqual(asText);
});

test.each([
  "description: >-\n  folded\n\n  text",
  "description: >-\n  folded\n    deeper",
  "description: >+\n  kept\n",
  "a: {b: c}",
  "a: b: c # comment",
  "a: - b: c",
  'a: "b": c',
  'a: "x\\n"',
  "a: x # comment",
  "a: &anchor x",
  "a: x\n  continued",
  "metadata:\n  version: 1",
])("frontmatter that is not plain is left to YAML: %j", (header) => {
  expect(plainFields(header)).toBeUndefined();
});

test("malformed frontmatter names the line and keeps its readable fields", async () => {
  const { values, problem } = await yamlFields('name: a\ndescription: Use it when: always\nbad: "open');
  expect(values).toMatchObject({ name: "a", description: "Use it when: always" });
  expect(problem).toMatchObject({ line: 3 });
});

test.each([
  ["long", `x: ${"[".repeat(70_000)}`, "it has more than 65536 characters"],
  ["deep in brackets", `x: ${"{a: ".repeat(1_000)}`, "it is nested too deeply"],
  ["deep in lists", `x:\n${"- ".repeat(1_000)}a`, "it is nested too deeply"],
])("a frontmatter that is too %s is not parsed", async (_, header, why) => {
  expect(await yamlFields(header)).toEqual({
    values: {},
    problem: { line: 1, text: `the frontmatter is ignored: ${why}` },
  });
});

test("a hint of several words in brackets is text", async () => {
  const header = "description: d\nargument-hint: [version] [date]";
  const values = { description: "d", "argument-hint": "[version] [date]" };
  expect(plainFields(header)).toEqual({ values });
  expect(await yamlFields(`${header}\nhooks: {}`)).toEqual({ values: { ...values, hooks: {} } });
});

test.each([
  ["What things cost: a list"],
  ['Say "hi": a list, and so on: https://a.b/c'],
  ["Use when: x: y"],
  ["Ends with a mark: "],
])("a text of one line with a colon needs no quotes: %j", async (text) => {
  const header = `name: a\ndescription: ${text}`;
  const values = { name: "a", description: text.trim() };
  expect(plainFields(header)?.values ?? values).toEqual(values);
  expect(await yamlFields(header)).toEqual({ values });
});
