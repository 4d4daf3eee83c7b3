import { describe, expect, test } from "bun:test";
import { AjvJsonSchemaValidator } from "@modelcontextprotocol/sdk/validation/ajv";
import { adaptSchema, restoreFields } from "../../../../src/services/mcp/tools/adapt-schema.ts";
import { inputChecker } from "../../../../src/services/mcp/tools/input-checker.ts";
import { corrected } from "../../../../src/services/mcp/tools/mcp-tool.ts";

const TEXT = { type: "string" };
const COUNT = { type: "number" };

describe("schemas for model APIs", () => {
  test("an ordinary schema stays as it is", () => {
    const schema = { type: "object", properties: { a: TEXT }, required: ["a"], additionalProperties: false };
    expect(adaptSchema(schema)).toEqual({ schema, note: "", renamed: new Map() });
  });

  test.each([
    [undefined],
    [null],
    [true],
    [[]],
    ["object"],
    [{}],
    [{ type: "string" }],
    [{ type: ["object", "null"] }],
  ])("%p becomes an object schema", (...[schema]) => {
    expect(adaptSchema(schema).schema).toEqual({ type: "object", properties: {} });
  });

  test("alternatives at the top become one object, and a note repeats them", () => {
    const anyOf = [
      { properties: { url: TEXT, depth: COUNT }, required: ["url"] },
      { properties: { path: TEXT }, required: ["path"] },
    ];
    const adapted = adaptSchema({ type: "object", properties: { verbose: { type: "boolean" } }, anyOf });
    expect(adapted.schema).toEqual({
      type: "object",
      properties: { verbose: { type: "boolean" }, url: TEXT, depth: COUNT, path: TEXT },
    });
    expect(adapted.note).toBe(`The input as a whole must also fit ${JSON.stringify({ anyOf })}.`);
  });

  test("fields that every alternative requires are required, and fields that differ become alternatives", () => {
    const form = (kind: string, value: object) => ({
      type: "object",
      properties: { kind: { const: kind }, value },
      required: ["kind", "value"],
    });
    const oneOf = [form("text", TEXT), form("count", COUNT), { type: "null" }];
    const adapted = adaptSchema({ oneOf });
    expect(adapted.schema).toEqual({
      type: "object",
      properties: {
        kind: { anyOf: [{ const: "text" }, { const: "count" }] },
        value: { anyOf: [TEXT, COUNT] },
      },
      required: ["kind", "value"],
    });
    expect(adapted.note).toBe(`The input as a whole must also fit ${JSON.stringify({ oneOf })}.`);
  });

  test("alternatives that only name required fields are listed", () => {
    const adapted = adaptSchema({
      type: "object",
      properties: { id: TEXT, name: TEXT },
      oneOf: [{ required: ["id"] }, { required: ["name"] }],
    });
    expect(adapted.schema).toEqual({ type: "object", properties: { id: TEXT, name: TEXT } });
    expect(adapted.note).toContain('{"oneOf":[{"required":["id"]},{"required":["name"]}]}');
  });

  test("all of several is their sum", () => {
    const adapted = adaptSchema({
      allOf: [{ $ref: "#/$defs/Base" }, { properties: { b: TEXT, a: { minLength: 2 } }, required: ["b"] }],
      $defs: { Base: { properties: { a: TEXT }, required: ["a"] } },
    });
    expect(adapted.schema).toEqual({
      type: "object",
      properties: { a: { anyOf: [TEXT, { minLength: 2 }] }, b: TEXT },
      required: ["a", "b"],
      $defs: { Base: { properties: { a: TEXT }, required: ["a"] } },
    });
  });

  test("a reference at the top is followed, one that goes round ends", () => {
    const item = { type: "object", properties: { next: { $ref: "#/$defs/Item" } }, required: ["next"] };
    expect(adaptSchema({ $ref: "#/$defs/Item", $defs: { Item: item } }).schema).toEqual({
      type: "object",
      properties: { next: { $ref: "#/$defs/Item" } },
      required: ["next"],
      $defs: { Item: item },
    });
    const round = adaptSchema({ $ref: "#/$defs/A", $defs: { A: { $ref: "#/$defs/B" }, B: { $ref: "#/$defs/A" } } });
    expect(round.schema["properties"]).toEqual({});
    expect(adaptSchema({ $ref: "#" }).schema["properties"]).toEqual({});
  });

  test("references that go round in many ways end at once", () => {
    const ways = ["allOf", "anyOf", "oneOf"].map((kind) => [kind, Array(6).fill({ $ref: "#" })]);
    const { schema } = adaptSchema({ properties: { a: { type: "string" } }, ...Object.fromEntries(ways) });
    expect(schema["properties"]).toEqual({ a: { type: "string" } });
  });

  test("a reference into a list of alternatives is followed", () => {
    const [b, c] = ["b", "c"].map((name) => ({ properties: { [name]: { type: "string" } } }));
    const { schema } = adaptSchema({
      allOf: [{ $ref: "#/$defs/either/oneOf/1" }],
      $defs: { either: { oneOf: [b, c] } },
    });
    expect(schema["properties"]).toEqual({ c: { type: "string" } });
  });

  test("a reference to another document becomes words", () => {
    expect(adaptSchema({ properties: { a: { $ref: "https://example.com/a.json" } } }).schema["properties"]).toEqual({
      a: { description: "Its shape is described at https://example.com/a.json" },
    });
  });

  test("constraints that APIs refuse at the top are described in words", () => {
    const adapted = adaptSchema({ type: "object", properties: { a: TEXT, b: TEXT }, not: { required: ["a", "b"] } });
    expect(adapted.schema).toEqual({ type: "object", properties: { a: TEXT, b: TEXT } });
    expect(adapted.note).toBe('The input as a whole must also fit {"not":{"required":["a","b"]}}.');
  });

  test("fields that APIs don't take are renamed, and put back", () => {
    const adapted = adaptSchema({
      properties: { "größe in cm": COUNT, größe_in_cm: COUNT, ok: TEXT },
      required: ["größe in cm"],
    });
    const [first = "", second = ""] = Object.keys(adapted.schema["properties"] as object);
    expect(adapted.schema["required"]).toEqual([first]);
    expect([first, second].every((name) => /^[A-Za-z0-9_.-]{1,64}$/.test(name))).toBe(true);
    expect(restoreFields({ [first]: 1, [second]: 2, ok: "x" }, adapted.renamed)).toEqual({
      "größe in cm": 1,
      größe_in_cm: 2,
      ok: "x",
    });
    expect(adapted.note).toContain(`\`${first}\` is "größe in cm".`);
  });

  test("a field named __proto__ is a field like any other", () => {
    const { schema } = adaptSchema(
      JSON.parse('{"properties":{"__proto__":{"type":"string"}},"required":["__proto__"]}'),
    );
    expect(Object.keys(schema["properties"] as object)).toEqual(["__proto__"]);
    expect(restoreFields(JSON.parse('{"__proto__":"x"}'), new Map([["a", "b"]]))).toEqual(
      JSON.parse('{"__proto__":"x"}'),
    );
  });

  test("texts are cut and well-formed, dialects and deep nesting go", () => {
    const deep: Record<string, unknown> = {};
    let place = deep;
    for (let level = 0; level < 5_000; level += 1) {
      const next: Record<string, unknown> = {};
      place["items"] = next;
      place = next;
    }
    const { schema } = adaptSchema({
      $schema: "https://json-schema.org/draft/2020-12/schema",
      $id: "https://example.com/x",
      description: "half \ud800",
      properties: { a: { description: "d".repeat(5_000) }, deep, $id: TEXT },
    });
    expect(schema["description"]).toBe("half �");
    const properties = schema["properties"] as Record<string, { description: string }>;
    expect(properties["a"]?.description.length).toBe(2_048);
    expect(properties["a"]?.description).toEndWith(" … [cut: it has 5000 characters]");
    expect(Object.keys(schema)).toEqual(["type", "description", "properties"]);
    expect(properties["_id"] as unknown).toEqual(TEXT);
    expect(JSON.stringify(schema).length).toBeLessThan(4_000);
  });
});

describe("checks of inputs", () => {
  const check = (schema: unknown) => inputChecker(new AjvJsonSchemaValidator())(schema);

  test("the server's own schema judges, alternatives included", () => {
    const fits = check({
      type: "object",
      properties: { a: TEXT, b: TEXT },
      oneOf: [{ required: ["a"] }, { required: ["b"] }],
    });
    expect([fits({ a: "x" }), fits({ a: "x", b: "y" }), fits({ a: 1 })]).toEqual([
      undefined,
      "input must match exactly one schema in oneOf",
      "input/a must be string",
    ]);
  });

  test("two tools whose schemas share an id are judged by their own", () => {
    const checker = inputChecker(new AjvJsonSchemaValidator());
    const a = checker({ $id: "same", type: "object", required: ["a"] });
    const b = checker({ $id: "same", type: "object", required: ["b"] });
    expect([a({ a: 1 }), b({ a: 1 })]).toEqual([undefined, "input must have required property 'b'"]);
  });

  test.each([
    ["a reference to nowhere", { properties: { a: { $ref: "#/$defs/none" } } }],
    ["a pattern of another language", { properties: { a: { type: "string", pattern: "(?i)x" } } }],
    ["what is no schema", { properties: { a: { type: "colour" } } }],
    ["nothing", undefined],
  ])("%s leaves the judgement to the server", (_, schema) => {
    expect(check(schema)({ a: "anything" })).toBeUndefined();
  });

  test("a schema of 1,000 properties whose references go in circles is read, and judges", () => {
    const names = Array.from({ length: 1_000 }, (_, at) => `p${at}`);
    const schema = {
      type: "object",
      properties: Object.fromEntries(names.map((name) => [name, { $ref: "#/$defs/A" }])),
      required: ["p0"],
      $defs: {
        A: { type: "object", properties: { next: { $ref: "#/$defs/B" }, own: TEXT } },
        B: { type: "object", properties: { next: { $ref: "#/$defs/A" } } },
      },
    };
    expect(Object.keys(adaptSchema(schema).schema["properties"] as object)).toHaveLength(1_000);
    const fits = check(schema);
    const inputs = [{ p0: { next: { next: { own: "x" } } } }, { p0: { next: { next: { own: 5 } } } }, { p9: {} }];
    expect(inputs.map(fits)).toEqual([
      undefined,
      "input/p0/next/next/own must be string",
      "input must have required property 'p0'",
    ]);
  });

  test("a schema of more objects than the limit is not compiled, and checks nothing", () => {
    const circleOf = (count: number) => {
      const part = (at: number) => [
        `d${at}`,
        { type: "object", properties: { next: { $ref: `#/$defs/d${(at + 1) % count}` } } },
      ];
      return {
        properties: { a: { $ref: "#/$defs/d0" } },
        $defs: Object.fromEntries(Array.from({ length: count }, (_, at) => part(at))),
      };
    };
    const limited = inputChecker(new AjvJsonSchemaValidator(), 500);
    // Three objects a definition, and four besides.
    expect([165, 166, 1_000].map((count) => limited(circleOf(count))({ a: 1 }))).toEqual([
      "input/a must be object",
      undefined,
      undefined,
    ]);
  });

  test("a pattern that backtracks is not run", () => {
    const text = { type: "string", pattern: "^(a+)+$" };
    const patternProperties = { "^(a+)+$": text };
    const fits = check({ properties: { a: text, pattern: TEXT }, patternProperties, additionalProperties: false });
    const value = `${"a".repeat(40)}!`;
    expect([fits({ a: value, [value]: value }), fits({ pattern: 1 })]).toEqual([
      undefined,
      "input/pattern must be string",
    ]);
  });

  test("a format that nobody knows is no reason to write to the terminal", () => {
    const written: unknown[] = [];
    const warn = console.warn;
    console.warn = (...words) => void written.push(words);
    try {
      const fits = check({
        properties: { a: { type: "string", format: "colour" }, b: { type: "string", format: "email" } },
      });
      expect([fits({ a: "red" }), fits({ b: "no" })]).toEqual([undefined, 'input/b must match format "email"']);
    } finally {
      console.warn = warn;
    }
    expect(written).toEqual([]);
  });
});

describe("slips of form", () => {
  const schema = {
    type: "object",
    properties: {
      count: { type: "integer" },
      ratio: { type: "number" },
      deep: { anyOf: [{ type: "array" }, { type: "object" }] },
      flag: { type: ["boolean", "null"] },
      text: { type: "string" },
      any: {},
      needed: { type: "number" },
    },
    required: ["needed"],
  };

  test("are put right where no meaning changes, and named", () => {
    const input = { count: "3", ratio: " 1.5", deep: "[1]", flag: "True", text: "7", any: "8", needed: "9" };
    expect(corrected(input, schema)).toEqual({
      value: { count: 3, ratio: 1.5, deep: [1], flag: true, text: "7", any: "8", needed: 9 },
      corrections: [
        "`count` was sent as a string and read as a number",
        "`ratio` was sent as a string and read as a number",
        "`deep` was sent as a string and read as an array",
        "`flag` was sent as a string and read as a boolean",
        "`needed` was sent as a string and read as a number",
      ],
    });
  });

  test("null is taken as absent only where the field may be left out and takes no null", () => {
    expect(corrected({ count: null, flag: null, needed: null }, schema)).toEqual({
      value: { flag: null, needed: null },
      corrections: ["null for `count` was treated as absent"],
    });
  });

  test("are left in a field that zod can't express, or whose pattern would not end", () => {
    const properties = { count: { type: "integer" }, text: { type: "string", pattern: "^(a+)+$" } };
    const input = { count: "3", text: `${"a".repeat(40)}!` };
    expect(corrected(input, { type: "object", properties }).value).toEqual({ ...input, count: 3 });
    const odd = { odd: { not: { type: "string" } }, sizes: { $ref: "#/$defs/sizes" } };
    const $defs = { sizes: { type: "array", items: { type: "integer" } } };
    const whole = { type: "object", properties: { ...properties, ...odd }, required: ["count"], $defs };
    const sent = { ...input, odd: "7", sizes: "[1, 2]", text: null };
    expect(corrected(sent, whole).value).toEqual({ count: 3, odd: "7", sizes: [1, 2] });
    expect(corrected({ count: null }, whole).value).toEqual({ count: null });
  });

  test("a value with no clear meaning is left for the schema to refuse", () => {
    const input = { count: "3.5", ratio: "many", deep: "{", needed: "[1]", unknown: "1" };
    expect(corrected(input, schema)).toEqual({ value: input, corrections: [] });
  });
});
