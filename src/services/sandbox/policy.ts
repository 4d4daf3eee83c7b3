import { dirname } from "node:path";

/**
 * What a confined program may do with one path and all below it; of two that contain a path the deeper one counts.
 * - `writable`: read and changed. With `isPinned` it was so already, and can't be renamed away either; with `isOpened` too, it
 *   can't, whether it was so already or not.
 * - `readable`: read, though it lies in something hidden.
 * - `fixed`: read, not changed, though it lies in something writable. With `isOpened` also though it lies in something hidden.
 * - `hidden`: not there: a folder is empty and can't be written to, a file is empty. With `isLocked` neither can be read: what git
 *   knows must not look emptied, or a commit would empty it.
 */
export type Place =
  | { readonly access: "writable"; readonly path: string; readonly isPinned?: boolean; readonly isOpened?: boolean }
  | { readonly access: "readable"; readonly path: string }
  | { readonly access: "fixed"; readonly path: string; readonly isOpened?: boolean }
  | {
      readonly access: "hidden";
      readonly path: string;
      readonly kind: "file" | "folder";
      readonly isLocked?: boolean;
    };

/** All that holds for one confined run. Paths are absolute, without links. */
export type SandboxPolicy = {
  readonly places: readonly Place[];
  /** The private folder for temporary files, and where a confined program sees it. */
  readonly temporary: string;
  readonly temporaryInside: string;
  /** An empty file of ours: what hidden files look like. */
  readonly emptyFile: string;
  /** A file of ours that nobody in there can read. */
  readonly lockedFile: string;
  readonly network: SandboxNetwork | undefined;
  /** bubblewrap: the program joins the network of the session's other commands. */
  readonly isInSharedNetwork: boolean;
  /** Sockets that may be reached. */
  readonly sockets: readonly string[];
  /** Whether something inside may listen on loopback. */
  readonly allowsListening: boolean;
  /** True where a terminal hangs on: it is cut off, so that nothing can be typed into it. */
  readonly leavesTerminal: boolean;
};

/** The way to the allowed domains. */
export type SandboxNetwork = {
  /** Where the proxy listens outside, on loopback. */
  readonly port: number;
  /** bubblewrap: how a program with a network of its own reaches the proxy. In the shared network a relay does. */
  readonly bridge?: NetworkBridge;
};

export type NetworkBridge = {
  /** Folder in which the proxy's socket lies, and the socket's name. */
  readonly folder: string;
  readonly socket: string;
  /** Our own program, as an argument list begins: it is the bridge inside. */
  readonly selfCommand: readonly string[];
};

const RANK = { readable: 0, writable: 1, fixed: 2, hidden: 3 } as const;

/**
 * The places in the order in which they must be set up, outer ones first, without those that change nothing where they
 * stand. Of several for the same path the strictest stays.
 */
export function orderPlaces(places: readonly Place[]): readonly Place[] {
  const byPath = new Map<string, Place>();
  for (const place of places) {
    const before = byPath.get(place.path);
    byPath.set(place.path, before ? merged(before, place) : place);
  }
  const sorted = [...byPath.values()].sort((a, b) => depthOf(a.path) - depthOf(b.path) || (a.path < b.path ? -1 : 1));
  const kept = new Map<string, Place>();
  for (const place of sorted) if (changes(place, nearestAccess(kept, place.path))) kept.set(place.path, place);
  return [...kept.values()];
}

function merged(before: Place, place: Place): Place {
  if (before.access !== "writable" || place.access !== "writable") {
    const stricter = RANK[place.access] > RANK[before.access] ? place : before;
    return stricter.access === "fixed" && (opens(before) || opens(place)) ? { ...stricter, isOpened: true } : stricter;
  }
  const both = [before, place];
  const isPinned = both.some((one) => one.isPinned);
  const isOpened = both.some((one) => one.isOpened || !one.isPinned);
  return isPinned && isOpened ? { access: "writable", path: place.path, isPinned, isOpened } : before;
}

/** Whether it makes something readable that is hidden around it. */
function opens(place: Place): boolean {
  switch (place.access) {
    case "writable":
      return place.isOpened === true || place.isPinned !== true;
    case "readable":
      return true;
    case "fixed":
      return place.isOpened === true;
    case "hidden":
      return false;
  }
}

/** What holds for a path: whatever is in no place may be read. */
export function accessAt(places: readonly Place[], path: string): Place["access"] {
  return nearestAccess(new Map(places.map((place) => [place.path, place])), path);
}

/** Every run asks this of some hundred paths: no comparison of each with each. */
function nearestAccess(places: ReadonlyMap<string, Place>, path: string): Place["access"] {
  for (let at = path; ; at = dirname(at)) {
    const place = places.get(at);
    if (place) return place.access;
    if (at === dirname(at)) return "fixed";
  }
}

function changes(place: Place, around: Place["access"]): boolean {
  switch (place.access) {
    case "writable":
      return place.isOpened === true || (place.isPinned === true ? around === "writable" : around !== "writable");
    case "readable":
      return around === "hidden";
    case "fixed":
      return around === "writable" || (around === "hidden" && place.isOpened === true);
    case "hidden":
      return around !== "hidden";
  }
}

function depthOf(path: string): number {
  return path === "/" ? 0 : path.split("/").length - 1;
}
