import type { SessionTemporary } from "../../../contracts/ports.ts";
import type { Subject } from "../../../contracts/subject.ts";
import { entryExists } from "../../../platform/paths.ts";

const MAX_NAMED = 3;
/** A command that names a file for temporary use, or makes one. */
const NAMES_TEMPORARY = /(?:^|[\s"'=:(<>@])\/tmp(?:\/|["'\s;)]|$)|TMPDIR|\bmktemp\b/;

type Named = Extract<Subject, { action: "read" | "write" }>;

export function namesTemporary(command: string): boolean {
  return NAMES_TEMPORARY.test(command);
}

/** The files that a command names in the session's folder, and those in the machine's own; by their names. */
function split(subjects: readonly Subject[]): { readonly own: readonly Named[]; readonly foreign: readonly Named[] } {
  const named = subjects.flatMap((subject): Named[] =>
    subject.action === "read" || subject.action === "write" ? [subject] : [],
  );
  return {
    own: named.filter(({ inside, path }) => inside !== undefined && entryExists(path)),
    foreign: named.filter(({ isOfMachine }) => isOfMachine),
  };
}

/** Why a command can't see all of its files: one is only inside the sandbox, another only outside; undefined if it can. */
export function mixedFiles(subjects: readonly Subject[]): string | undefined {
  const { own, foreign } = split(subjects);
  const [mine] = own.filter(({ isFolderChange }) => isFolderChange !== true);
  const [theirs] = foreign;
  if (mine?.inside === undefined || theirs === undefined) return undefined;
  return `${mine.inside} is a file of this session and ${theirs.path} a file of the machine: the sandbox has a /tmp of its own, so no command sees both. First copy ${theirs.path} into the workspace, in a call of its own.`;
}

/**
 * The note about a command that ran outside the sandbox and names temporary files; undefined for any other command.
 * The session's files keep a name that works there.
 */
export function outsideNote(
  command: string,
  subjects: readonly Subject[],
  view: SessionTemporary | undefined,
): string | undefined {
  if (!view || view.inside === view.folder || !namesTemporary(command)) return undefined;
  const { own } = split(subjects);
  const files = [...new Set(own.map(({ inside, path }) => `${inside} of the session is ${path} there`))];
  const more = files.length > 0 ? `; ${files.slice(0, MAX_NAMED).join(", ")}` : "";
  return `this ran outside the sandbox, where ${view.inside} is the machine's own${more}`;
}
