import { oneLine } from "@quoll/terminal-text/one-line";
import { leftOutLine } from "../../app/session/notices/notify-left-out.ts";
import { openSkills } from "../../app/skills/open-skills.ts";
import type { ContentWarning } from "../../contracts/content-folder.ts";
import { systemClock } from "../../platform/clock.ts";
import { printProblem } from "../../platform/host.ts";
import { printLine } from "../../platform/standard-output.ts";
import type { InventoryOptions } from "../invocation.ts";
import { projectHere } from "../project-here.ts";

/** `quoll inventory skills`: the skills and commands of files that a session here would have. */
export async function listSkills({ json, trust, deny = [] }: InventoryOptions): Promise<number> {
  const environment = await projectHere({ trust });
  const leftOut: ContentWarning[] = [];
  const { all } = await openSkills({}, environment, {
    onWarning: (warning) => leftOut.push(warning),
    clock: systemClock,
  });
  if (leftOut.length > 0) printProblem(leftOutLine(leftOut));
  const entries = all
    .filter(({ name }) => !deny.some((prefix) => name.toLowerCase().startsWith(prefix.toLowerCase())))
    .map(({ name, origin: source, description: summary, isForModel, isForUser, file }) => ({
      kind: "skill",
      name,
      source,
      level: "none",
      summary: oneLine(summary),
      isForModel,
      isForUser,
      file,
    }));
  if (json) printLine(JSON.stringify(entries, null, 2));
  else for (const { name, source, summary } of entries) printLine(`/${name}  ${source}  ${summary}`);
  return 0;
}
