import { readFileSync } from "node:fs";
import { orUndefined } from "../contracts/or-undefined.ts";
import { SCREEN_SETTINGS, type ScreenSetting } from "../contracts/terminal-settings.ts";
import type { Environment } from "./env.ts";

/** How the terminal is drawn on: below its own history, on its second screen, or in plain lines without redraws. */
export type ScreenMode = Exclude<ScreenSetting, "auto">;

/** Variables by which people tell programs that a screen reader is in use, or that they want plain lines. */
const READER_VARIABLES = ["ACCESSIBLE", "CLAUDE_AX_SCREEN_READER"];

/**
 * The way to draw. A terminal that cannot move its cursor (TERM=dumb) always gets plain lines; otherwise the flag decides,
 * then the setting, then the variables.
 */
export function screenMode(
  env: Environment,
  {
    flag,
    setting = "auto",
  }: { readonly flag?: ScreenMode | undefined; readonly setting?: ScreenSetting | undefined } = {},
): ScreenMode {
  if (env["TERM"] === "dumb") return "plain";
  if (flag) return flag;
  if (setting !== "auto") return setting;
  return READER_VARIABLES.some((name) => isSet(env[name])) || isSet(env["CI"]) ? "plain" : "inline";
}

/** True for a variable that is set to a value that means yes. */
function isSet(value: string | undefined): boolean {
  return value !== undefined && value !== "" && value !== "0" && value.toLowerCase() !== "false";
}

const IN_FILE = new RegExp(`^(?!\\s*//).*"screen"\\s*:\\s*"(${SCREEN_SETTINGS.join("|")})"`, "m");

/**
 * The setting in a settings file before the settings are read, so that nothing is drawn that the person does not want.
 * If the file sets the screen in another way, the only cost is a screen that is drawn and then removed.
 */
export function earlyScreenSetting(file: string): ScreenSetting | undefined {
  const found = IN_FILE.exec(orUndefined(() => readFileSync(file, "utf8")) ?? "")?.[1];
  return SCREEN_SETTINGS.find((one) => one === found);
}
