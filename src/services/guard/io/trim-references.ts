import { outdated } from "./backup-folder.ts";
import { BACKUP_REFS } from "./backup-references.ts";
import type { Git } from "./run-git.ts";

/**
 * Removes outdated backups of a repository.
 * @throws the abort reason when `signal` aborts. Other failures are ignored: a leftover backup does no harm.
 */
export async function trimReferences(git: Git, nowMs: number, signal: AbortSignal): Promise<void> {
  try {
    const names = await backupReferences(git, signal);
    const due = new Set(outdated(names.map(idOf), nowMs));
    await removeAll(
      git,
      names.filter((name) => due.has(idOf(name))),
      signal,
    );
  } catch (error) {
    if (signal.aborted) throw error;
  }
}

/** Removes one unfinished backup. Never throws. */
export async function removeBackup(git: Git, id: string): Promise<void> {
  const { signal } = new AbortController();
  try {
    const names = await backupReferences(git, signal);
    await removeAll(
      git,
      names.filter((name) => idOf(name) === id),
      signal,
    );
  } catch {
    // The reference holds only existing objects; the next trimming removes it.
  }
}

async function backupReferences(git: Git, signal: AbortSignal): Promise<readonly string[]> {
  const listed = await git.run({ args: ["for-each-ref", "--format=%(refname)", BACKUP_REFS], signal });
  return listed
    .toString("utf8")
    .split("\n")
    .filter((name) => name !== "");
}

async function removeAll(git: Git, names: readonly string[], signal: AbortSignal): Promise<void> {
  if (names.length === 0) return;
  const commands = names.map((name) => `delete ${name}\0\0`).join("");
  await git.run({ args: ["update-ref", "--stdin", "-z"], signal, input: (write) => write(commands) });
}

function idOf(name: string): string {
  return name.slice(BACKUP_REFS.length).split("/", 1)[0] ?? "";
}
