import { join } from "node:path";
import { statsAt } from "../../../platform/paths.ts";
import { inSlices } from "./in-slices.ts";

const MODE_BITS = 0o7777;
const OWNER_EXECUTES = 0o100;
/** Git compares times by the second: it sees no second change of the permissions within one. */
const UNSURE_MS = 2_000;

/** The permissions of files by path: those of most files, and the exceptions. */
export type KnownModes = {
  /** Of files that can't be executed. */
  readonly plain: number;
  readonly executable: number;
  readonly others: ReadonlyMap<string, number>;
};

const USUAL: KnownModes = { plain: 0o644, executable: 0o755, others: new Map() };

/** Follows the permissions of files, of which git keeps only whether the owner may execute them. */
export class FileModes {
  readonly #top: string;
  #known: KnownModes | undefined;
  /** Files whose permissions may change again before their time does. */
  #unsure: readonly string[] = [];

  constructor(top: string) {
    this.#top = top;
  }

  /**
   * Looks at files that changed. The first look decides which permissions are usual.
   * @returns the same object if no permissions changed.
   */
  async look(paths: readonly string[], signal: AbortSignal): Promise<KnownModes> {
    const found = new Map<string, number>();
    const unsure: string[] = [];
    const limitMs = Date.now() - UNSURE_MS;
    await inSlices([...new Set([...paths, ...this.#unsure])], signal, (path) => {
      const stats = this.#stats(path);
      if (stats && stats.ctimeMs > limitMs) unsure.push(path);
      found.set(path, stats ? stats.mode & MODE_BITS : -1);
    });
    this.#unsure = unsure;
    const known = this.#known ?? usualOf(found.values());
    const isNew = ([path, mode]: [string, number]) => (known.others.get(path) ?? -1) !== exception(mode, known);
    const changed = [...found].filter(isNew);
    this.#known = changed.length === 0 ? known : { ...known, others: withChanges(known, changed) };
    return this.#known;
  }

  #stats(path: string) {
    const stats = statsAt(join(this.#top, path));
    return stats?.isFile() ? stats : undefined;
  }
}

/** The permissions of a file, of which git says whether it is executable. */
export function modeOf(known: KnownModes, path: string, isExecutable: boolean): number {
  return known.others.get(path) ?? (isExecutable ? known.executable : known.plain);
}

/** -1: the usual permissions, or no file. */
function exception(mode: number, { plain, executable }: KnownModes): number {
  return mode === ((mode & OWNER_EXECUTES) === 0 ? plain : executable) ? -1 : mode;
}

function withChanges(known: KnownModes, changed: readonly [string, number][]): ReadonlyMap<string, number> {
  const others = new Map(known.others);
  for (const [path, mode] of changed) {
    const other = exception(mode, known);
    if (other === -1) others.delete(path);
    else others.set(path, other);
  }
  return others;
}

function usualOf(modes: Iterable<number>): KnownModes {
  const counts = new Map<number, number>();
  for (const mode of modes) if (mode >= 0) counts.set(mode, (counts.get(mode) ?? 0) + 1);
  const ranked = [...counts].sort(([, a], [, b]) => b - a).map(([mode]) => mode);
  return {
    ...USUAL,
    plain: ranked.find((mode) => (mode & OWNER_EXECUTES) === 0) ?? USUAL.plain,
    executable: ranked.find((mode) => (mode & OWNER_EXECUTES) !== 0) ?? USUAL.executable,
  };
}
