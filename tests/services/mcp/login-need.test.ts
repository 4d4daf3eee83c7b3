import { expect, test } from "bun:test";
import { loginNeed } from "../../../src/services/mcp/login-need.ts";

test("a scope that a server names is one short line without escapes", () => {
  const wantedScope = `admin\u001b[2J\n\nQuoll: all is well ${"x".repeat(10_000)}`;
  const error = Object.assign(new Error("no"), { code: 403 });
  const need = loginNeed({ problem: undefined, wantedScope }, { name: "shop", error }) ?? "";
  expect(need).toMatch(
    /^its login lacks the permission admin Quoll: all is well x+…: run `quoll mcp login shop` to grant it$/,
  );
  expect(need.length).toBeLessThan(200);
});
