import { join } from "node:path";
import { kindAt } from "../../platform/files/kind-at.ts";
import { isInside, realPathOrSelf } from "../../platform/paths.ts";
import { CACHE_LIMITS, keepCacheLimits, markUse, openCacheFolder } from "../../platform/sandbox/cache-quota.ts";
import { makeLinks } from "../../platform/sandbox/make-links.ts";
import { isAllowedHost } from "./domain-rules.ts";
import { packageCaches } from "./package-caches.ts";
import type { SandboxDeps } from "./sandbox-deps.ts";

export type CacheUse = {
  /** What `ProjectCaches.open` gave. */
  readonly folder: string;
  /** What the command may write to besides. */
  readonly writable: readonly string[];
  readonly hasNetwork: boolean;
};

/** A session's use of its project's caches. Nothing is made before the first command. */
export class ProjectCaches {
  readonly #deps: SandboxDeps;
  readonly #limiting = new AbortController();
  /** `false`: it can't be made. */
  #files: string | false | undefined;

  constructor(deps: SandboxDeps) {
    this.#deps = deps;
  }

  /** Has the folder ready for a command. @returns undefined where it can't be made: then there are no caches. */
  open(): string | undefined {
    const { cacheFolder, home } = this.#deps;
    const now = Date.now();
    try {
      if (this.#files === undefined) {
        const settings = ["config.toml", "config"].map((name) => join(home, ".cargo", name));
        this.#files = realPathOrSelf(
          openCacheFolder(cacheFolder, now, (files) => makeLinks(settings, join(files, "cargo"))),
        );
        void keepCacheLimits(cacheFolder, { limits: CACHE_LIMITS, now }, this.#limiting.signal);
      } else if (this.#files !== false) markUse(cacheFolder, now);
    } catch {
      this.#files = false;
    }
    return this.#files || undefined;
  }

  /** The variables by which a command finds its caches. */
  variables(env: Readonly<Record<string, string>>, use: CacheUse): Readonly<Record<string, string>> {
    const { home, projectRoot, settings } = this.#deps;
    const rules = { allowed: settings.network?.allowedDomains ?? [], denied: settings.network?.deniedDomains ?? [] };
    return packageCaches({
      ...use,
      env,
      home,
      project: { hasFile: (name) => kindAt(join(projectRoot, name)) !== undefined },
      isAllowedHost: (host) => isAllowedHost(host, rules, false),
      isWritable: (path) => use.writable.some((outer) => isInside(outer, realPathOrSelf(path))),
    });
  }

  close(): void {
    this.#limiting.abort(new Error("The session ends."));
  }
}
