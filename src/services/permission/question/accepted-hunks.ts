import { isDeepStrictEqual } from "node:util";
import { errorMessage } from "../../../contracts/errors.ts";
import type { PermissionRequest } from "../../../contracts/permission.ts";
import type { Reply } from "../../../contracts/question.ts";
import type { Subject } from "../../../contracts/subject.ts";

/**
 * The maximum number of partly accepted calls that have not come back yet. Entries are consumed at once, so few are
 * pending.
 */
const MAX_WAITING = 32;

/**
 * The part of a call that a person accepted: all, some hunks (`part`), a different input (`other`), or nothing usable.
 */
export type Accepted =
  | { readonly kind: "all" }
  | { readonly kind: "part" | "other"; readonly input: Readonly<Record<string, unknown>> }
  | { readonly kind: "nothing"; readonly message: string };

/**
 * Returns the accepted part of a call. A selection of hunks that can't be applied counts as a refusal, because the
 * person did not want the whole change.
 */
export function acceptedOf({ call }: PermissionRequest, reply: Reply): Accepted {
  if (reply.decision === "once" && reply.updatedInput !== undefined)
    return isSameInput(reply.updatedInput, call.input) ? { kind: "all" } : { kind: "other", input: reply.updatedInput };
  const hunks = reply.decision === "once" ? reply.hunks : undefined;
  if (hunks === undefined) return { kind: "all" };
  if (hunks.length === 0) {
    return { kind: "nothing", message: "The user accepted none of the changes. Ask what they want instead." };
  }
  const count = call.preview?.kind === "diff" ? call.preview.hunks.length : 0;
  const chosen = [...new Set(hunks)].sort((a, b) => a - b);
  const isKnown = chosen.every((index) => Number.isInteger(index) && index >= 0 && index < count);
  if (isKnown && chosen.length === count) return { kind: "all" };
  if (!isKnown || !call.takeHunks) {
    const message =
      "The user wanted only a part of this change, and this call can't be done in parts. Offer the parts one by one.";
    return { kind: "nothing", message };
  }
  try {
    return { kind: "part", input: call.takeHunks(chosen) };
  } catch (error) {
    return { kind: "nothing", message: `The part that the user wanted could not be accepted: ${errorMessage(error)}` };
  }
}

/** A program that answers for a person may return the input unchanged. */
function isSameInput(given: unknown, own: unknown): boolean {
  return isDeepStrictEqual(given, own);
}

/** Remembers which subjects a person saw when they accepted a part of a call: the part comes back as its own call. */
export class AcceptedHunks {
  readonly #seen = new Map<string, ReadonlySet<string> | "anything">();

  /** @param subjects The subjects shown; undefined if the person replaced the input. */
  remember(toolUseId: string, subjects: readonly Subject[] | undefined): void {
    const oldest = this.#seen.size >= MAX_WAITING ? this.#seen.keys().next() : undefined;
    if (oldest && !oldest.done) this.#seen.delete(oldest.value);
    this.#seen.set(toolUseId, subjects === undefined ? "anything" : new Set(subjects.map(keyOf)));
  }

  /**
   * True if this call is the accepted part: true only once, and only if the call touches nothing that was not shown.
   */
  take(toolUseId: string, subjects: readonly Subject[]): boolean {
    const seen = this.#seen.get(toolUseId);
    this.#seen.delete(toolUseId);
    if (seen === undefined || seen === "anything") return seen === "anything";
    return subjects.length > 0 && subjects.every((subject) => seen.has(keyOf(subject)));
  }
}

function keyOf(subject: Subject): string {
  return JSON.stringify(Object.entries(subject).sort(([a], [b]) => (a < b ? -1 : 1)));
}
