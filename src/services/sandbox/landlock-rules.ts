import { join } from "node:path";
import { kindAt } from "../../platform/files/kind-at.ts";
import type { LandlockAccess, LandlockRule } from "../../platform/sandbox/landlock/landlock-plan.ts";
import { listFolderSync } from "../../platform/sandbox/list-folder-sync.ts";
import { accessAt, orderPlaces, type Place, type SandboxPolicy } from "./policy.ts";

/** What goes beyond gets no rights: a folder with more entries beside a secret is an odd one. */
const MAX_RULES = 20_000;
/** Of /dev nothing else: the disks' own devices lie there. */
const DEVICES = ["/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom", "/dev/tty"];

/**
 * The policy as Landlock's rights. These only add up beneath a folder, so a folder that holds something with fewer rights
 * gets none as a whole; its other entries, those that exist now, get theirs one by one. Hence in a workspace no new names at
 * the top, and no change in `.git`.
 */
export function landlockRules(policy: SandboxPolicy): readonly LandlockRule[] {
  const places = orderPlaces([
    ...policy.places.filter((place) => !isGit(place) && !isPin(place)),
    ...policy.places.filter(isGit).map((place) => ({ access: "fixed", path: place.path }) as const),
    { access: "hidden", path: "/dev", kind: "folder" },
    { access: "writable", path: policy.temporary },
  ]);
  const rules: LandlockRule[] = [
    { path: "/", access: "list" },
    ...DEVICES.map((path) => ({ path, access: "device" }) as const),
  ];
  const walk = (path: string, access: Place["access"], around: readonly Place[]): void => {
    const inner = around.filter((place) => isBelow(path, place.path));
    if (access === "hidden" || !inner.some((place) => isLess(place.access, access))) {
      if (access !== "hidden" && rules.length < MAX_RULES) rules.push({ path, access: rightOf(access) });
      for (const place of nearest(inner)) walk(place.path, place.access, inner);
      return;
    }
    if (kindAt(path) !== "folder") return;
    for (const { name, kind } of listFolderSync(path)) {
      const child = join(path, name);
      // A link has no rights of its own: what it leads to has them, or not.
      if (kind !== "link") walk(child, inner.find((place) => place.path === child)?.access ?? access, inner);
    }
  };
  walk("/", accessAt(places, "/"), places);
  return rules;
}

/** Asked of every entry of large folders: no more than a comparison. */
function isBelow(folder: string, path: string): boolean {
  return path !== folder && path.startsWith(folder === "/" ? "/" : `${folder}/`);
}

function isGit(place: Place): boolean {
  return place.access === "writable" && /\/\.git(?:\/|$)/.test(place.path);
}

/** Nothing is mounted: what is only kept in its place has the rights of what is around it. */
function isPin(place: Place): boolean {
  return place.access === "writable" && place.isPinned === true && place.isOpened !== true;
}

const STRENGTH = { hidden: 0, fixed: 1, readable: 1, writable: 2 } as const;

function isLess(access: Place["access"], than: Place["access"]): boolean {
  return STRENGTH[access] < STRENGTH[than];
}

function rightOf(access: Exclude<Place["access"], "hidden">): LandlockAccess {
  return access === "writable" ? "write" : "read";
}

/** Those that lie in no other of them. */
function nearest(places: readonly Place[]): readonly Place[] {
  return places.filter((place) => !places.some((other) => isBelow(other.path, place.path)));
}
