import { homedir } from "node:os";
import { join, relative } from "node:path";
import type { Environment } from "./env.ts";

/** Quoll's own folders, following XDG; all absolute. */
export type Directories = {
  readonly config: string;
  readonly data: string;
  readonly state: string;
  readonly cache: string;
  readonly home: string;
};

/** `QUOLL_HOME` puts all four under one folder; a relative XDG value is ignored, as its specification says. */
export function directories(env: Environment): Directories {
  const home = env["HOME"] || homedir();
  const own = env["QUOLL_HOME"];
  if (own) {
    const under = (name: string) => join(own, name);
    return { config: under("config"), data: under("data"), state: under("state"), cache: under("cache"), home };
  }
  const xdg = (name: string, fallback: string) => {
    const value = env[name];
    return join(value?.startsWith("/") ? value : join(home, fallback), "quoll");
  };
  return {
    config: xdg("XDG_CONFIG_HOME", ".config"),
    data: xdg("XDG_DATA_HOME", ".local/share"),
    state: xdg("XDG_STATE_HOME", ".local/state"),
    cache: xdg("XDG_CACHE_HOME", ".cache"),
    home,
  };
}

/** A path in short form: `~/src/shop`. @param root A path in this folder is given relative to it. */
export function shortPath(path: string, home: string, root?: string): string {
  const below = root === undefined ? ".." : relative(root, path);
  if (below !== ".." && !below.startsWith("../")) return below;
  const inside = relative(home, path);
  if (inside === "") return "~";
  return inside.startsWith("..") ? path : join("~", inside);
}
