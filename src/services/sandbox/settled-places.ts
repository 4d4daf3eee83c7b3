import { ToolFailedError } from "../../contracts/errors.ts";
import { hasNoLinks, isInside } from "../../platform/paths.ts";
import type { MountedPlace } from "../../platform/sandbox/running-mounts.ts";
import { orderPlaces, type Place } from "./policy.ts";

/**
 * The places that can be mounted: where a link stands, or nothing that runs confined could put one between this look and the
 * mount, bubblewrap would mount what the link leads to, or mount over something else. What only protects is left out there: a
 * program that can exchange it can change it as well.
 * @param isSettled Whether no program that runs can exchange a path.
 * @returns in the order in which they must be set up.
 * @throws {ToolFailedError} a place without which nothing must run is such a one.
 */
export function settledPlaces(places: readonly Place[], isSettled: (path: string) => boolean): readonly Place[] {
  return orderPlaces(places).filter((place) => {
    const isReal = hasNoLinks(place.path);
    if (isReal && isSettled(place.path)) return true;
    if (!isNeeded(place)) return false;
    throw new ToolFailedError(
      isReal
        ? `This can't be confined: a command that still runs in the sandbox could exchange ${place.path}. Wait for its end, or end it.`
        : `This can't be confined: ${place.path} is reached through a link by now. Start Quoll again.`,
    );
  });
}

/** What is opened, and what must not be seen. */
function isNeeded(place: Place): boolean {
  return (
    place.access === "hidden" ||
    (place.access === "fixed" && place.isOpened === true) ||
    (place.access === "writable" && (place.isOpened === true || place.isPinned !== true))
  );
}

/** What is mounted where a program may change something, and in there. */
export function mountedPlaces(places: readonly Place[]): readonly MountedPlace[] {
  const writable = places.filter(({ access }) => access === "writable").map(({ path }) => path);
  return places
    .filter(({ path }) => writable.some((folder) => isInside(folder, path)))
    .map(({ path, access }) => ({ path, isWritable: access === "writable" }));
}
