import type { Editors } from "../../../contracts/machine-views.ts";
import type { Environment } from "../../../platform/env.ts";
import { findProgram } from "../../../platform/processes/find-program.ts";
import type { ProjectEnvironment } from "../project-environment.ts";

/** Editors with the arguments that make them wait until the file is closed. */
const KNOWN = [
  ...["nvim", "vim", "vi", "hx", "nano", "micro", "emacs -nw"],
  ...["code --wait", "cursor --wait", "zed --wait", "subl --wait"],
];

type EditorEnvironment = Pick<ProjectEnvironment, "env" | "settings">;

/** The editor for files and drafts, and installed alternatives. */
export function editors({ env, settings }: EditorEnvironment): Editors {
  const path = env["PATH"] ?? "";
  const found = KNOWN.filter((command) => findProgram(command.split(" ")[0] ?? "", path) !== undefined);
  const chosen = settings.terminal?.editor;
  const own = chosen === undefined ? undefined : { command: chosen, from: "the setting terminal.editor" };
  const named = ["VISUAL", "EDITOR"].flatMap((name) => (env[name] ? [{ command: env[name], from: `$${name}` }] : []));
  return { current: own ?? named[0], found };
}

/** The environment with the chosen editor. */
export function withEditor(env: Environment, { settings }: Pick<EditorEnvironment, "settings">): Environment {
  const editor = settings.terminal?.editor;
  return editor === undefined ? env : { ...env, VISUAL: editor };
}
