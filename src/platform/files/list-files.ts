import { StringDecoder } from "node:string_decoder";
import type { Ripgrep } from "../ripgrep.ts";
import { walkFiles } from "./walk-files.ts";

const MAX_SECONDS = 10;
const LISTING = ["--no-config", "--files", "--hidden", "--glob", "!.git", "--no-require-git", "--null", "--", "./"];

type Listing = {
  /** Absolute and resolved. */
  readonly root: string;
  readonly ripgrep: Ripgrep | undefined;
  readonly signal: AbortSignal;
  /** Receives each path, relative to the root; false ends the listing. */
  readonly onFile: (path: string) => boolean;
  readonly timeoutMs?: number;
};

/**
 * Lists the files below a folder that git would see.
 * @returns true if the listing is complete: false at the time limit (10 s) or after `onFile` ended it.
 */
export async function listFiles(listing: Listing): Promise<boolean> {
  const timeoutMs = listing.timeoutMs ?? MAX_SECONDS * 1_000;
  // A timer of 0 ms could fire only after a small listing has ended.
  if (timeoutMs <= 0) return false;
  return listing.ripgrep ? withRipgrep(listing, listing.ripgrep, timeoutMs) : walked(listing, timeoutMs);
}

async function withRipgrep({ root, signal, onFile }: Listing, ripgrep: Ripgrep, timeoutMs: number): Promise<boolean> {
  const decoder = new StringDecoder("utf8");
  let rest = "";
  const { endedBy } = await ripgrep({
    args: LISTING,
    cwd: root,
    signal,
    timeoutMs,
    onOutput: (chunk) => {
      const names = (rest + decoder.write(chunk)).split("\0");
      rest = names.pop() ?? "";
      return names.every((name) => onFile(name.startsWith("./") ? name.slice(2) : name));
    },
  });
  return endedBy === "itself";
}

async function walked({ root, signal, onFile }: Listing, timeoutMs: number): Promise<boolean> {
  const time = AbortSignal.timeout(timeoutMs);
  try {
    for await (const path of walkFiles(root, { signal: AbortSignal.any([signal, time]) }))
      if (!onFile(path)) return false;
    return true;
  } catch (error) {
    if (time.aborted && !signal.aborted) return false;
    throw error;
  }
}
