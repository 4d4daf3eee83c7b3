import { lstat } from "node:fs/promises";

const AT_ONCE = 64;

/** When each file was last modified, in milliseconds since the epoch; 0 for one that is gone. In the order given. */
export async function modifiedTimes(paths: readonly string[], signal: AbortSignal): Promise<readonly number[]> {
  const times: number[] = [];
  for (let from = 0; from < paths.length; from += AT_ONCE) {
    signal.throwIfAborted();
    const batch = paths.slice(from, from + AT_ONCE).map((path) =>
      lstat(path).then(
        (stats) => stats.mtimeMs,
        () => 0,
      ),
    );
    times.push(...(await Promise.all(batch)));
  }
  return times;
}
