import { afterAll, beforeAll, expect, test } from "bun:test";
import { reply } from "../../../src/scenario.ts";
import { startTwin, type Twin } from "../../../src/server.ts";
import { ask, body, errorMessage } from "../../support/ask.ts";

let twin: Twin;
beforeAll(async () => {
  twin = await startTwin({ scenario: () => reply("{}") });
});
afterAll(() => twin.close());

const answered = (schema: object) =>
  ask(twin, body({ model: "claude-sonnet-5-5", output_config: { format: { type: "json_schema", schema } } }));
const closed = (properties: object) => ({ type: "object", properties, additionalProperties: false });

test("a schema of closed objects is taken", async () => {
  const schema = closed({ a: { type: "array", items: closed({ b: { type: ["string", "null"] } }), minItems: 1 } });
  expect((await answered(schema)).status).toBe(200);
});

test.each([
  ["an open object", { type: "object", properties: {} }, "must be explicitly set to false"],
  ["an open object inside", closed({ a: { type: "array", items: { type: "object" } } }), "properties.a.items"],
  ["a map", { type: "object", additionalProperties: { type: "string" } }, "must be explicitly set to false"],
  ["a smallest number", closed({ n: { type: "integer", minimum: 1 } }), "minimum: is not supported"],
  ["a longest text", closed({ s: { type: "string", maxLength: 1 } }), "maxLength: is not supported"],
  ["several items at least", closed({ a: { type: "array", minItems: 2 } }), "minItems: must be 0 or 1"],
  ["a part that holds itself", closed({ next: { $ref: "#" } }), "Recursive schemas are not supported"],
  ["a part that stands elsewhere", closed({ a: { $ref: "https://example.com/a.json" } }), "$ref"],
])("a schema with %s is refused", async (_, schema, message) => {
  const refused = await answered(schema);
  expect(refused.status).toBe(400);
  expect(await errorMessage(refused)).toContain(message);
});
