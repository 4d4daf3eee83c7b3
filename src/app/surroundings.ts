import { type Directories, directories } from "../platform/directories.ts";
import { type Environment, environment } from "../platform/env.ts";
import { type Host, host } from "../platform/host.ts";

/** What this process was given: its variables, its machine, and our folders in it. */
export type Surroundings = { readonly env: Environment; readonly machine: Host; readonly own: Directories };

export function surroundings(env = environment()): Surroundings {
  return { env, machine: host(), own: directories(env) };
}
