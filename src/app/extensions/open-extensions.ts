import type { ProjectConfig } from "../../contracts/session-config.ts";
import { contentFolders, EXTENSION_FOLDERS } from "../content-folders.ts";
import type { ExtensionEnvironment } from "./chosen-extensions.ts";
import type { OpenExtensions, OpeningExtensions } from "./session-extensions.ts";

const NO_EXTENSIONS: OpenExtensions = {
  tools: [],
  hooks: undefined,
  fileMatchers: [],
  view: { list: () => [] },
  commands: () => [],
  providers: new Map(),
  statusTexts: () => [],
  onStatus: () => undefined,
  renderer: () => undefined,
  shadowed: () => "",
  models: [],
  noticeChanges: () => undefined,
  savedAs: () => undefined,
  notifyThrough: () => undefined,
  logBy: () => undefined,
};

/** Loads the extensions of a session. Without a folder of extensions, the code for extensions is not loaded. */
export async function openExtensions(
  config: ProjectConfig,
  environment: ExtensionEnvironment,
  opening: OpeningExtensions,
): Promise<OpenExtensions> {
  const folders = contentFolders(config, environment, EXTENSION_FOLDERS);
  if (folders.length === 0) return NO_EXTENSIONS;
  const { loadExtensions } = await import("./load-extensions.ts");
  return loadExtensions(folders, environment, opening);
}
