import { oneLine } from "@quoll/terminal-text/one-line";
import { errorMessage } from "../../../contracts/errors.ts";
import type { Backup, DestructiveGuard } from "../../../contracts/ports.ts";
import type { Hazard, Subject } from "../../../contracts/subject.ts";
import type { BackupState } from "./judgement.ts";

/** The data a call would destroy, and whether a backup of it is possible. */
export type HazardAssessment = {
  readonly hazards: readonly Hazard[];
  readonly found: BackupState;
  /** Set when a backup can be made. */
  readonly backup?: Extract<Backup, { kind: "possible" }>;
};

export function hazardsOf(subjects: readonly Subject[]): readonly Hazard[] {
  return subjects.flatMap((subject) => (subject.action === "execute" ? subject.hazards : []));
}

/** Possible effects of commands that could not be read. */
export function unreadOf(subjects: readonly Subject[]): readonly Hazard[] {
  return subjects.flatMap((subject) => (subject.action === "execute" ? (subject.unread ?? []) : []));
}

/** Asks the guard. A guard that throws counts as "no backup possible". */
export async function assessHazards(
  guard: DestructiveGuard,
  hazards: readonly Hazard[],
  signal: AbortSignal,
): Promise<HazardAssessment> {
  try {
    const backup = await guard.assess(hazards, signal);
    if (!backup) return { hazards, found: { kind: "unneeded" } };
    if (backup.kind === "possible") return { hazards, found: { kind: "possible" }, backup };
    const { kind, why, hazard } = backup;
    return { hazards, found: { kind, why: oneLine(why), ...(hazard && { hazard }) } };
  } catch (error) {
    return { hazards, found: { kind: "impossible", why: `the check failed (${oneLine(errorMessage(error))})` } };
  }
}

/** Returns the same hazards after the backup failed. */
export function withoutCopy({ hazards }: HazardAssessment, error: unknown): HazardAssessment {
  return { hazards, found: { kind: "impossible", why: `the backup failed (${oneLine(errorMessage(error))})` } };
}

/** The hazards in plain words, without duplicates, each with the state of its backup. */
export function describeHazards({ hazards, found }: HazardAssessment): readonly string[] {
  const kept = found.kind === "possible" ? " (backed up first)" : found.kind === "impossible" ? " (no backup)" : "";
  return [...new Set(hazards.map(({ text }) => `${text}${kept}`))];
}
