import { changeFile, withValue } from "../../services/config/change-file.ts";
import { parseSettings } from "../../services/config/parse-settings.ts";

const KEY = "enabledPlugins";

/**
 * Writes into a settings file whether a plugin is enabled; comments stay.
 * @throws {UserFacingError} the file can't be changed.
 */
export function choosePlugin(
  { file, isShared }: { readonly file: string; readonly isShared?: boolean },
  id: string,
  isEnabled: boolean,
): Promise<void> {
  return changeFile({ file, what: "the choice", ...(isShared && { isShared }) }, (text) => {
    parseSettings(text, file);
    return withValue(text, [KEY, id], isEnabled);
  });
}

/** Removes the choice. @throws for the same reasons as `choosePlugin`. */
export function forgetPlugin(id: string, file: string): Promise<void> {
  return changeFile({ file, what: "the choice" }, (text) =>
    parseSettings(text, file).value.enabledPlugins?.[id] === undefined ? text : withValue(text, [KEY, id], undefined),
  );
}
