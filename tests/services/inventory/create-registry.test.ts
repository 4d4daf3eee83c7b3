import { describe, expect, test } from "bun:test";
import { UserFacingError } from "../../../src/contracts/errors.ts";
import { createRegistry } from "../../../src/services/inventory/create-registry.ts";

type Skill = { readonly name: string; readonly text: string };
const skills = (...names: readonly string[]): readonly Skill[] => names.map((name) => ({ name, text: name }));
const registry = () => createRegistry<Skill>("skill", ({ name }) => name);
const listed = (one: ReturnType<typeof registry>) => one.entries.map(({ name, source }) => `${source.kind} ${name}`);

describe("a registry", () => {
  test("lists the strongest source first, whatever came first, and each in its own order", () => {
    const all = registry();
    all.set({ kind: "mcp", name: "db" }, skills("query"));
    all.set({ kind: "user" }, skills("z", "a"));
    all.set({ kind: "builtin" }, skills("review"));
    expect(listed(all)).toEqual(["builtin review", "user z", "user a", "mcp query"]);
  });

  test("uses the stronger source of two equal names, and still lists the other", () => {
    const all = registry();
    all.set({ kind: "user" }, skills("deploy"));
    all.set({ kind: "project" }, skills("deploy"));
    expect(all.get("deploy")?.source).toEqual({ kind: "project" });
    expect(all.shadowed.map(({ source }) => source)).toEqual([{ kind: "user" }]);
    all.set({ kind: "project" }, []);
    expect(listed(all)).toEqual(["user deploy"]);
    expect(all.shadowed).toEqual([]);
  });

  test("two of equally strong sources are an error that names both, and nothing changes", () => {
    const all = registry();
    all.set({ kind: "plugin", name: "ship" }, skills("deploy"));
    const { entries } = all;
    const clash = () => all.set({ kind: "plugin", name: "cloud" }, skills("deploy", "rollback"));
    expect(clash).toThrow(UserFacingError);
    expect(clash).toThrow('Two skills are named "deploy": one from the plugin ship, one from the plugin cloud.');
    expect(() => all.set({ kind: "builtin" }, skills("x", "x"))).toThrow('Two skills are named "x"');
    expect(all.entries).toBe(entries);
    all.set({ kind: "plugin", name: "cloud" }, skills("rollback"));
    expect(listed(all)).toEqual(["plugin deploy", "plugin rollback"]);
  });

  test("a source that comes again replaces what it brought", () => {
    const all = registry();
    all.set({ kind: "mcp", name: "db" }, skills("a", "b"));
    all.set({ kind: "mcp", name: "web" }, skills("c"));
    all.set({ kind: "mcp", name: "db" }, skills("b2"));
    expect(listed(all)).toEqual(["mcp b2", "mcp c"]);
  });

  test("tells of each change until the listener goes", () => {
    const all = registry();
    const seen: string[][] = [];
    const stop = all.onChanged(() => seen.push(listed(all)));
    all.set({ kind: "user" }, skills("a"));
    stop();
    all.set({ kind: "user" }, []);
    expect(seen).toEqual([["user a"]]);
  });
});
