import { errorMessage } from "../../contracts/errors.ts";
import type { DestructiveGuard, WayBack } from "../../contracts/ports.ts";
import type { Hazard, Subject } from "../../contracts/subject.ts";
import type { WayBackFound } from "./judgement.ts";
import { oneLine } from "./one-line.ts";

/** What would be destroyed, and whether it can be brought back. */
export type Guarding = {
  readonly hazards: readonly Hazard[];
  readonly found: WayBackFound;
  /** Set when a way back can be made. */
  readonly wayBack?: Extract<WayBack, { kind: "possible" }>;
};

export function hazardsOf(subjects: readonly Subject[]): readonly Hazard[] {
  return subjects.flatMap((subject) => (subject.action === "execute" ? subject.hazards : []));
}

/** What commands may do that nobody can read. */
export function unreadOf(subjects: readonly Subject[]): readonly Hazard[] {
  return subjects.flatMap((subject) => (subject.action === "execute" ? (subject.unread ?? []) : []));
}

/** Asks the guard. One that breaks counts as one that found no way back. */
export async function assess(
  guard: DestructiveGuard,
  hazards: readonly Hazard[],
  signal: AbortSignal,
): Promise<Guarding> {
  try {
    const wayBack = await guard.assess(hazards, signal);
    if (!wayBack) return { hazards, found: { kind: "unneeded" } };
    if (wayBack.kind === "possible") return { hazards, found: { kind: "possible" }, wayBack };
    return { hazards, found: { kind: "impossible", why: oneLine(wayBack.why) } };
  } catch (error) {
    return { hazards, found: { kind: "impossible", why: `looking for one failed (${oneLine(errorMessage(error))})` } };
  }
}

/** The same, with the way back that could not be made after all. */
export function withoutCopy({ hazards }: Guarding, error: unknown): Guarding {
  return { hazards, found: { kind: "impossible", why: `it could not be made (${oneLine(errorMessage(error))})` } };
}

/** The dangers in plain words, each once, with what is kept of it. */
export function describeHazards({ hazards, found }: Guarding): readonly string[] {
  const kept = found.kind === "possible" ? " (a copy is kept)" : found.kind === "impossible" ? " (no way back)" : "";
  return [...new Set(hazards.map(({ text }) => `${text}${kept}`))];
}
