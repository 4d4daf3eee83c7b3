import { join } from "node:path";
import { kindAt } from "../../platform/files/kind-at.ts";
import { isInside, realPathOrSelf } from "../../platform/paths.ts";
import { readSmallFile } from "../../platform/read-small-file.ts";
import { CACHE_LIMITS, keepCacheLimits, makeLinks, markUse, openCacheFolder } from "./io/cache-folder.ts";
import { isAllowedHost } from "./network-proxy.ts";
import type { SandboxDeps } from "./sandbox-deps.ts";

const MAX_SETTINGS_BYTES = 64 * 1024;
const GO_DEFAULT_PROXY = "https://proxy.golang.org,direct";

type Values = Readonly<Record<string, string | undefined>>;

type CacheKind = {
  /** Name of the folder in the project's caches. */
  readonly name: string;
  /** The manager's documented variable. */
  readonly variable: string;
  /** The person's own cache: absolute path. */
  usual(home: string, env: Values): string;
  /**
   * `always`: the manager fails without a writable cache. `network`: only with network, because without it the person's
   * own read-only cache is more useful than an empty cache. `hosts`: only when all these hosts are reachable, since the
   * new cache lacks the content of the person's own.
   */
  readonly when: "always" | "network" | { readonly hosts: readonly string[] };
  /** False when the project does not use this cache. */
  fits?(project: CacheProject): boolean;
  /**
   * Further variables that let the manager read the person's cache.
   * @param own The new cache.
   * @param usual The person's cache.
   */
  more?(own: string, usual: string, env: Values, home: string): Readonly<Record<string, string>>;
};

export type CacheProject = {
  hasFile(name: string): boolean;
  /** The package managers that the command starts, as far as they are known. */
  readonly managers?: readonly string[];
};

/** The version of Yarn is unknown before it runs, so both caches are set. */
const startsYarn = ({ managers }: CacheProject) => managers?.includes("yarn") === true;
const isBerry = ({ hasFile }: CacheProject) => hasFile(".yarnrc.yml");
const usesPnpm = ({ hasFile, managers }: CacheProject) =>
  managers?.includes("pnpm") === true || hasFile("pnpm-lock.yaml") || hasFile("pnpm-workspace.yaml");
const atHome = (folder: string, variable: string) => (home: string, env: Values) => env[variable] || join(home, folder);

/** Caches of package managers and compilers, with their documented variables. */
const KINDS: readonly CacheKind[] = [
  cache("npm", "npm_config_cache", ".npm", { when: "network" }),
  cache("yarn", "YARN_CACHE_FOLDER", ".cache/yarn", { when: "network", fits: (project) => !isBerry(project) }),
  // Yarn's cacheFolder may be committed with the project; the global folder never is.
  cache("yarn-berry", "YARN_GLOBAL_FOLDER", ".yarn/berry", {
    when: "network",
    fits: (project) => isBerry(project) || startsYarn(project),
  }),
  // pnpm to 10 and from 11 on. npm warns about unknown settings, so these are set only for pnpm projects.
  cache("pnpm", "npm_config_store_dir", ".local/share/pnpm/store", {
    when: "network",
    fits: usesPnpm,
    more: (own) => ({ pnpm_config_store_dir: own }),
  }),
  cache("bun", "BUN_INSTALL_CACHE_DIR", ".bun/install/cache", { when: "network" }),
  cache("pip", "PIP_CACHE_DIR", ".cache/pip", { when: "network" }),
  // uv can't create hard links from a cache on another mount and warns at each run unless the link mode is set.
  cache("uv", "UV_CACHE_DIR", ".cache/uv", {
    when: "always",
    more: (_own, _usual, env) => ({ UV_LINK_MODE: env["UV_LINK_MODE"] || "copy" }),
  }),
  cache("cargo", "CARGO_HOME", ".cargo", { when: { hosts: ["index.crates.io", "static.crates.io"] } }),
  {
    name: "go-mod",
    variable: "GOMODCACHE",
    usual: (home, env) => goSetting("GOMODCACHE", home, env) || join(goPath(home, env), "pkg/mod"),
    when: { hosts: ["proxy.golang.org"] },
    more: (_own, usual, env, home) => ({
      // Serves the person's downloads as a proxy (Go Modules Reference, "GOPROXY protocol").
      GOPROXY: `file://${usual}/cache/download,${goSetting("GOPROXY", home, env) || GO_DEFAULT_PROXY}`,
      // Otherwise Go makes the module cache read-only, so that it can't be removed.
      GOFLAGS: `${goSetting("GOFLAGS", home, env) ?? ""} -modcacherw`.trim(),
    }),
  },
  cache("go-build", "GOCACHE", ".cache/go-build", { when: "always" }),
  cache("swiftpm", "SWIFTPM_CACHE_PATH", ".cache/org.swift.swiftpm", { when: "always" }),
  cache("gradle", "GRADLE_USER_HOME", ".gradle", {
    when: "always",
    more: (_own, usual, env) => ({ GRADLE_RO_DEP_CACHE: env["GRADLE_RO_DEP_CACHE"] || join(usual, "caches") }),
  }),
  {
    name: "maven",
    variable: "MAVEN_OPTS",
    usual: (home) => join(home, ".m2/repository"),
    when: { hosts: ["repo.maven.apache.org"] },
    // The tail is read-only; Maven before 3.9 ignores it.
    more: (own, usual, env) => ({
      MAVEN_OPTS: `${env["MAVEN_OPTS"] ?? ""} -Dmaven.repo.local=${own} -Dmaven.repo.local.tail=${usual}`.trim(),
    }),
  },
];

function cache(
  name: string,
  variable: string,
  folder: string,
  more: Pick<CacheKind, "when" | "fits" | "more">,
): CacheKind {
  return { name, variable, usual: atHome(folder, variable), ...more };
}

export type CacheRequest = {
  /** The command's environment before this change. */
  readonly env: Values;
  readonly home: string;
  readonly project: CacheProject;
  /** Folder of this project's caches: absolute. */
  readonly folder: string;
  readonly hasNetwork: boolean;
  isAllowedHost(host: string): boolean;
  /** True if a command may already write to a path: settings name it, or it lies in the workspace. */
  isWritable(path: string): boolean;
};

/**
 * The variables that give a confined command writable caches, stored per project between sessions. The person's caches
 * are never written; managers that support it read them. A cache that is already writable stays unchanged.
 */
export function packageCaches(request: CacheRequest): Readonly<Record<string, string>> {
  const { env, home, folder, project } = request;
  const found: Record<string, string> = {};
  for (const kind of KINDS) {
    const usual = kind.usual(home, env);
    if (!isWanted(kind, request) || kind.fits?.(project) === false || request.isWritable(usual)) continue;
    const own = join(folder, kind.name);
    Object.assign(found, { [kind.variable]: own }, kind.more?.(own, usual, env, home));
  }
  return found;
}

function isWanted({ when }: CacheKind, { hasNetwork, isAllowedHost }: CacheRequest): boolean {
  if (when === "always") return true;
  if (when === "network") return hasNetwork;
  return hasNetwork && when.hosts.every(isAllowedHost);
}

/** A Go setting, from the environment or from the file that `go env -w` writes. */
function goSetting(name: string, home: string, env: Values): string | undefined {
  if (env[name]) return env[name];
  const text = readSmallFile(join(env["XDG_CONFIG_HOME"] || join(home, ".config"), "go/env"), MAX_SETTINGS_BYTES);
  return text === undefined ? undefined : new RegExp(`^${name}=(.+)$`, "m").exec(text)?.[1]?.trim();
}

function goPath(home: string, env: Values): string {
  return goSetting("GOPATH", home, env)?.split(":")[0] || join(home, "go");
}

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
