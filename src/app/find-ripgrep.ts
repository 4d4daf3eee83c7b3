import { join } from "node:path";
import { unpackExecutable } from "../platform/assets.ts";
import { embeddedRipgrep } from "../platform/embedded-ripgrep.ts";
import type { Environment } from "../platform/env.ts";
import { type FoundRipgrep, ripgrepFinder } from "../platform/ripgrep.ts";

type OwnRipgrep = {
  readonly environment: Environment;
  /** Our cache folder. */
  readonly cache: string;
  readonly version: string;
  /** True if a program found on PATH may be run. */
  isTrusted(path: string): boolean;
};

/** Finds the rg of this installation: inside the executable, in the package, or on the system. */
export async function ripgrepOf({
  cache,
  version,
  ...search
}: OwnRipgrep): Promise<() => Promise<FoundRipgrep | undefined>> {
  if (embeddedRipgrep === undefined) return ripgrepFinder(search);
  const file = embeddedRipgrep;
  const embedded = () => unpackExecutable(file, join(cache, "bin", `rg-${version}`));
  return ripgrepFinder({ ...search, embedded });
}
