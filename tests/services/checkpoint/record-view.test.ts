import { describe, expect, test } from "bun:test";
import type { StoredEntry } from "../../../src/contracts/checkpoint.ts";
import type { CheckpointRecord } from "../../../src/services/checkpoint/checkpoint-record.ts";
import {
  netChanges,
  newestRewind,
  promptsOf,
  recordsSince,
  unfinishedRewind,
  unsettledCalls,
} from "../../../src/services/checkpoint/record-view.ts";

const f = (oid: string): StoredEntry => ({ kind: "file", oid, mode: 0o644 });
const prompt = (id: string): CheckpointRecord => ({
  kind: "prompt",
  id,
  messageId: id,
  time: 1,
  roots: [],
  notHeld: [],
});
const CALLS = { toolUseIds: [], agentIds: [], commands: [], outside: [] };
const change = (messageId: string, path: string, begun?: string): CheckpointRecord => ({
  ...{ kind: "changes", time: 1, messageId, ...CALLS, files: [{ path, before: f("1"), after: f("2") }] },
  ...(begun !== undefined && { begun }),
});
const begun = (id: string, command: string): CheckpointRecord => ({
  ...{ kind: "begun", id, time: 1, messageId: "m1", ...CALLS, commands: [command], roots: [], files: [] },
});
const rewind = (id: string): CheckpointRecord => ({
  ...{ kind: "rewind", id, time: 1, messageId: "m1", kept: [] },
  files: ["/a", "/b"].map((path) => ({ path, before: f("2"), after: f("1") })),
});
const done = (id: string, ...left: readonly string[]): CheckpointRecord => ({
  ...{ kind: "rewind_done", id, time: 1, left: left.map((path) => ({ path, reason: "r" })) },
});

describe("the view of a session's records", () => {
  test("begins at a prompt, or at its first change if the state came later", () => {
    const records = [prompt("m1"), change("m2", "/a"), prompt("m2"), change("m2", "/b")];
    expect(recordsSince(records, "m2")).toEqual(records.slice(1));
    expect(recordsSince(records, "m3")).toBeUndefined();
  });

  test("lists prompts in their order, also if the clock went back", () => {
    const later = { ...prompt("m1"), time: 900 } as CheckpointRecord;
    expect(promptsOf([later, prompt("m2")]).map(({ messageId }) => messageId)).toEqual(["m1", "m2"]);
  });

  test("leaves out the files that a rewind could not write", () => {
    const records = [prompt("m1"), rewind("r1"), done("r1", "/b")];
    const seen = recordsSince(records, "m1")?.flatMap((one) => (one.kind === "rewind" ? one.files : []));
    expect(seen?.map(({ path }) => path)).toEqual(["/a"]);
    expect(newestRewind(records)?.files.map(({ path }) => path)).toEqual(["/a"]);
  });

  test("knows the rewind that can be taken back, until a prompt or a change follows", () => {
    expect(newestRewind([prompt("m1"), rewind("r1"), done("r1")])).toMatchObject({ id: "r1" });
    expect(newestRewind([rewind("r1"), done("r1"), prompt("m1")])).toBeUndefined();
    expect(newestRewind([rewind("r1"), done("r1"), change("m1", "/a")])).toBeUndefined();
    const nothing = { ...change("m1", "/a"), files: [] } as CheckpointRecord;
    expect(newestRewind([rewind("r1"), done("r1"), nothing])).toMatchObject({ id: "r1" });
  });

  test.each([
    ["a rewind of files and conversation, when one of files after it was taken back", ["both", "files", "redo"], "0"],
    ["no rewind before one of the conversation that was taken back", ["both", "both", "redo"], undefined],
    ["a rewind of files before one of the conversation that was taken back", ["files", "both", "redo"], "0"],
    ["none when both were taken back", ["both", "files", "redo", "redo"], undefined],
    ["a rewind before one of files that changed nothing", ["both", "no files"], "0"],
    ["none before one of files that changed nothing, when it was taken back", ["files", "no files", "redo"], undefined],
  ] as const)("a redo takes back %s", (_, scopes, found) => {
    const records = scopes.map((scope, at): CheckpointRecord => {
      const files = scope === "no files" ? [] : [{ path: "/a", before: f("2"), after: f("1") }];
      const about = scope === "redo" ? { isRedo: true as const } : { scope: scope === "no files" ? "files" : scope };
      return { kind: "rewind", id: `${at}`, time: at, messageId: "m1", kept: [], files, ...about };
    });
    expect(newestRewind([prompt("m1"), ...records])?.id).toBe(found);
  });

  test("knows the rewind and the calls whose end is missing", () => {
    expect(unfinishedRewind([rewind("r1"), done("r1"), rewind("r2")])).toMatchObject({ id: "r2" });
    expect(unfinishedRewind([rewind("r1"), done("r1")])).toBeUndefined();
    const calls = [begun("b1", "make"), begun("b1", "make more"), begun("b2", "test"), change("m1", "/a", "b2")];
    expect(unsettledCalls(calls)).toMatchObject([{ id: "b1", commands: ["make more"] }]);
  });

  test("joins the changes of a path, also of one that was created and changed", () => {
    const files = [
      { path: "/a", before: null, after: f("1") },
      { path: "/a", before: f("1"), after: f("2") },
      { path: "/b", before: f("1"), after: f("2") },
      { path: "/b", before: f("2"), after: f("1") },
    ];
    expect(netChanges([{ kind: "changes", time: 1, messageId: "m1", ...CALLS, files }])).toEqual([
      { path: "/a", before: null, after: f("2") },
    ]);
  });
});
