import { describe, expect, test } from "bun:test";
import { existsSync, mkdirSync, readdirSync, readFileSync, readlinkSync, symlinkSync } from "node:fs";
import { setAside } from "../../../../src/services/sandbox/io/new-entries.ts";
import { tempProject } from "../../../support/temp-project.ts";

test("a file, a folder and a link get a new name beside them, and lose nothing", async () => {
  await using at = await tempProject({ ".mcp.json": "mine", ".vscode/tasks.json": "{}", other: "x" });
  symlinkSync("other", at.path("CLAUDE.md"));
  for (const name of [".mcp.json", ".vscode", "CLAUDE.md"]) {
    const done = setAside(at.path(name), at.dir);
    if (done.outcome !== "moved") throw new Error(`${name}: ${done.outcome}`);
    expect(done.from).toBe(at.path(name));
    expect(done.to).toMatch(/\.set-aside-[0-9a-f]{8}$/);
    expect(existsSync(at.path(name))).toBe(false);
    if (name === ".mcp.json") expect(readFileSync(done.to, "utf8")).toBe("mine");
    if (name === ".vscode") expect(readdirSync(done.to)).toEqual(["tasks.json"]);
    if (name === "CLAUDE.md") expect(readlinkSync(done.to)).toBe("other");
  }
  expect(await at.read("other")).toBe("x");
});

test("nothing there is no failure", async () => {
  await using at = await tempProject({});
  expect(setAside(at.path(".mcp.json"), at.dir)).toEqual({ outcome: "gone" });
  expect(setAside(at.path("no/such/folder"), at.dir)).toEqual({ outcome: "gone" });
});

describe("a link on the way", () => {
  test("is renamed itself: what it leads to stays where it is", async () => {
    await using at = await tempProject({});
    await using victim = await tempProject({ "hooks/pre-commit": "mine" });
    symlinkSync(victim.dir, at.path("tools"));
    const done = setAside(at.path("tools/hooks"), at.dir);
    expect(done).toEqual({ outcome: "moved", from: at.path("tools"), to: expect.stringContaining("tools.set-aside-") });
    expect(await victim.read("hooks/pre-commit")).toBe("mine");
    expect(existsSync(at.path("tools"))).toBe(false);
  });

  test("that is the root itself, or lies above it, stays, and nothing is done", async () => {
    await using at = await tempProject({});
    await using victim = await tempProject({ ".mcp.json": "mine" });
    symlinkSync(victim.dir, at.path("root"));
    expect(setAside(at.path("root/.mcp.json"), at.path("root")).outcome).toBe("left");
    mkdirSync(victim.path("inner"));
    expect(setAside(at.path("root/inner/x"), at.path("root/inner")).outcome).toBe("left");
    expect(await victim.read(".mcp.json")).toBe("mine");
  });
});
