import { describe, expect, test } from "bun:test";
import type { StoredEntry } from "../../../src/contracts/checkpoint.ts";
import type { ChangesRecord, RewindRecord } from "../../../src/services/checkpoint/checkpoint-record.ts";
import { planRewind, settlePlan } from "../../../src/services/checkpoint/plan-rewind.ts";

type Entry = StoredEntry | null;

/** A file with this content. */
const f = (content: string, mode = 0o644): StoredEntry => ({ kind: "file", oid: content, mode });
const FOLDER: StoredEntry = { kind: "folder", mode: 0o755 };
const A = "/w/a";

function changes(before: Entry, after: Entry, more: Partial<ChangesRecord["files"][number]> = {}): ChangesRecord {
  const files = [{ path: A, before, after, ...more }];
  const about = { messageId: "m", toolUseIds: ["t"], agentIds: [], outside: [] };
  return { kind: "changes", time: 0, files, commands: ["make all\nmake test"], ...about };
}

function rewound(before: Entry, after: Entry): RewindRecord {
  const files = [{ path: A, before, after }];
  return { kind: "rewind", id: "r", time: 0, messageId: "m", files, kept: [] };
}

type Row = readonly [
  name: string,
  records: readonly (ChangesRecord | RewindRecord)[],
  now: Entry,
  wanted: { readonly to: Entry } | { readonly reason: string } | "nothing",
];

const ROWS: readonly Row[] = [
  ["a changed file comes back", [changes(f("1"), f("2"))], f("2"), { to: f("1") }],
  ["a created file goes", [changes(null, f("2"))], f("2"), { to: null }],
  ["a deleted file comes back", [changes(f("1"), null)], null, { to: f("1") }],
  ["permissions come back", [changes(f("1"), f("1", 0o755))], f("1", 0o755), { to: f("1") }],
  ["several changes are undone at once", [changes(f("1"), f("2")), changes(f("2"), f("3"))], f("3"), { to: f("1") }],
  ["a file that the person has put back already is left", [changes(f("1"), f("2"))], f("1"), "nothing"],
  ["a created file that the person has deleted is left", [changes(null, f("2"))], null, "nothing"],
  ["a file of the person since", [changes(f("1"), f("2"))], f("mine"), { reason: "it changed since" }],
  ["a file that the person deleted since", [changes(f("1"), f("2"))], null, { reason: "it changed since" }],
  ["a deleted file that the person made anew", [changes(f("1"), null)], f("mine"), { reason: "it changed since" }],
  [
    "a change of the person between two of the agent",
    [changes(f("1"), f("2")), changes(f("mine"), f("3"))],
    f("3"),
    { reason: 'it changed before "make all…"' },
  ],
  [
    "a change of the person between two of the agent, undone by the second",
    [changes(f("1"), f("2")), changes(f("mine"), f("1"))],
    f("1"),
    "nothing",
  ],
  [
    "a file that an editor saved while a command ran",
    [changes(f("1"), f("2"), { isReplaced: true })],
    f("2"),
    { reason: 'another program may have changed it while "make all…" ran' },
  ],
  [
    "a file that changed while only a command in the background ran",
    [{ ...changes(f("1"), f("2"), { isReplaced: true }), toolUseIds: [] }],
    f("2"),
    { reason: 'it changed while "make all…" ran in the background' },
  ],
  [
    "a file that changed around the end of the process",
    [changes(f("1"), f("2"), { isReplaced: true, isInterrupted: true })],
    f("2"),
    { reason: 'Quoll was ended while "make all…" ran, so the change may be yours' },
  ],
  [
    "an earlier rewind counts as a change of the agent",
    [changes(f("1"), f("2")), changes(f("2"), f("3")), rewound(f("3"), f("2"))],
    f("2"),
    { to: f("1") },
  ],
  ["a folder of the agent goes", [changes(null, FOLDER)], FOLDER, { to: null }],
  ["a deleted folder comes back", [changes(FOLDER, null)], null, { to: FOLDER }],
  ["a folder that is there again is left", [changes(FOLDER, null)], { kind: "folder", mode: 0o700 }, "nothing"],
  ["a file that became a folder comes back", [changes(f("1"), FOLDER)], FOLDER, { to: f("1") }],
  ["a folder whose place the person's file took", [changes(null, FOLDER)], f("mine"), "nothing"],
];

describe("the plan of a rewind", () => {
  test.each(ROWS.map((row) => [...row] as [...Row]))("%s", (_name, records, now, wanted) => {
    const { files, conflicts } = planRewind(records, new Map([[A, now]]));
    const found = conflicts[0] ? { reason: conflicts[0].reason } : files[0] ? { to: files[0].after } : "nothing";
    expect(found).toEqual(wanted);
    for (const one of files) expect(one.before).toEqual(now);
  });

  test("never touches a file that can't be read", () => {
    const { files, conflicts } = planRewind([changes(f("1"), f("2"))], new Map());
    expect({ files, conflicts }).toEqual({
      files: [],
      conflicts: [{ path: A, now: null, target: f("1"), reason: "it can't be read" }],
    });
  });

  test("names the missing folders that a file needs, so that a redo removes them", () => {
    const record = changes(f("1"), f("2"));
    const above = { ...record, files: [{ path: "/w/x/y/a", before: f("1"), after: null }] };
    const present = new Map([
      ["/w/x/y/a", null],
      ["/w/x/y", null],
      ["/w/x", null],
    ]);
    const { files } = settlePlan(planRewind([above], present), {});
    expect(files.map(({ path, before, after }) => [path, before, after?.kind])).toEqual([
      ["/w/x/y/a", null, "file"],
      ["/w/x/y", null, "folder"],
      ["/w/x", null, "folder"],
    ]);
  });

  test("makes a folder where a file of the agent goes and a file below it comes", () => {
    const record = changes(null, f("2"));
    const below = { path: "/w/a/b", before: f("1"), after: null };
    const present = new Map([
      [A, f("2")],
      ["/w/a/b", null],
    ]);
    const { files } = settlePlan(planRewind([{ ...record, files: [...record.files, below] }], present), {});
    expect(files.map(({ path, after }) => [path, after?.kind])).toEqual([
      [A, "folder"],
      ["/w/a/b", "file"],
    ]);
  });

  test("brings back only those conflicts that the person chose", () => {
    const plan = planRewind([changes(f("1"), f("2"))], new Map([[A, f("mine")]]));
    expect(settlePlan(plan, {})).toEqual({ files: [], kept: plan.conflicts });
    expect(settlePlan(plan, { [A]: "mine" }).files).toEqual([]);
    expect(settlePlan(plan, { [A]: "checkpoint" })).toEqual({
      files: [{ path: A, before: f("mine"), after: f("1") }],
      kept: [],
    });
  });
});
