import { isEmpty } from "../../platform/files/list-folder-sync.ts";
import { restoreLink, type WatchedLink } from "./io/link-watch.ts";
import { stampAt } from "./io/mount-record.ts";
import { printableName } from "./notices.ts";

/** The state of unprotected paths before a command ran. */
export type ProtectedState = {
  /** All paths found by name. */
  readonly found: ReadonlySet<string>;
  /** The paths that no mount protects, with their stamps. */
  readonly loose: ReadonlyMap<string, string>;
  /** Folders where git expects submodules. */
  readonly linked: ReadonlySet<string>;
  /** Data folders of the repositories with submodules, mapped to their work trees. */
  readonly repositories: ReadonlyMap<string, string>;
  /** The data folders whose index can be parsed. */
  readonly readable: ReadonlySet<string>;
};

/** The maximum number of paths named in one line. */
const MAX_NAMED = 5;

/**
 * Lines for the model and the person about unprotected paths that a command created or changed.
 * @param now The state after the command.
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
    line(obeyed, "New since the command started, and obeyed by agents, editors or other tools"),
    line(changed, "Changed since the command started, and obeyed by agents, editors, git or other tools"),
    line(repositories, "New repositories, whose hooks and settings git obeys in them"),
    line(linked, "The index now lists these as repositories, and git obeys their settings anywhere in this work tree"),
    ...unreadable.map(
      (gitFolder) =>
        `The index of ${printableName(before.repositories.get(gitFolder) ?? gitFolder)} has a format that Quoll can't read, and may name repositories whose settings git obeys. Check it before you continue.`,
    ),
  ].flatMap((text) => (text === undefined ? [] : [text]));
}

function line(paths: readonly string[], what: string): string | undefined {
  if (paths.length === 0) return undefined;
  const named = paths.slice(0, MAX_NAMED).map(printableName).join(", ");
  const more = paths.length > MAX_NAMED ? ` and ${paths.length - MAX_NAMED} more` : "";
  return `${what}: ${named}${more}. Check them before you continue.`;
}

/** Restores replaced links. @returns one line per link, also for failures. */
export function linkChanges(links: readonly WatchedLink[]): readonly string[] {
  return links.flatMap((link) => {
    const outcome = restoreLink(link);
    if (outcome === "untouched") return [];
    const was = `${printableName(link.path)} was a link to ${printableName(link.target)}, and`;
    return outcome === "put back"
      ? [`${was} was put back; its replacement was moved aside.`]
      : [`${was} is gone, or its folder was replaced: check its current state.`];
  });
}
