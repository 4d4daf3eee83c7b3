import { expect } from "bun:test";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Entry } from "../../../src/contracts/session.ts";
import { project } from "../../../src/engine/project.ts";
import { parseEntry } from "../../../src/services/session/entry.ts";
import { readLinks } from "../../../src/services/session/read-path.ts";
import { readSession } from "../../../src/services/session/read-session.ts";
import { readView } from "../../../src/services/session/read-view.ts";
import { seededTest } from "../../support/deep.ts";
import { seededRandom } from "../../support/seeded-random.ts";
import { restoredFrom } from "../../support/session-files.ts";
import { RandomSession } from "./random-session.ts";
import { readWhole } from "./whole-reader.ts";

const STEPS = 160;

/** All that a conversation takes from its entries. */
function viewOf(entries: readonly Entry[], earlierIds: readonly string[], asked: readonly string[]) {
  const view = project(entries, earlierIds);
  const { messages, entryIds, pinned, lastReport, isWindowNoted, toolNotes, next } = view;
  return {
    ...{ messages, entryIds, pinned, lastReport, isWindowNoted },
    ...{ tools: toolNotes.record, announced: toolNotes.announced, notes: next.notes, unfinished: next.unfinished },
    repeated: asked.filter((id) => view.has(id)),
  };
}

const messageIds = (entries: readonly Entry[]) =>
  entries.flatMap((entry) => ("message" in entry && entry.message ? [entry.message.id] : []));

let left = 0;

function check(seed: number, cases: number, isDamaged: boolean): void {
  const folder = mkdtempSync(join(tmpdir(), "quoll-restore-"));
  const file = join(folder, "s1.jsonl");
  try {
    for (let at = 0; at < cases; at += 1) {
      const random = seededRandom(seed + at);
      writeFileSync(file, new RandomSession(random).write(random.below(4) === 0 ? 20 : STEPS, isDamaged));
      const whole = readWhole(file);
      const { entries, earlierIds, lastId } = restoredFrom(file);
      left += earlierIds.length;
      const ids = messageIds(whole.entries);
      const [found, wanted] = [viewOf(entries, earlierIds, ids), viewOf(whole.entries, [], ids)];
      // Older versions of Quoll do not know references, and take the results from the entries of the calls.
      if (!isDamaged) expect([seed + at, project(whole.stored).messages]).toEqual([seed + at, [...wanted.messages]]);
      expect({ seed: seed + at, lastId, view: found }).toEqual({ seed: seed + at, lastId: whole.lastId, view: wanted });
      checkEarlier(file, whole.entries, seed + at, random);
    }
    expect(left).toBeGreaterThan(0);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** A conversation that goes back to one of its entries needs the same as the whole path to it gives. */
function checkEarlier(file: string, entries: readonly Entry[], seed: number, random: ReturnType<typeof seededRandom>) {
  const chosen = entries[random.below(Math.max(1, entries.length))];
  if (!chosen) return;
  const path = readSession(file, { leafId: chosen.id }).path;
  const view = readView(file, parseEntry, chosen.id);
  const links = readLinks(file, parseEntry, chosen.id);
  const ids = messageIds(path);
  const found = view && viewOf(view.entries, view.earlierIds, ids);
  expect({ seed, id: chosen.id, found }).toEqual({ seed, id: chosen.id, found: viewOf(path, [], ids) });
  expect({ seed, links }).toEqual({ seed, links: path.map(({ id, kind }) => ({ id, kind })) });
}

seededTest(
  "a restored session gives the model the same messages as a read of the whole file",
  { seed: 4_100, cases: { quick: 8, deep: 1_000 } },
  (seed, cases) => check(seed, cases, false),
);

seededTest(
  "a restored session of a damaged file gives the model the same messages as a read of the whole file",
  { seed: 9_300, cases: { quick: 8, deep: 1_000 } },
  (seed, cases) => check(seed, cases, true),
);
