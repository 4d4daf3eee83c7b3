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
  "a: b: c",
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
  expect(problem).toMatchObject({ line: 2 });
});
