import { isDeepStrictEqual } from "node:util";
import { errorMessage } from "../../contracts/errors.ts";
import type { PermissionRequest, Reply } from "../../contracts/permission.ts";
import type { Subject } from "../../contracts/subject.ts";

/** Calls of which a part was taken and that have not come again; each comes at once, so few wait. */
const MAX_WAITING = 32;

/** What a person took of a call: all of it, some of it, or nothing that makes sense. */
export type Taken =
  | { readonly kind: "all" }
  | { readonly kind: "part" | "other"; readonly input: Readonly<Record<string, unknown>> }
  | { readonly kind: "nothing"; readonly message: string };

/** Which part of a call a yes means. A choice that can't be carried out is a no: less was wanted than the whole. */
export function takenOf({ call }: PermissionRequest, reply: Reply): Taken {
  if (reply.decision === "once" && reply.updatedInput !== undefined)
    return isSameInput(reply.updatedInput, call.input) ? { kind: "all" } : { kind: "other", input: reply.updatedInput };
  const hunks = reply.decision === "once" ? reply.hunks : undefined;
  if (hunks === undefined) return { kind: "all" };
  if (hunks.length === 0) {
    return { kind: "nothing", message: "The user took none of the changes. Ask what they want instead." };
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
    return { kind: "nothing", message: `The part that the user wanted could not be taken: ${errorMessage(error)}` };
  }
}

/** Programs that answer for a person give the input back even where they changed nothing. */
function isSameInput(given: unknown, own: unknown): boolean {
  return isDeepStrictEqual(given, own);
}

/** Remembers what a person saw of calls of which they took a part: the part comes back as a call of its own. */
export class TakenParts {
  readonly #seen = new Map<string, ReadonlySet<string> | "anything">();

  /** @param subjects what was shown; undefined when whoever answered chose the input. */
  remember(toolUseId: string, subjects: readonly Subject[] | undefined): void {
    const oldest = this.#seen.size >= MAX_WAITING ? this.#seen.keys().next() : undefined;
    if (oldest && !oldest.done) this.#seen.delete(oldest.value);
    this.#seen.set(toolUseId, subjects === undefined ? "anything" : new Set(subjects.map(keyOf)));
  }

  /** Whether this is the part of a call that a person took: true once, and only when it touches nothing else. */
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
