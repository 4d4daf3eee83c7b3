import { isEmpty } from "../../platform/sandbox/list-folder-sync.ts";
import { stampAt } from "../../platform/sandbox/running-mounts.ts";

/** What stood where nothing kept it from being changed, before a command ran. */
export type ProtectedState = {
  /** All that was found by its name. */
  readonly found: ReadonlySet<string>;
  /** Of these, what no mount keeps, and how it was. */
  readonly loose: ReadonlyMap<string, string>;
  /** Folders in which git looks for repositories. */
  readonly linked: ReadonlySet<string>;
};

/** So many paths are named in one line. */
const MAX_NAMED = 5;

/**
 * What a command has made or changed that no mount could keep from it, a line each: for the model and the person.
 * @param now What is there afterwards.
 */
export function protectedChanges(before: ProtectedState, now: Omit<ProtectedState, "loose">): readonly string[] {
  const made = [...now.found].filter((path) => !before.found.has(path) && !isEmpty(path));
  const repositories = made.filter((path) => path.endsWith("/.git"));
  const obeyed = made.filter((path) => !repositories.includes(path));
  const changed = [...before.loose].filter(([path, stamp]) => stampAt(path) !== stamp).map(([path]) => path);
  const linked = [...now.linked].filter((path) => !before.linked.has(path));
  return [
    line(obeyed, "New while this ran, and obeyed by agents, editors or other tools"),
    line(changed, "Changed while this ran, and obeyed by agents, editors, git or other tools"),
    line(repositories, "New repositories, whose hooks and settings git obeys in them"),
    line(
      linked,
      "The index now says that these are repositories, and git obeys their settings wherever it is run here",
    ),
  ].flatMap((text) => (text === undefined ? [] : [text]));
}

function line(paths: readonly string[], what: string): string | undefined {
  if (paths.length === 0) return undefined;
  const named = paths.slice(0, MAX_NAMED).join(", ");
  const more = paths.length > MAX_NAMED ? ` and ${paths.length - MAX_NAMED} more` : "";
  return `${what}: ${named}${more}. Look at them before you go on.`;
}
