import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { orUndefined } from "../contracts/or-undefined.ts";
import { sha256 } from "./digest.ts";
import { makePrivateFolder, replaceUnflushed } from "./private-file.ts";

const FOLDER = "pastes";
const NAME_CHARS = 16;
/** A path in `SavedPastes`. */
const PLACE = /^[A-Za-z0-9][A-Za-z0-9_-]{0,99}\/pastes\/[0-9a-f]{16}\.txt$/;

/** The pastes that are read for a history: their number, and the bytes of all of them. */
const MAX_READ = 200;
const MAX_READ_BYTES = 8 * 1024 * 1024;

/** Where the pastes of a session are: in the folder with its output, so that they are deleted with the session. */
export type PastePlace = {
  /** `sessions/<project id>` in Quoll's data folder; absolute. */
  readonly folder: string;
  readonly sessionId: string;
};

/** The places of pastes below `PastePlace.folder`, by their placeholders. */
export type SavedPastes = Readonly<Record<string, string>>;

/** Writes pastes as private files, each content once. @throws {Error} a system error. */
export function writePastes({ folder, sessionId }: PastePlace, pastes: ReadonlyMap<string, string>): SavedPastes {
  makePrivateFolder(join(folder, sessionId, FOLDER));
  const places = [...pastes].map(([name, text]) => {
    const place = `${sessionId}/${FOLDER}/${sha256(text).slice(0, NAME_CHARS)}.txt`;
    replaceUnflushed(join(folder, place), text);
    return [name, place] as const;
  });
  return Object.fromEntries(places);
}

/** Reads pastes, as far as the limits of one history allow. */
export class PasteReader {
  readonly #folder: string;
  #count = 0;
  #bytes = 0;

  /** @param folder As in `PastePlace`. */
  constructor(folder: string) {
    this.#folder = folder;
  }

  /** @returns undefined if the session was deleted, the place is none, or the limits are reached. */
  read(place: string): string | undefined {
    if (!PLACE.test(place) || this.#count >= MAX_READ) return undefined;
    const path = join(this.#folder, place);
    const kind = statSync(path, { throwIfNoEntry: false });
    if (!kind?.isFile() || this.#bytes + kind.size > MAX_READ_BYTES) return undefined;
    this.#count += 1;
    this.#bytes += kind.size;
    return orUndefined(() => readFileSync(path, "utf8"));
  }
}
