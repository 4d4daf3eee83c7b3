import { headCommit } from "./backup-commit.ts";
import { CannotBackUpError } from "./cannot-back-up.ts";
import type { Git } from "./run-git.ts";

/** Root of all references that Quoll creates in a repository. */
export const BACKUP_REFS = "refs/quoll/backup/";

const MAX_REFERENCES = 10_000;
/** The maximum number of commits kept that only HEAD's reflog reaches, newest first. */
const MAX_LOGGED = 1_000;

/** One name in a backup with its target. */
export type BackupReference = { readonly name: string; readonly object: string };

type Look = {
  /** True to include commits that only HEAD's reflog reaches. */
  readonly withLog: boolean;
  readonly signal: AbortSignal;
};

/** The references of a repository to back up. */
export type References = {
  readonly references: readonly BackupReference[];
  /** Commits, newest first. */
  readonly logged: readonly string[];
};

/**
 * Lists branches, tags, remote branches, stashes and HEAD, as names below the backup's root.
 * @throws {CannotBackUpError} if there are more than 10,000.
 */
export async function listReferences(git: Git, { withLog, signal }: Look): Promise<References> {
  const listed = await git.run({ args: ["for-each-ref", "--format=%(objectname) %(refname)"], signal });
  const references: BackupReference[] = [];
  let hasStash = false;
  for (const line of lines(listed)) {
    const [object = "", name = ""] = line.split(" ");
    if (name === "refs/stash") hasStash = true;
    else if (!name.startsWith("refs/quoll/")) references.push({ name: name.replace(/^refs\//, ""), object });
  }
  const head = await headCommit(git, signal);
  if (head !== undefined) references.push({ name: "HEAD", object: head });
  const stashed = hasStash ? await logOf(git, "refs/stash", MAX_REFERENCES, signal) : [];
  references.push(...stashed.map((object, index) => ({ name: `stash/${index}`, object })));
  if (references.length > MAX_REFERENCES) {
    throw new CannotBackUpError(`the repository has more than ${MAX_REFERENCES.toLocaleString("en-US")} references`);
  }
  const known = new Set(references.map(({ object }) => object));
  const logged = withLog && head !== undefined ? await logOf(git, "HEAD", MAX_LOGGED, signal) : [];
  return { references, logged: [...new Set(logged)].filter((commit) => !known.has(commit)) };
}

/**
 * Creates the references again under `root`, all or none.
 * @param root `refs/quoll/backup/<id>`; must not exist.
 * @throws {ToolFailedError} git failed; the abort reason when `signal` aborts.
 */
export async function backUpReferences(
  git: Git,
  { references, logged }: References,
  { root, signal }: { readonly root: string; readonly signal: AbortSignal },
): Promise<void> {
  const kept = [...references];
  if (logged.length > 0) kept.push({ name: "log", object: await joinCommits(git, logged, signal) });
  const commands = kept.map(({ name, object }) => `create ${root}/${name}\0${object}\0`);
  await git.run({
    args: ["update-ref", "--stdin", "-z"],
    signal,
    input: (write) => write(commands.join("")),
  });
}

/** Creates one commit with all other commits as parents, so that one reference keeps them. */
async function joinCommits(git: Git, commits: readonly string[], signal: AbortSignal): Promise<string> {
  // The empty tree.
  const [tree = ""] = lines(await git.run({ args: ["hash-object", "-t", "tree", "-w", "--stdin"], signal }));
  const parents = commits.flatMap((commit) => ["-p", commit]);
  const message = `What HEAD was, newest first:\n\n${commits.join("\n")}\n`;
  const printed = await git.run({ args: ["commit-tree", tree, ...parents], signal, input: (write) => write(message) });
  return lines(printed)[0] ?? "";
}

/** The earlier commits of a reference, newest first. */
async function logOf(git: Git, ref: string, most: number, signal: AbortSignal): Promise<readonly string[]> {
  const printed = await git.ask({ args: ["rev-list", "--walk-reflogs", `--max-count=${most}`, ref], signal });
  return printed ? lines(printed) : [];
}

function lines(output: Buffer): readonly string[] {
  return output
    .toString("utf8")
    .split("\n")
    .filter((line) => line !== "");
}
