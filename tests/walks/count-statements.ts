/**
 * A preload of the program on source. It counts which statements of functions in our own files run, and writes them into the next
 * file of the folder `WALK_MARKS` at each mark: a SIGUSR2, and each request to the model just before its bytes leave. A mark
 * tells what ran since the mark before it.
 */
import { renameSync, writeFileSync } from "node:fs";
import { Session } from "node:inspector/promises";
import { join } from "node:path";
import type { Mark } from "./executed.ts";

const folder = process.env["WALK_MARKS"] ?? "";
const OWN = /\/((?:src|packages\/(?!model-twin\/)[^/]+\/src)\/.*\.tsx?)$/;

type Range = { readonly startOffset: number; readonly endOffset: number; readonly count: number };
type Script = { readonly url: string; readonly functions: readonly { readonly ranges: readonly Range[] }[] };

const session = new Session();
session.connect();
await session.post("Profiler.enable");
await session.post("Profiler.startPreciseCoverage", { callCount: true, detailed: true });

let marks = 0;

/** The runtime's counts begin at 0 again after each mark. */
async function mark(kind: Mark["kind"]): Promise<void> {
  const path = join(folder, String(marks++));
  const { result } = (await session.post("Profiler.takePreciseCoverage")) as { readonly result: readonly Script[] };
  const functions = result.flatMap(({ url, functions: all }) => {
    const file = OWN.exec(url)?.[1];
    return file === undefined ? [] : all.flatMap(({ ranges }) => executedPart(file, ranges));
  });
  writeFileSync(`${path}.part`, JSON.stringify({ kind, functions } satisfies Mark));
  renameSync(`${path}.part`, path);
}

function executedPart(file: string, [whole, ...parts]: readonly Range[]): Mark["functions"] {
  // What begins at 0 is not a function but the module: its imports and declarations.
  if (!whole || whole.startOffset === 0 || whole.count === 0) return [];
  const skipped = parts.filter(({ count }) => count === 0).map((part) => [part.startOffset, part.endOffset] as const);
  return [{ file, start: whole.startOffset, end: whole.endOffset, skipped }];
}

process.on("SIGUSR2", () => void mark("signal"));
const realFetch = globalThis.fetch;
const markedFetch = (...[input, init]: Parameters<typeof fetch>) => {
  if (String(input instanceof Request ? input.url : input).includes("/v1/messages")) void mark("request");
  return realFetch(input, init);
};
globalThis.fetch = Object.assign(markedFetch, realFetch);
