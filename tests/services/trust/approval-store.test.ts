import { describe, expect, test } from "bun:test";
import { chmodSync, readFileSync } from "node:fs";
import type { Approvable } from "../../../src/contracts/approval.ts";
import { createApprovalStore } from "../../../src/services/trust/approval-store.ts";
import { tempProject } from "../../support/temp-project.ts";

type Project = Awaited<ReturnType<typeof tempProject>>;
const NOW = Date.parse("2026-11-23T09:00:00Z");
const server = (name: string, content = "x"): Approvable => ({ kind: "mcp-server", name, content, lines: [] });
const fileOf = (project: Project) => project.path("state/approved.json");
const open = (project: Project, options: { readonly root?: string } = {}) =>
  createApprovalStore(fileOf(project), { root: project.path("repo"), now: () => NOW, ...options });

test("content is new until a person approves it, and changed when its text changes", async () => {
  await using project = await tempProject({ "repo/a": "" });
  const store = await open(project);
  expect(store.state(server("a"))).toBe("new");
  expect(await store.approve([server("a")], "always")).toBeUndefined();
  const later = await open(project);
  const hook = { ...server("a"), kind: "hook" } as const;
  expect([server("a"), server("a", "y"), server("b"), hook].map((item) => later.state(item))).toEqual([
    "approved",
    "changed",
    "new",
    "new",
  ]);
});

test("an approval for the session is not stored, and leaves a stored answer alone", async () => {
  await using project = await tempProject({ "repo/a": "" });
  const store = await open(project);
  await store.approve([server("a", "old")], "always");
  await store.approve([server("a", "new")], "session");
  expect([store.state(server("a", "old")), store.state(server("a", "new"))]).toEqual(["approved", "approved"]);
  const later = await open(project);
  expect([later.state(server("a", "old")), later.state(server("a", "new"))]).toEqual(["approved", "changed"]);
});

test("the answers about one project say nothing about another", async () => {
  await using project = await tempProject({ "repo/a": "", "other/a": "" });
  await (await open(project)).approve([server("a")], "always");
  await (await open(project, { root: project.path("other") })).approve([server("b")], "always");
  const [one, other] = [await open(project), await open(project, { root: project.path("other") })];
  expect([one.state(server("b")), other.state(server("a"))]).toEqual(["new", "new"]);
  expect([one.state(server("a")), other.state(server("b"))]).toEqual(["approved", "approved"]);
});

describe("answers that can't be stored count for the session only", () => {
  test("because the folder holds the list", async () => {
    await using project = await tempProject();
    const store = await open(project, { root: project.dir });
    expect(await store.approve([server("a")], "always")).toEndWith("the answer applies to this session only.");
    expect(store.state(server("a"))).toBe("approved");
    expect((await open(project, { root: project.dir })).state(server("a"))).toBe("new");
  });

  test("because the state folder can't be made", async () => {
    await using project = await tempProject({ state: "a file in the way", "repo/a": "" });
    const store = await open(project);
    expect(await store.approve([server("a")], "always")).toContain("could not be locked (");
    expect(store.state(server("a"))).toBe("approved");
  });
});

test("a list that is invalid or writable by others approves nothing and is left alone", async () => {
  await using project = await tempProject({ "repo/a": "" });
  await (await open(project)).approve([server("a")], "always");
  chmodSync(fileOf(project), 0o666);
  const shared = await open(project);
  expect([shared.state(server("a")), shared.warnings]).toEqual([
    "new",
    [`${fileOf(project)} can be written by other users: no content is approved. Fix or delete the file.`],
  ]);
  chmodSync(fileOf(project), 0o600);
  await project.write("state/approved.json", "{");
  const broken = await open(project);
  await broken.approve([server("b")], "always");
  expect([broken.state(server("a")), readFileSync(fileOf(project), "utf8")]).toEqual(["new", "{"]);
});

test("the oldest of more than ten thousand answers are dropped", async () => {
  await using project = await tempProject({ "repo/a": "" });
  const answers = Array.from({ length: 10_000 }, (_, i) => ({
    ...{ root: project.path("repo"), kind: "hook", name: `h${i}`, sha256: "0", verdict: "approved" },
    at: new Date(NOW - 1_000 * (i + 1)).toISOString(),
  }));
  chmodSync(await project.write("state/approved.json", JSON.stringify({ version: 1, answers })), 0o600);
  const store = await open(project);
  await store.approve([server("a")], "always");
  const hook = (name: string): Approvable => ({ kind: "hook", name, content: "", lines: [] });
  expect([hook("h0"), hook("h9998"), hook("h9999"), server("a")].map((item) => store.state(item))).toEqual([
    "changed",
    "changed",
    "new",
    "approved",
  ]);
});
