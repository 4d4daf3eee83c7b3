import { describe, expect, test } from "bun:test";
import { fitSetting } from "../../src/contracts/fit-setting.ts";
import { HOOK } from "../../src/contracts/hook-settings.ts";
import type { ObjectSetting, Setting } from "../../src/contracts/setting.ts";

const SERVER = {
  type: "either",
  of: [
    { type: "object", isStrict: true, keys: { name: { type: "text", required: true } } },
    {
      type: "object",
      isStrict: true,
      keys: { command: { type: "list", of: { type: "text" }, min: 1, required: true } },
    },
  ],
} as const satisfies Setting;

const FORMS = {
  type: "object",
  keys: {
    flag: { type: "boolean" },
    text: { type: "text", min: 1, max: 5 },
    word: { type: "text", pattern: /^[a-z]+$/ },
    url: { type: "url" },
    whole: { type: "integer", min: 1, max: 9 },
    dollars: { type: "number", above: 0 },
    choice: { type: "choice", values: ["on", "off"] },
    list: { type: "list", of: { type: "number" }, min: 1 },
    map: { type: "map", of: { type: "boolean" } },
    either: { type: "either", of: [{ type: "boolean" }, { type: "choice", values: ["auto"] }] },
    server: SERVER,
  },
  others: { type: "text" },
} as const satisfies ObjectSetting;

/** The first part that does not fit, as `path: expected`. */
function misfit(value: unknown, setting: Setting = FORMS): string {
  const fitted = fitSetting(value, setting);
  return "misfit" in fitted ? `${fitted.misfit.path.join(".")}: ${fitted.misfit.expected}` : "fits";
}

describe("the check of a setting names", () => {
  test.each([
    ["another type", [], ": an object"],
    ["another type of a flag", { flag: 1 }, "flag: true or false"],
    ["an empty text", { text: "" }, "text: some text"],
    ["a long text", { text: "abcdef" }, "text: at most 5"],
    ["a text of another form", { word: "A" }, "word: of another form"],
    ["an address of another protocol", { url: "ftp://a" }, "url: a valid url"],
    ["a fraction", { whole: 1.5 }, "whole: a whole number"],
    ["a number that is no number of JSON", { dollars: Number.POSITIVE_INFINITY }, "dollars: a number"],
    ["a low number", { whole: 0 }, "whole: at least 1"],
    ["a high number", { whole: 10 }, "whole: at most 9"],
    ["a number at the open limit", { dollars: 0 }, "dollars: more than 0"],
    ["all values of a choice", { choice: "yes" }, 'choice: "on" or "off"'],
    ["the item of a list", { list: [1, "2"] }, "list.1: a number"],
    ["a short list", { list: [] }, "list: a list of at least 1"],
    ["the value of a map", { map: { a: true, b: 0 } }, "map.b: true or false"],
    ["all alternatives", { either: "no" }, 'either: true or false or "auto"'],
    ["the alternative of the right type", { server: { command: [] } }, "server.command: a list of at least 1"],
    ["an unknown key of a strict object", { server: { name: "a", x: 1 } }, 'server: what fits (Unrecognized key: "x")'],
    ["another name's value", { other: 1 }, "other: a string"],
    ["the first key of the table, not of the file", { list: 1, flag: 1 }, "flag: true or false"],
  ])("%s", (_, value, expected) => {
    expect(misfit(value)).toBe(expected);
  });

  test("the field that a kind of hook needs", () => {
    expect(misfit({ type: "http" }, HOOK)).toBe("url: some text, since the type is http");
    expect(misfit({ type: "mcp_tool", server: "db" }, HOOK)).toBe("tool: the name of a tool");
    expect(misfit({ type: "prompt", prompt: "why?" }, HOOK)).toBe("fits");
    expect(misfit({}, HOOK)).toStartWith('type: "command" or "http"');
  });
});

test("a value that fits loses its unknown keys and gets the order of the table", () => {
  const { others: _, ...closed } = FORMS;
  const fitted = fitSetting({ zzz: 1, url: " https://a.example ", flag: true }, closed);
  expect(JSON.stringify(fitted)).toBe('{"value":{"flag":true,"url":"https://a.example"}}');
});
