import { expect, test } from "bun:test";
import { manualLines, stateNamed } from "../../../../src/app/session/backups/project-backups.ts";
import type { BackupPart, BackupRecord, SavedState } from "../../../../src/contracts/backup.ts";

const REF = "refs/quoll/backup/20260101T000000Z-aaaaaa";
const COMMIT = { kind: "commit", top: "/a b", repository: "/a b/.git", ref: REF, gone: [] } as const;

function record(...parts: readonly BackupPart[]): BackupRecord {
  return { id: "20260101T000000Z-aaaaaa", time: 0, cause: "", parts, lines: [] };
}

test("a backup without printed lines names the commands that its places need", () => {
  const folder = { kind: "folder", folder: "/d/it's", paths: ["/x"], rights: 0 } as const;
  expect(manualLines(record({ ...COMMIT, names: ["src", "*.md"] }, folder))).toEqual([
    `git -C '/a b' --literal-pathspecs restore --overlay --source=${REF} -- src '*.md'`,
    `sh '/d/it'\\''s/restore.sh'`,
  ]);
});

test("names with control characters are not printed in a command", () => {
  expect(manualLines(record({ ...COMMIT, names: ["\u001b]0;title\u0007"] }))).toEqual([
    `git -C '/a b' ls-tree -r ${REF}`,
  ]);
});

test("a state is named by its id, or by a beginning that only one has", () => {
  const states = ["20260101-a", "20260101-b"].map(
    (id): SavedState => ({ kind: "checkpoint", id, time: 0, cause: "", paths: [], sessionId: "s" }),
  );
  expect(stateNamed("20260101-b", states).id).toBe("20260101-b");
  for (const wanted of ["20260101", "x", ""]) expect(() => stateNamed(wanted, states)).toThrow(/backup/);
});
