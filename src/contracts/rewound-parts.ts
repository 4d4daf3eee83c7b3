import type { RewindResult } from "./checkpoint.ts";

/** `3 files restored`, `1 file deleted`, `1 empty folder restored`. */
export function rewoundParts({
  restored,
  deleted,
  folders = { restored: [], deleted: [] },
}: Pick<RewindResult, "restored" | "deleted" | "folders">): readonly string[] {
  const part = (paths: readonly string[], one: string, done: string) =>
    paths.length === 0 ? [] : [`${paths.length} ${one}${paths.length === 1 ? "" : "s"} ${done}`];
  return [
    ...part(restored, "file", "restored"),
    ...part(deleted, "file", "deleted"),
    ...part(folders.restored, "empty folder", "restored"),
    ...part(folders.deleted, "empty folder", "deleted"),
  ];
}

/** The same in one phrase, also where nothing had to change. */
export function rewoundPhrase(result: Parameters<typeof rewoundParts>[0]): string {
  return rewoundParts(result).join(", ") || "no file had to change";
}
