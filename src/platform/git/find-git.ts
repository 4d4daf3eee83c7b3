import { join } from "node:path";
import type { Environment } from "../env.ts";
import { isInside } from "../paths.ts";
import { absoluteEntries } from "../processes/child-environment.ts";
import { executable } from "../processes/find-program.ts";

/** The git program of the search path, unless a project may have planted it. */
export function findGit(environment: Environment, mayHavePut: readonly string[]): string | undefined {
  for (const folder of absoluteEntries(environment["PATH"] ?? "")) {
    const candidate = join(folder, "git");
    const found = executable(candidate);
    if (found === undefined || candidate.includes("/node_modules/")) continue;
    if (!mayHavePut.some((root) => isInside(root, found) || isInside(root, candidate))) return found;
  }
  return undefined;
}
