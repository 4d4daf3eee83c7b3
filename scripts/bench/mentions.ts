import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { FoundFile } from "../../src/contracts/file-mention.ts";
import { listFiles } from "../../src/platform/files/list-files.ts";
import { findRipgrep } from "../../src/platform/ripgrep.ts";
import { FileFinder } from "../../src/services/mentions/file-finder.ts";
import type { BenchPlace, Measurement } from "./measurement.ts";

const FOLDERS = 2_000;
const FILES_EACH = 50;
const FIRST_LIST_MS = 300;
const KEY_MS = 30;
const NAMES = ["cart", "checkout", "payment", "profile", "settings", "widget", "server", "client", "render", "helper"];
const KEYS = ["c", "ca", "car", "cart", "cart-", "crtx", "profile7"];

/** The list of mentions in a project of 100,000 files: the first list after `@`, the longest wait of a key meanwhile, and the list after each key. */
export async function benchMentions(
  { project, environment }: BenchPlace,
  runs: number,
): Promise<readonly Measurement[]> {
  const root = join(project, "..", "many-files");
  writeFiles(root);
  try {
    const ripgrep = await findRipgrep({ environment: environment(), isTrusted: () => true });
    const first: number[] = [];
    const complete: number[] = [];
    const blocked: number[] = [];
    const keys: number[] = [];
    for (let run = 0; run < runs; run += 1) {
      const finder = new FileFinder({
        root,
        home: root,
        recent: async () => [],
        isHidden: () => false,
        list: (onFile, signal) => listFiles({ root, ripgrep, signal, onFile }),
      });
      const wait = longestWait();
      first.push(await timeTo(finder, "", () => true));
      complete.push(await timeTo(finder, "cart1999-49", (found) => found.length > 0));
      blocked.push(wait.end());
      for (const typed of KEYS) keys.push(await timeTo(finder, typed, () => true));
      finder.close();
    }
    return [
      { part: "mentions", name: "first list of 100,000 files", unit: "ms", values: first, target: FIRST_LIST_MS },
      { part: "mentions", name: "the last listed file is found", unit: "ms", values: complete },
      { part: "mentions", name: "longest wait of a key meanwhile", unit: "ms", values: blocked, target: KEY_MS },
      { part: "mentions", name: "list after a key", unit: "ms", values: keys, target: KEY_MS },
    ];
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
}

function writeFiles(root: string): void {
  for (let folder = 0; folder < FOLDERS; folder += 1) {
    const path = join(root, `packages/${NAMES[folder % NAMES.length]}${folder % 100}/src-${folder}`);
    mkdirSync(path, { recursive: true });
    for (let file = 0; file < FILES_EACH; file += 1)
      writeFileSync(join(path, `${NAMES[file % NAMES.length]}${folder}-${file}.ts`), "");
  }
}

/** Milliseconds until the list fits. */
async function timeTo(
  finder: FileFinder,
  typed: string,
  fits: (found: readonly FoundFile[]) => boolean,
): Promise<number> {
  const ending = new AbortController();
  const started = performance.now();
  const { promise, resolve } = Promise.withResolvers<number>();
  finder.find(typed, (found) => fits(found) && resolve(performance.now() - started), ending.signal);
  return promise.finally(() => ending.abort());
}

/** Milliseconds that a timer was late at most. */
function longestWait(): { end(): number } {
  let longest = 0;
  let last = performance.now();
  const timer = setInterval(() => {
    const now = performance.now();
    longest = Math.max(longest, now - last - 1);
    last = now;
  }, 1);
  return {
    end: () => {
      clearInterval(timer);
      return longest;
    },
  };
}
