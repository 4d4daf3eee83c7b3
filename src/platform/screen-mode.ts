import type { ScreenSetting } from "../contracts/terminal-settings.ts";
import type { Environment } from "./env.ts";

/** How the terminal is drawn on: below its own history, or in plain lines without redraws. */
export type ScreenMode = "inline" | "plain";

/** Variables by which people tell programs that a screen reader is there, or that wish for lines. */
const READER_VARIABLES = ["ACCESSIBLE", "CLAUDE_AX_SCREEN_READER"];

/**
 * The way to draw. A terminal that cannot move its cursor (TERM=dumb) always gets plain lines; otherwise the flag decides,
 * then the setting, then the variables.
 */
export function screenMode(
  env: Environment,
  {
    isPlain = false,
    setting = "auto",
  }: { readonly isPlain?: boolean; readonly setting?: ScreenSetting | undefined } = {},
): ScreenMode {
  if (env["TERM"] === "dumb" || isPlain) return "plain";
  if (setting !== "auto") return setting;
  return READER_VARIABLES.some((name) => isSet(env[name])) || isSet(env["CI"]) ? "plain" : "inline";
}

/** True for a variable that is there and means yes. */
function isSet(value: string | undefined): boolean {
  return value !== undefined && value !== "" && value !== "0" && value.toLowerCase() !== "false";
}
