import { resolve } from "node:path";
import type { App } from "../../app/open-app.ts";
import type { ProjectPorts } from "../../app/session/settle-trust.ts";
import { UserFacingError } from "../../contracts/errors.ts";
import type { SessionOptions } from "../invocation.ts";
import { projectConfigOf } from "./session-config.ts";

/** The options of a session, and the end of its worktree. */
export type PlacedOptions = {
  readonly options: SessionOptions;
  /** Called after the session is closed. @returns a line about a worktree that stays. */
  leave(): Promise<string | undefined>;
};

/**
 * With `--worktree`, makes the worktree and gives the options with which a session works in it.
 * @throws {UserFacingError} the worktree can't be made.
 */
export async function inWorktree(
  options: SessionOptions,
  { app, startedIn }: { readonly app: App; readonly startedIn: string },
  ports: ProjectPorts,
): Promise<PlacedOptions> {
  const { worktree, worktreeBase: base } = options;
  if (worktree === undefined) {
    if (base !== undefined) throw new UserFacingError("--worktree-base needs --worktree.", 2);
    return { options, leave: async () => undefined };
  }
  const { openSessionWorktree } = await import("../../app/worktree/session-worktree.ts");
  const config = projectConfigOf(options, startedIn);
  const request = { ...(worktree !== true && { name: worktree }), ...(base !== undefined && { base }) };
  const { cwd, leave } = await openSessionWorktree(app, { config, request }, ports);
  return { options: { ...options, ...absolutePaths(options, config.cwd), cwd }, leave };
}

/** Paths in options are relative to the folder that the person named, not to the worktree. */
function absolutePaths({ addDir, settings, mcpConfig }: SessionOptions, folder: string): Partial<SessionOptions> {
  const absolute = (path: string) => (path.trimStart().startsWith("{") ? path : resolve(folder, path));
  return {
    ...(addDir && { addDir: addDir.map(absolute) }),
    ...(settings !== undefined && { settings: absolute(settings) }),
    ...(mcpConfig && { mcpConfig: mcpConfig.map(absolute) }),
  };
}
