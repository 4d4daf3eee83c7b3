import type { Authorize, PermissionEngine } from "../../src/contracts/permission.ts";

/** The same engine, whose verdicts are observed. */
export function watchedPermissions(
  engine: PermissionEngine,
  watch: (authorize: Authorize) => Authorize,
): PermissionEngine {
  return {
    get mode() {
      return engine.mode;
    },
    set mode(mode) {
      engine.mode = mode;
    },
    authorize: watch((request, signal) => engine.authorize(request, signal)),
    hiddenTools: (names) => engine.hiddenTools(names),
    matches: (rule, call) => engine.matches(rule, call),
    describe: () => engine.describe(),
  };
}
