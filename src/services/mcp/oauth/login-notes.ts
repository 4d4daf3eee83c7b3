import { z } from "zod";
import { parsedJson } from "../../../contracts/parsed-json.ts";
import type { Clock } from "../../../contracts/ports.ts";
import { sha256 } from "../../../platform/digest.ts";
import { replaceIfPossible } from "../../../platform/private-file.ts";
import { readSmallFile } from "../../../platform/read-small-file.ts";
import { loginName } from "./login-record.ts";

/** How long Quoll does not try a server that needs a login again at a start. */
export const NEEDS_LOGIN_MS = 15 * 60_000;
const MAX_NOTES = 200;
const MAX_FILE_BYTES = 256 * 1024;
const MAX_SCOPE_CHARS = 2_000;

const noteSchema = z.object({
  /** When the server last asked for a login, in milliseconds since 1970. */
  at: z.number().optional(),
  /** Scopes that the server wanted for a call. */
  scope: z.string().optional(),
});
const fileSchema = z.record(z.string(), noteSchema);
type Note = z.infer<typeof noteSchema>;

/** Non-secret facts about servers that need a login. A file that can't be read or written is ignored. */
export class LoginNotes {
  readonly #file: string;
  readonly #clock: Pick<Clock, "now">;

  constructor(file: string, clock: Pick<Clock, "now">) {
    this.#file = file;
    this.#clock = clock;
  }

  /** True if the server asked for a login a short time ago. */
  needsLogin(url: string): boolean {
    const at = this.#read().get(keyOf(url))?.at;
    const age = at === undefined ? undefined : this.#clock.now() - at;
    return age !== undefined && age >= 0 && age < NEEDS_LOGIN_MS;
  }

  /** The additional scopes that the next login requests. */
  wantedScope(url: string): string | undefined {
    return this.#read().get(keyOf(url))?.scope;
  }

  noteNeed(url: string): void {
    this.#change(url, (before) => ({ ...before, at: this.#clock.now() }));
  }

  noteScope(url: string, scope: string): void {
    this.#change(url, (before) => ({ ...before, scope: scope.slice(0, MAX_SCOPE_CHARS) }));
  }

  /** A login succeeded or was removed. */
  forget(url: string): void {
    this.#change(url, () => undefined);
  }

  #change(url: string, make: (before: Note) => Note | undefined): void {
    const notes = this.#read();
    const key = keyOf(url);
    const before = notes.get(key);
    const after = make(before ?? {});
    if (before === undefined && after === undefined) return;
    notes.delete(key);
    if (after) notes.set(key, after);
    // Without the file, each start tries the server again.
    replaceIfPossible(this.#file, `${JSON.stringify(Object.fromEntries([...notes].slice(-MAX_NOTES)))}\n`);
  }

  #read(): Map<string, Note> {
    const parsed = fileSchema.safeParse(parsedJson(readSmallFile(this.#file, MAX_FILE_BYTES) ?? ""));
    return new Map(parsed.success ? Object.entries(parsed.data) : []);
  }
}

/** An address may contain secrets in its query. */
function keyOf(url: string): string {
  return sha256(loginName(url)).slice(0, 32);
}
