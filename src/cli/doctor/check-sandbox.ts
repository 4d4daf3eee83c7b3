import type { ProjectEnvironment } from "../../app/session/project-environment.ts";
import { lazySandbox } from "../../app/session/wire-safety.ts";
import type { Check } from "../../contracts/doctor.ts";
import { artifactFolder } from "../../platform/artifact-folder.ts";
import type { Finding } from "../../services/sandbox/doctor.ts";

/**
 * Reports how commands are confined, like `quoll sandbox doctor`. A missing sandbox is a problem only when settings
 * require one; otherwise Quoll asks about each command.
 */
export async function checkSandbox(place: ProjectEnvironment): Promise<readonly Check[]> {
  const artifacts = artifactFolder(undefined);
  const sandbox = lazySandbox(place, artifacts, { hasTerminal: true });
  const { enabled, failIfUnavailable } = place.settings.sandbox;
  const isRequired = enabled === true || failIfUnavailable === true;
  try {
    return (await sandbox.findings()).map((finding) => checkOf(finding, isRequired));
  } finally {
    await sandbox.close();
    artifacts.dispose();
  }
}

function checkOf({ level, text, fix }: Finding, isRequired: boolean): Check {
  const weight =
    level === "problem" ? (isRequired ? "problem" : "warning") : level === "note" && fix ? "warning" : "ok";
  return { name: "sandbox", level: weight, text: text.replace(/\.$/, ""), ...(fix !== undefined && { fix }) };
}
