import { readFileSync } from "node:fs";
import type { Entry } from "../../../src/contracts/session.ts";
import { parseEntry } from "../../../src/services/session/entry.ts";
import { isOfMainAgent, type Link, pathOf } from "../../../src/services/session/entry-path.ts";

/** Reads a session in the simplest way: every line is parsed, and all entries since the last `cleared` are returned. */
export function readWhole(file: string): { readonly entries: readonly Entry[]; readonly lastId: string | null } {
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
  return { entries: path.filter((link): link is Entry => !foreign.has(link)), lastId };
}
