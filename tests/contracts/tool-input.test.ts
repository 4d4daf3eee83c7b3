import { describe, expect, test } from "bun:test";
import { z } from "zod";
import { coerceInput, explainIssues } from "../../src/contracts/tool-input.ts";

const schema = z.object({
  file_path: z.string(),
  limit: z.number().int().optional(),
  all: z.boolean().optional(),
  names: z.array(z.string()).optional(),
  options: z.object({ deep: z.boolean() }).optional(),
  nothing: z.string().nullable().optional(),
  "-A": z.number().optional(),
  "-i": z.boolean().optional(),
});
const aliases = { path: "file_path", filename: "file_path", max: "limit" };

type Row = readonly [
  what: string,
  raw: Record<string, unknown>,
  value: Record<string, unknown>,
  corrections: readonly string[],
];

describe("an input with a wrong form is corrected, and each correction is named", () => {
  const ROWS: readonly Row[] = [
    ["what fits is left as it is", { file_path: "a", limit: 2 }, { file_path: "a", limit: 2 }, []],
    ["an alias", { path: "a" }, { file_path: "a" }, ["`path` was taken as `file_path`"]],
    ["an alias in another spelling", { fileName: "a" }, { file_path: "a" }, ["`fileName` was taken as `file_path`"]],
    ["camelCase", { filePath: "a" }, { file_path: "a" }, ["`filePath` was taken as `file_path`"]],
    ["dashes", { "File-Path": "a" }, { file_path: "a" }, ["`File-Path` was taken as `file_path`"]],
    ["no alias beside the field itself", { file_path: "a", path: "b" }, { file_path: "a", path: "b" }, []],
    ["a number as a string", { limit: "20" }, { limit: 20 }, ["`limit` was sent as a string and read as a number"]],
    [
      "a string as a number",
      { file_path: 3 },
      { file_path: "3" },
      ["`file_path` was sent as a number and read as a string"],
    ],
    ["a number that lost digits on its way is no string", { file_path: 2 ** 60 }, { file_path: 2 ** 60 }, []],
    ["a fraction is no string, since it may have lost a zero", { file_path: 3.1 }, { file_path: 3.1 }, []],
    ["a boolean as a string", { all: "true" }, { all: true }, ["`all` was sent as a string and read as a boolean"]],
    [
      "a boolean as Python writes it",
      { all: "False" },
      { all: false },
      ["`all` was sent as a string and read as a boolean"],
    ],
    [
      "an array as a string",
      { names: '["a"]' },
      { names: ["a"] },
      ["`names` was sent as a string and read as an array"],
    ],
    [
      "an object as a string",
      { options: '{"deep":true}' },
      { options: { deep: true } },
      ["`options` was sent as a string and read as an object"],
    ],
    ["null for an optional field", { limit: null }, {}, ["null for `limit` was treated as absent"]],
    ["null where null means something", { nothing: null }, { nothing: null }, []],
    ["null for a required field is left to the schema", { file_path: null }, { file_path: null }, []],
    ["a string that looks like a number stays one where one is wanted", { file_path: "20" }, { file_path: "20" }, []],
    ["a number that does not fit is left to the schema", { limit: "2.5" }, { limit: "2.5" }, []],
    ["words for a number are left to the schema", { limit: "all" }, { limit: "all" }, []],
    ["the case of a flag means something", { "-a": 1, "-I": true }, { "-a": 1, "-I": true }, []],
    [
      "an alias and a string at once",
      { max: "3" },
      { limit: 3 },
      ["`max` was taken as `limit`", "`limit` was sent as a string and read as a number"],
    ],
    ["a field that nobody knows is left", { colour: "red" }, { colour: "red" }, []],
  ];
  test.each(ROWS)("%s", (_, raw, value, corrections) => {
    expect(coerceInput(raw, schema, aliases)).toEqual({ value, corrections: [...corrections] });
  });

  test("names out of an object's prototype are fields like any other", () => {
    const raw = JSON.parse('{"__proto__": {"limit": 3}, "constructor": 1, "toString": "x"}') as Record<string, unknown>;
    const { value, corrections } = coerceInput(raw, schema, aliases);
    expect(corrections).toEqual([]);
    expect(value["limit"]).toBeUndefined();
    expect(({} as Record<string, unknown>)["limit"]).toBeUndefined();
  });
});

describe("explainIssues", () => {
  const explain = (input: unknown, of: z.ZodObject = schema) => {
    const { error } = of.safeParse(input);
    if (!error) throw new Error("It fits.");
    return explainIssues("Read", error, of);
  };
  const FIELDS = "Its fields are: file_path, limit?, all?, names?, options?, nothing?, -A?, -i?.";

  test("says what does not fit, where, and which fields there are", () => {
    expect(explain({ limit: "x" })).toBe(
      `The input of Read does not fit: \`file_path\` is missing: it must be a string; \`limit\` must be a number, not a string. ${FIELDS}`,
    );
    expect(explain({ file_path: "a", names: ["a", 1] })).toContain("`names[1]` must be a string, not a number");
    expect(explain({ file_path: "a", options: { deep: 1 } })).toContain(
      "`options.deep` must be true or false, not a number",
    );
  });

  test.each([
    [z.number().min(3), 1, "`a` must be at least 3"],
    [z.number().max(3), 5, "`a` must be at most 3"],
    [z.string().min(1), "", "`a` must be some text"],
    [z.enum(["x", "y"]), "z", '`a` must be "x" or "y"'],
    [z.union([z.string(), z.number()]), true, "`a` must be a string or a number"],
    [z.url(), "x", "`a` must be a valid url"],
  ])("%# is a sentence", (field, value, sentence) => {
    expect(explain({ a: value }, z.object({ a: field }))).toStartWith(`The input of Read does not fit: ${sentence}. `);
  });

  test("names at most five problems", () => {
    const many = z.object(Object.fromEntries("abcdefgh".split("").map((name) => [name, z.string()])));
    expect(explain({}, many).match(/is missing/g)).toHaveLength(5);
  });

  test("names the input itself when that is wrong", () => {
    const both = schema.refine(() => false, "one of both") as unknown as z.ZodObject;
    const { error } = both.safeParse({ file_path: "a" });
    if (!error) throw new Error("It fits.");
    expect(explainIssues("Read", error, schema)).toStartWith("The input of Read does not fit: one of both.");
  });
});
