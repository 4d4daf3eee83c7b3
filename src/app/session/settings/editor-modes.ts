import type { EditorModes } from "../../../contracts/command.ts";
import type { ProjectEnvironment } from "../project-environment.ts";

/** The editing mode of the prompt, saved in the user's settings for all projects. */
export function editorModes({
  settings,
  userSettingsFile,
  live,
}: Pick<ProjectEnvironment, "settings" | "userSettingsFile" | "live">): EditorModes {
  let current = settings.terminal?.editorMode ?? "plain";
  return {
    get current() {
      return current;
    },
    use(mode) {
      current = mode;
    },
    async choose(mode) {
      const { rememberSetting } = await import("../../../services/config/remember-rules.ts");
      await rememberSetting({ file: userSettingsFile, what: "the setting" }, ["terminal", "editorMode"], mode);
      current = mode;
      await live.written();
    },
  };
}
