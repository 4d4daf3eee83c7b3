import type { BackupPart, BackupPlace, BackupReader, BackupRecord } from "../../../contracts/backup.ts";
import { orUndefined } from "../../../contracts/or-undefined.ts";
import type { BackupIndex } from "./backup-index.ts";

/**
 * The backups of a project that are there now, oldest first. One that the index does not name (of an earlier version, or
 * of a process that was killed) is added to it; where that fails, it is listed all the same.
 * @throws the abort reason if `signal` aborts.
 */
export async function knownBackups(
  index: Pick<BackupIndex, "all" | "add">,
  reader: Pick<BackupReader, "find">,
  signal: AbortSignal,
): Promise<readonly BackupRecord[]> {
  const noted = new Map((orUndefined(() => index.all()) ?? []).map((one) => [one.id, one]));
  const found = await reader.find(placesOf([...noted.values()]), signal);
  await index.add(found.filter(({ id }) => !noted.has(id))).catch(() => undefined);
  return found.map((one) => {
    const known = noted.get(one.id);
    return known ? { ...known, parts: one.parts.map((part) => withNames(part, known.parts)) } : one;
  });
}

function placesOf(records: readonly BackupRecord[]): readonly BackupPlace[] {
  const places = records.flatMap(({ parts }) =>
    parts.flatMap((part) => (part.kind === "folder" ? [] : [{ top: part.top, repository: part.repository }])),
  );
  return [...new Map(places.map((place) => [place.repository, place])).values()];
}

/**
 * The index knows exactly what a restore brings back, and for which work tree of a repository. A repository that was
 * moved is found at its new place alone.
 */
function withNames(part: BackupPart, known: readonly BackupPart[]): BackupPart {
  if (part.kind === "folder") return part;
  const ref = part.kind === "commit" ? part.ref : part.root;
  const same = known.filter((one) => one.kind === "commit").filter((one) => one.ref === ref);
  const here = same.find(({ repository }) => repository === part.repository);
  if (here) return here;
  const [moved] = same;
  if (!moved || same.length > 1 || part.kind !== "commit") return part;
  return { ...part, names: moved.names, gone: moved.gone };
}
