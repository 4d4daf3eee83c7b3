import type { Engine } from "../contracts/engine.ts";
import { UserFacingError } from "../contracts/errors.ts";
import type { PermissionMode } from "../contracts/permission-mode.ts";

/**
 * Enters the wanted mode, or the first allowed mode after it.
 * @returns why each skipped mode is not allowed, one line each.
 */
export function enterMode(engine: Engine, modes: readonly PermissionMode[], wanted: PermissionMode): readonly string[] {
  const obstacles: string[] = [];
  const from = Math.max(0, modes.indexOf(wanted));
  for (const mode of [...modes.slice(from), ...modes.slice(0, from)]) {
    if (mode === engine.state.mode) return obstacles;
    try {
      engine.setMode(mode);
      return obstacles;
    } catch (error) {
      if (!(error instanceof UserFacingError)) throw error;
      obstacles.push(error.message);
    }
  }
  return obstacles;
}
