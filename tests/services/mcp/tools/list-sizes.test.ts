import { describe, expect, test } from "bun:test";
import { statSync } from "node:fs";
import { ListSizes, MAX_SERVERS } from "../../../../src/services/mcp/tools/list-sizes.ts";
import { tempProject } from "../../../support/temp-project.ts";
import { mcpHarness, programServer, rawServer } from "../mcp-harness.ts";

describe("the sizes of tool lists", () => {
  test("are kept from process to process by configuration, whatever the values of variables are", async () => {
    await using place = await tempProject();
    const file = place.path("cache/sizes.json");
    new ListSizes(file).note(programServer("a", ["x"], { KEY: "one" }), 500);
    const later = new ListSizes(file);
    expect(later.tokensOf(programServer("a", ["x"], { KEY: "two" }))).toBe(500);
    expect(later.tokensOf(programServer("a", ["y"], { KEY: "one" }))).toBeUndefined();
    expect(await place.read("cache/sizes.json")).not.toContain("one");
    expect(statSync(file).mode & 0o777).toBe(0o600);
  });

  test("are those of the last servers, up to a limit", async () => {
    const full = Object.fromEntries(Array.from({ length: MAX_SERVERS }, (_, at) => [`key-${at}`, at]));
    await using place = await tempProject({ "sizes.json": JSON.stringify(full) });
    new ListSizes(place.path("sizes.json")).note(programServer("new", []), 7);
    const kept = JSON.parse(await place.read("sizes.json")) as Readonly<Record<string, number>>;
    expect(Object.keys(kept)).toHaveLength(MAX_SERVERS);
    expect(Object.keys(kept).slice(0, 2)).toEqual(["key-1", "key-2"]);
    expect(Object.values(kept).at(-1)).toBe(7);
  });

  test("of a damaged or unwritable file are unknown", async () => {
    await using place = await tempProject({ "sizes.json": "{", "folder/x": "" });
    expect(new ListSizes(place.path("sizes.json")).tokensOf(programServer("a", []))).toBeUndefined();
    const unwritable = new ListSizes(place.path("sizes.json/below"));
    unwritable.note(programServer("a", []), 5);
    expect(unwritable.tokensOf(programServer("a", []))).toBeUndefined();
  });

  test("are noted when a server lists its tools, and tell what a starting server is likely to bring", async () => {
    await using place = await tempProject();
    const sizes = new ListSizes(place.path("sizes.json"));
    await using first = await mcpHarness({ sizes });
    first.client.add([rawServer("plain")]);
    expect(first.client.pending()).toEqual([{ name: "plain", tokens: undefined }]);
    await first.client.settled();
    expect(first.client.pending()).toEqual([]);
    await using second = await mcpHarness({ sizes });
    second.client.add([rawServer("plain")]);
    expect(second.client.pending()[0]?.tokens).toBeGreaterThan(10);
    await second.client.settled();
  });
});
