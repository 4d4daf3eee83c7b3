import { expect, test } from "bun:test";
import type { Tool } from "../../src/contracts/tool.ts";
import { ModelTools } from "../../src/engine/model-tools.ts";
import { toolRegistry } from "../../src/services/inventory/create-registry.ts";

const tool = (name: string): Tool => ({
  spec: { name, summary: "", description: `does ${name}`, level: "read", inputSchema: { type: "object" } },
  prepare: () => Promise.reject(new Error("It is not called.")),
});

test("the model sees the built-in tools first and in their order, whatever MCP servers bring", () => {
  const all = toolRegistry([tool("Read"), tool("Bash")]);
  const seen = new ModelTools(all);
  const before = seen.declarations;
  const { declarationChars } = seen;
  expect(seen.declarations).toBe(before);
  all.set({ kind: "mcp" }, [tool("mcp__a__x")]);
  expect(seen.names).toEqual(["Read", "Bash", "mcp__a__x"]);
  expect(seen.declarations.slice(0, 2)).toEqual([...before]);
  expect(seen.declarationChars).toBeGreaterThan(declarationChars);
  all.set({ kind: "mcp" }, []);
  expect(JSON.stringify(seen.declarations)).toBe(JSON.stringify(before));
  expect(seen.declarationChars).toBe(declarationChars);
});

test("a tool is found in another case of its name, and a similar name is suggested", () => {
  const seen = new ModelTools(toolRegistry([tool("TodoWrite")]));
  expect(seen.get("TodoWrite").corrections).toEqual([]);
  expect(seen.get("todowrite").corrections).toEqual(["the tool `todowrite` was taken as `TodoWrite`"]);
  expect(() => seen.get("TodoWrit")).toThrow("TodoWrite");
});

test("for a tool that other programs have, the answer leads to the one that does it, where there is one", () => {
  const seen = new ModelTools(toolRegistry([tool("Edit"), tool("Read")]));
  expect(() => seen.get("LS")).toThrow("Read lists a folder");
  expect(() => seen.get("NotebookEdit")).toThrow("Use Edit on the .ipynb");
  expect(() => seen.get("MultiEdit")).toThrow("several `edits`");
  const tasks = new ModelTools(toolRegistry([tool("Agent"), tool("TaskStop"), tool("TaskOutput"), tool("Edit")]));
  expect(() => tasks.get("Task")).toThrow(/^There is no tool named "Task"\. Use Agent\.$/);
  expect(() => tasks.get("KillShell")).toThrow("Use TaskStop.");
  expect(() => tasks.get("apply_patch")).toThrow("Use Edit.");
  const without = new ModelTools(toolRegistry([tool("Bash")]));
  expect(() => without.get("LS")).toThrow(/"LS"\.$/);
  expect(() => without.get("MultiEdit")).toThrow(/^There is no tool named "MultiEdit"\.$/);
});
