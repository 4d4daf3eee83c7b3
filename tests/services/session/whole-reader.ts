import { readFileSync } from "node:fs";
import type { Entry } from "../../../src/contracts/session.ts";
import { parseEntry } from "../../../src/services/session/entry.ts";
import { isOfMainAgent, type Link, pathOf } from "../../../src/services/session/entry-path.ts";
import { withAllResults } from "../../../src/services/session/finished-results.ts";

type Read = {
  readonly entries: readonly Entry[];
  /** The same entries as they stand in the file. */
  readonly stored: readonly Entry[];
  readonly lastId: string | null;
};

/** Reads a session in the simplest way: every line is parsed, and all entries since the last `cleared` are returned. */
export function readWhole(file: string): Read {
  const links = new Map<string, Link>();
  const foreign = new Set<Link>();
  let lastId: string | null = null;
  for (const line of readFileSync(file, "utf8").split("\n")) {
    const read = parseEntry(line);
    if (read.kind === "newer") throw new Error(read.why);
    if (read.kind === "malformed") continue;
    const link = read.kind === "entry" ? read.entry : read.record;
    if (links.has(link.id)) continue;
    if (link.kind === "cleared") links.clear();
    links.set(link.id, link);
    if (read.kind === "foreign") foreign.add(link);
    if (isOfMainAgent(link)) lastId = link.id;
  }
  const path = pathOf([...links.values()], lastId);
  const stored = path.filter((link): link is Entry => !foreign.has(link));
  return { entries: withAllResults(stored), stored, lastId };
}
