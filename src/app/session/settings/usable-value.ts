import type { OutputStyle } from "../../../contracts/output-style.ts";
import type { SettingEdit } from "../../../contracts/settings-view.ts";
import { findEditor } from "../../../platform/edit-file.ts";
import type { Environment } from "../../../platform/env.ts";
import { contentFolders, STYLE_FOLDERS } from "../../content-folders.ts";
import { styleNamed } from "../session-prompt.ts";
import type { FolderSettings } from "./folder-settings.ts";
import { themeNamed } from "./themes.ts";

/** The setting that names a theme. */
export const THEME_KEY = "terminal.theme";

type Around = {
  readonly userSettingsFile: string;
  readonly env: Environment;
  styles(): Promise<readonly OutputStyle[]>;
};

/** @throws {UserFacingError} (as a rejection) the value names a theme, a style or an editor that does not exist. */
export async function assertUsable(edit: SettingEdit, { env, styles, ...environment }: Around): Promise<void> {
  if (edit.what !== "set") return;
  const { key, value } = edit;
  if (key === THEME_KEY) await themeNamed(environment, value);
  if (key === "terminal.editor") findEditor(value, env);
  if (key === "outputStyle") styleNamed(value, await styles());
}

/** Like `assertUsable`, where no session runs: plugins are not read, so their styles (`plugin:style`) are not looked for. */
export async function assertUsableInShell(edit: SettingEdit, folder: FolderSettings): Promise<void> {
  if (edit.what === "set" && edit.key === "outputStyle" && edit.value.includes(":")) return;
  await assertUsable(edit, {
    userSettingsFile: folder.paths.user,
    env: folder.env,
    styles: async () => {
      const { listOutputStyles } = await import("../../../services/context/output-styles.ts");
      const { env, own, project } = folder;
      const folders = contentFolders({}, { env, own, project, plugins: [], isTrusted: true }, STYLE_FOLDERS);
      const names = { isHidden: () => false, redact: async (text: string) => text, notify: () => undefined };
      return listOutputStyles(folders, undefined, names);
    },
  });
}
