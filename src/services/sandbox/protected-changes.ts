import { restoreLink, type WatchedLink } from "../../platform/sandbox/link-watch.ts";
import { isEmpty } from "../../platform/sandbox/list-folder-sync.ts";
import { stampAt } from "../../platform/sandbox/running-mounts.ts";
import { plainName } from "./plain-name.ts";

/** What stood where nothing kept it from being changed, before a command ran. */
export type ProtectedState = {
  /** All that was found by its name. */
  readonly found: ReadonlySet<string>;
  /** Of these, what no mount keeps, and how it was. */
  readonly loose: ReadonlyMap<string, string>;
  /** Folders in which git looks for repositories. */
  readonly linked: ReadonlySet<string>;
  /** The repositories that say so: where their data lies, and their work trees. */
  readonly repositories: ReadonlyMap<string, string>;
  /** Of these, the ones whose index can be looked through. */
  readonly readable: ReadonlySet<string>;
};

/** So many paths are named in one line. */
const MAX_NAMED = 5;

/**
 * What a command has made or changed that no mount could keep from it, a line each: for the model and the person.
 * @param now What is there afterwards.
 */
export function protectedChanges(
  before: ProtectedState,
  now: Pick<ProtectedState, "found" | "linked" | "readable">,
): readonly string[] {
  const made = [...now.found].filter((path) => !before.found.has(path) && !isEmpty(path));
  const repositories = made.filter((path) => path.endsWith("/.git"));
  const obeyed = made.filter((path) => !repositories.includes(path));
  const changed = [...before.loose].filter(([path, stamp]) => stampAt(path) !== stamp).map(([path]) => path);
  const linked = [...now.linked].filter((path) => !before.linked.has(path));
  const unreadable = [...before.readable].filter((path) => !now.readable.has(path));
  return [
    line(obeyed, "New while this ran, and obeyed by agents, editors or other tools"),
    line(changed, "Changed while this ran, and obeyed by agents, editors, git or other tools"),
    line(repositories, "New repositories, whose hooks and settings git obeys in them"),
    line(
      linked,
      "The index now says that these are repositories, and git obeys their settings wherever it is run here",
    ),
    ...unreadable.map(
      (gitFolder) =>
        `The index of ${plainName(before.repositories.get(gitFolder) ?? gitFolder)} is kept in a way that can't be looked through here, and may name repositories, whose settings git obeys. Look at it before you go on.`,
    ),
  ].flatMap((text) => (text === undefined ? [] : [text]));
}

function line(paths: readonly string[], what: string): string | undefined {
  if (paths.length === 0) return undefined;
  const named = paths.slice(0, MAX_NAMED).map(plainName).join(", ");
  const more = paths.length > MAX_NAMED ? ` and ${paths.length - MAX_NAMED} more` : "";
  return `${what}: ${named}${more}. Look at them before you go on.`;
}

/** Puts links back that were replaced. @returns what was done, or could not be, a line each. */
export function linkChanges(links: readonly WatchedLink[]): readonly string[] {
  return links.flatMap((link) => {
    const outcome = restoreLink(link);
    if (outcome === "untouched") return [];
    const was = `${plainName(link.path)} was a link to ${plainName(link.target)}, and`;
    return outcome === "put back"
      ? [`${was} was put back; what had taken its place lies beside it.`]
      : [`${was} is not there any more, or its folder is another one: look at what is there now.`];
  });
}
