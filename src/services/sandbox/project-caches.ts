import { join } from "node:path";
import { kindAt } from "../../platform/files/kind-at.ts";
import { isInside, realPathOrSelf } from "../../platform/paths.ts";
import { CACHE_LIMITS, keepCacheLimits, makeLinks, markUse, openCacheFolder } from "./io/cache-folder.ts";
import { isAllowedHost } from "./network-proxy.ts";
import { packageCaches } from "./package-caches.ts";
import type { SandboxDeps } from "./sandbox-deps.ts";

export type CacheUse = {
  /** The folder returned by `ProjectCaches.open`. */
  readonly folder: string;
  /** Other folders that the command may write to. */
  readonly writable: readonly string[];
  readonly hasNetwork: boolean;
  /** Hosts that are open besides those of the settings. */
  readonly hosts: readonly string[];
  /** The package managers that the command starts, as far as they are known. */
  readonly managers: readonly string[];
};

/** The caches of one project in this session. Creates nothing before the first command. */
export class ProjectCaches {
  readonly #deps: SandboxDeps;
  readonly #limiting = new AbortController();
  /** `false`: the folder can't be created. */
  #files: string | false | undefined;

  constructor(deps: SandboxDeps) {
    this.#deps = deps;
  }

  /**
   * Prepares the cache folder for a command.
   * @returns undefined if the caches can't be created: the command then has no caches.
   */
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

  /** The variables that point a command to its caches. */
  variables(env: Readonly<Record<string, string>>, use: CacheUse): Readonly<Record<string, string>> {
    const { home, projectRoot, settings } = this.#deps;
    const rules = {
      allowed: [...(settings.network?.allowedDomains ?? []), ...use.hosts],
      denied: settings.network?.deniedDomains ?? [],
    };
    return packageCaches({
      ...use,
      env,
      home,
      project: { managers: use.managers, hasFile: (name) => kindAt(join(projectRoot, name)) !== undefined },
      isAllowedHost: (host) => isAllowedHost(host, rules, false),
      isWritable: (path) => use.writable.some((outer) => isInside(outer, realPathOrSelf(path))),
    });
  }

  close(): void {
    this.#limiting.abort(new Error("The session ends."));
  }
}
