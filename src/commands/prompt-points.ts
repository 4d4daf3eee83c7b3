import { oneLine } from "@quoll/terminal-text/one-line";
import type { RewindPoint } from "../contracts/checkpoint.ts";
import { UserFacingError } from "../contracts/errors.ts";

const MAX_NAMED_COLUMNS = 60;

/** @param wanted A number from 1 (the newest), or the id of a prompt. @throws {UserFacingError} there is no such prompt. */
export function pointNamed(wanted: string, points: readonly RewindPoint[]): RewindPoint {
  const at = /^\d{1,6}$/.test(wanted) ? points.length - Number(wanted) : -1;
  const found = points[at] ?? points.find(({ messageId }) => messageId === wanted);
  if (!found)
    throw new UserFacingError(`There is no prompt ${wanted}: give a number from 1 (the newest) to ${points.length}.`);
  return found;
}

/** `before "fix the test"`. */
export function momentOf({ text }: RewindPoint): string {
  return `before "${oneLine(text, MAX_NAMED_COLUMNS)}"`;
}

/** As a title: `Before "fix the test"`. */
export function titleOf(point: RewindPoint): string {
  const moment = momentOf(point);
  return moment.slice(0, 1).toUpperCase() + moment.slice(1);
}
