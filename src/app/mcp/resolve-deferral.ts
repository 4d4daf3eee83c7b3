import { UserFacingError } from "../../contracts/errors.ts";
import type { Settings } from "../../contracts/settings.ts";
import type { ToolDeferral } from "../../contracts/tool-offer.ts";
import type { Environment } from "../../platform/env.ts";

const VARIABLE = "ENABLE_TOOL_SEARCH";
const WORDS: ReadonlyMap<string, ToolDeferral> = new Map([
  ["auto", "auto"],
  ["always", "always"],
  ["true", "always"],
  ["never", "never"],
  ["false", "never"],
]);

/**
 * Decides when MCP tools and rare tools are deferred: by the setting, otherwise by the variable.
 * @throws {UserFacingError} (exit 2) the variable has an unknown value.
 */
export function resolveDeferral({ tools }: Pick<Settings, "tools">, environment: Environment): ToolDeferral {
  const text = tools.defer ?? environment[VARIABLE]?.trim();
  if (text === undefined || text === "") return "auto";
  const percent = /^auto:(\d{1,3})$/.exec(text)?.[1];
  const known = percent === undefined ? WORDS.get(text) : { percent: Number(percent) };
  if (known) return known;
  throw new UserFacingError(
    `${VARIABLE} is "${text.slice(0, 40)}": it must be true, false, auto, or auto:N with a percentage of the window.`,
    2,
  );
}
