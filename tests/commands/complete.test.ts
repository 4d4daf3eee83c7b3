import { describe, expect, test } from "bun:test";
import { continuing, withVerbs } from "../../src/commands/complete.ts";

const NAMES = [
  { value: "docs", summary: "connected" },
  { value: "shop-docs", summary: "" },
  { value: "shop", summary: "has docs" },
];
const values = (found: readonly { readonly value: string; readonly isGuess?: true }[]) =>
  found.map(({ value, isGuess }) => (isGuess ? `? ${value}` : value));

describe("arguments that continue a typed one", () => {
  test("begin so, or have its words, which are guesses", () => {
    expect(values(continuing("", NAMES))).toEqual(["docs", "shop-docs", "shop"]);
    expect(values(continuing("DO", NAMES))).toEqual(["docs", "? shop-docs", "? shop"]);
    expect(values(continuing("docs has", NAMES))).toEqual(["? shop"]);
    expect(continuing("zzz", NAMES)).toEqual([]);
    const many = Array.from({ length: 200 }, (_, at) => ({ value: `n${at}`, summary: "" }));
    expect(continuing("n", many)).toHaveLength(50);
  });

  test("follow a verb that is typed", () => {
    const verbs = { edit: "opens it" };
    expect(values(withVerbs("", NAMES, verbs))).toEqual(["docs", "shop-docs", "shop", "edit"]);
    expect(values(withVerbs("edit sh", NAMES, verbs))).toEqual(["edit shop-docs", "edit shop"]);
    expect(values(withVerbs("list sh", NAMES, verbs))).toEqual([]);
  });
});
