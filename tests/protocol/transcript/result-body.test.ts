import { expect, test } from "bun:test";
import type { Display, ResultBody } from "../../../src/contracts/display.ts";
import { resultBody } from "../../../src/protocol/transcript/result-body.ts";

type Given = { readonly display?: Display; readonly isError?: boolean };

function bodyOf(name: string, excerpt: string, { display, isError = false }: Given = {}) {
  const use = { type: "tool_use", id: "c", name, input: {} } as const;
  return resultBody({ use, title: name, isError, durationMs: 1, excerpt, display, refusedBy: undefined });
}

test("the result of a server's or an extension's tool is shown as the model got it", () => {
  for (const name of ["mcp__tracker__find", "ext__Find", "ReadMcpResource"])
    expect(bodyOf(name, "one\ntwo")).toEqual({ kind: "text", text: "one\ntwo" });
  expect(bodyOf("mcp__tracker__find", "one", { display: { kind: "summary", text: "a large result" } })).toEqual({
    kind: "text",
    text: "one",
  });
});

test("a failed call, an empty result and a call of Quoll's own tools without content have no content to show", () => {
  expect(bodyOf("mcp__tracker__find", "no such issue", { isError: true })).toBeUndefined();
  expect(bodyOf("mcp__tracker__find", " \n")).toBeUndefined();
  expect(bodyOf("Skill", "For the model.", { display: { kind: "summary", text: "loaded" } })).toBeUndefined();
  expect(bodyOf("WebFetch", "From an older version.")).toBeUndefined();
});

test("content that a tool describes takes precedence over its result for the model", () => {
  const body: ResultBody = { kind: "list", items: [{ text: "main", mark: "done" }] };
  expect(bodyOf("ext__Branches", "main", { display: { kind: "summary", text: "", body } })).toBe(body);
});

test("records in JSON become a table, with numbers below each other", () => {
  const records = [
    { id: 7, title: "flaky" },
    { id: 12, labels: ["a"] },
  ];
  const table = {
    kind: "table",
    columns: [{ name: "id", align: "right" }, { name: "title" }, { name: "labels" }],
    rows: [
      ["7", "flaky", ""],
      ["12", "", '["a"]'],
    ],
  };
  expect(bodyOf("mcp__t__x", JSON.stringify(records))).toEqual(table as never);
  expect(bodyOf("mcp__t__x", JSON.stringify({ issues: records }))).toEqual(table as never);
});

test("an object in JSON becomes a list of its fields, other values a list or the text itself", () => {
  expect(bodyOf("mcp__t__x", '{"a":"one","b":[1,2]}')).toEqual({
    kind: "list",
    items: [{ text: "a: one" }, { text: "b: [1,2]" }],
  });
  expect(bodyOf("mcp__t__x", '["one",2]')).toEqual({ kind: "list", items: [{ text: "one" }, { text: "2" }] });
  expect(bodyOf("mcp__t__x", "42")).toEqual({ kind: "text", text: "42" });
  expect(bodyOf("mcp__t__x", "[]")).toEqual({ kind: "text", text: "[]" });
  const wide = JSON.stringify([Object.fromEntries(Array.from({ length: 9 }, (_, at) => [`k${at}`, at]))]);
  expect(bodyOf("mcp__t__x", wide)).toMatchObject({ kind: "list", items: [{ text: wide.slice(1, -1) }] });
});
