import { expect, test } from "bun:test";
import { FormInput } from "../../../src/protocol/commands/form-input.ts";

test("a form with one field shows the field's label, unless its title begins with it", () => {
  const titleOf = (title: string, label: string) => {
    const form = new FormInput();
    const submit = async () => ({ kind: "text", lines: [] }) as const;
    const field = form.begin({ kind: "form", title, fields: [{ name: "a", label }], lines: [], submit });
    return field && form.titleOf(field);
  };
  expect(titleOf("/mcp__shop__greet", "customer – their name")).toBe("/mcp__shop__greet: customer – their name");
  expect(titleOf("Key for acme", "Key")).toBe("Key for acme");
});
