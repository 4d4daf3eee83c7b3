import { basename, dirname, extname, join, relative } from "node:path";
import { editDistance } from "../../../contracts/did-you-mean.ts";
import { ToolFailedError } from "../../../contracts/errors.ts";
import { listFolder } from "../../../platform/files/list-folder.ts";
import { walkFiles } from "../../../platform/files/walk-files.ts";
import { isInside } from "../../../platform/paths.ts";
import { type PathDeps, shownPath, type Target } from "../target-file.ts";

const MAX_SUGGESTIONS = 5;
/** Limits of the search by name. */
const MAX_WALKED_FILES = 20_000;
const MAX_WALK_MS = 300;
/** Names with a larger distance, relative to their length, are not similar. */
const MAX_DISTANCE_SHARE = 0.34;
const MAX_COMPARED_CHARS = 100;

type Where = {
  readonly target: Target;
  readonly cwd: string;
  readonly isHidden: PathDeps["isHidden"];
  readonly signal: AbortSignal;
};

/** The error for a missing file: similar names in its folder, then the same name elsewhere in the working folder. */
export async function missingFile(where: Where): Promise<ToolFailedError> {
  const { target, cwd } = where;
  const missing = `${target.shown} does not exist`;
  // Names outside the working folder are not revealed until a person has allowed access.
  if (!isInside(cwd, target.path)) return new ToolFailedError(`${missing}.`);
  const found = [...new Set([...(await beside(where)), ...(await elsewhere(where))])].slice(0, MAX_SUGGESTIONS);
  const hint =
    found.length > 0
      ? `Did you mean ${found.join(" or ")}?`
      : `Nothing of a similar name was found; the working folder is ${cwd}.`;
  return new ToolFailedError(`${missing}. ${hint}`);
}

async function beside({ target, cwd, isHidden }: Where): Promise<readonly string[]> {
  const folder = dirname(target.path);
  const entries = await listFolder(folder).catch(() => []);
  const wanted = basename(target.path);
  return entries
    .map(({ name }) => ({ name, distance: nameDistance(name, wanted) }))
    .filter(({ name, distance }) => distance <= MAX_DISTANCE_SHARE && !isHidden(join(folder, name)))
    .sort((a, b) => a.distance - b.distance)
    .slice(0, MAX_SUGGESTIONS)
    .map(({ name }) => shownPath(cwd, join(folder, name)));
}

async function elsewhere({ target, cwd, isHidden, signal }: Where): Promise<readonly string[]> {
  const wanted = basename(target.path).toLowerCase();
  const tail = relative(cwd, target.path).toLowerCase();
  const found: string[] = [];
  const deadline = AbortSignal.any([signal, AbortSignal.timeout(MAX_WALK_MS)]);
  let walked = 0;
  try {
    for await (const path of walkFiles(cwd, { signal: deadline, skip: isHidden })) {
      const folded = path.toLowerCase();
      if (basename(folded) === wanted || folded.endsWith(`/${tail}`)) found.push(path);
      walked += 1;
      if (walked >= MAX_WALKED_FILES || found.length >= MAX_SUGGESTIONS) break;
    }
  } catch (error) {
    if (signal.aborted || !deadline.aborted) throw error;
  }
  return found;
}

/** 0 for the same name except for case, separators or extension; else the share of different letters. */
function nameDistance(a: string, b: string): number {
  const left = fold(a);
  const right = fold(b);
  if (left === right) return 0;
  if (stem(left) === stem(right) && stem(left) !== "") return 0.1;
  const longer = Math.max(left.length, right.length);
  return editDistance(left, right) / longer;
}

function fold(name: string): string {
  return name
    .normalize("NFC")
    .toLowerCase()
    .replace(/[-_\s]/g, "")
    .slice(0, MAX_COMPARED_CHARS);
}

function stem(name: string): string {
  return name.slice(0, name.length - extname(name).length);
}
