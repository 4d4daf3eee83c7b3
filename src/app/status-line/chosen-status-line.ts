import type { ProjectConfig } from "../../contracts/session-config.ts";
import type { StatusLineSettings } from "../../contracts/status-line-schema.ts";
import type { LoadedSettings } from "../../services/config/load-settings.ts";
import { statusLineApprovable } from "../../services/trust/status-line-approvable.ts";
import type { ProjectEnvironment } from "../session/project-environment.ts";
import { unknownNames } from "./fill-template.ts";
import { lineOf, type WrittenLine } from "./project-status-line.ts";

/** The status line setting that takes effect. */
export type ChosenStatusLine = WrittenLine & {
  readonly settings: StatusLineSettings;
  readonly file: string;
  readonly isOfProject: boolean;
};

type Place = Pick<ProjectEnvironment, "project" | "isTrusted" | "approvals">;

/**
 * The status line of the highest layer that has one and may set it: a project's is used in a trusted folder, and its
 * command only if the person approved its current content. If only the administrator's hooks run, only the
 * administrator's status line runs.
 * @returns `problems`: one line for each setting that has no effect.
 */
export function chosenStatusLine(
  loaded: Pick<LoadedSettings, "layers" | "hasManagedHooksOnly">,
  { isBare }: Pick<ProjectConfig, "isBare">,
  place: Place,
): { readonly chosen: ChosenStatusLine | undefined; readonly problems: readonly string[] } {
  const problems: string[] = [];
  for (const { name, value, file } of loaded.layers.toReversed()) {
    if (!value.statusLine || (isBare && name !== "managed" && name !== "settings-flag")) continue;
    const line = lineOf(value.statusLine);
    const isOfProject = name === "project";
    const obstacle = !line
      ? "it has neither a command nor a template"
      : loaded.hasManagedHooksOnly && name !== "managed"
        ? "the settings disable commands of this kind (disableAllHooks or allowManagedHooksOnly)"
        : isOfProject
          ? projectObstacle(line, file, place)
          : undefined;
    const unknown = line?.type === "template" ? unknownNames(line.text) : [];
    if (line && obstacle === undefined) {
      if (unknown.length > 0) problems.push(`${file}: the template has unknown names: ${unknown.join(", ")}.`);
      return { chosen: { ...line, settings: value.statusLine, file, isOfProject }, problems };
    }
    problems.push(`${file}: its statusLine has no effect, because ${obstacle}.`);
  }
  return { chosen: undefined, problems };
}

function projectObstacle({ type, text }: WrittenLine, file: string, place: Place): string | undefined {
  if (!place.isTrusted) return "this folder is not trusted";
  if (type === "template") return undefined;
  const state = place.approvals.state(statusLineApprovable(text, file, place.project.root));
  if (state === "approved") return undefined;
  return state === "changed" ? "it has changed since you approved it" : "you have not approved it";
}
