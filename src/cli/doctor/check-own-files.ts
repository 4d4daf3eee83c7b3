import { openAgentTypes } from "../../app/agent/agent-types.ts";
import type { ProjectEnvironment } from "../../app/session/project-environment.ts";
import { openSkills } from "../../app/skills/open-skills.ts";
import type { Check } from "../../contracts/doctor.ts";
import type { ProjectConfig } from "../../contracts/session-config.ts";
import { systemClock } from "../../platform/clock.ts";

/** The maximum number of lines of each kind. */
const MAX_LINES = 200;

/** Lists what of the agents, skills and commands is left out or renamed. */
export async function checkOwnFiles(place: ProjectEnvironment, config: ProjectConfig): Promise<readonly Check[]> {
  const types = await openAgentTypes(config, place, () => undefined);
  const skills = await openSkills(config, place, { warn: () => undefined, clock: systemClock });
  return [
    ...checks("agent", "warning", types.warnings, "quoll agents"),
    ...checks("skill", "warning", skills.warnings, "/skills"),
    ...checks("skill", "ok", skills.renamed, "/skills"),
  ];
}

function checks(name: string, level: Check["level"], lines: readonly string[], list: string): readonly Check[] {
  const more = lines.length - MAX_LINES;
  const rest = more > 0 ? [`${more} more: ${list} lists them`] : [];
  return [...lines.slice(0, MAX_LINES), ...rest].map((text) => ({ name, level, text }));
}
