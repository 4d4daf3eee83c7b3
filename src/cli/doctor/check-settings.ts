import { join } from "node:path";
import type { ProcessEnvironment } from "../../app/process-environment.ts";
import { compileProjectRules } from "../../app/session/compile-project-rules.ts";
import { openProjectEnvironment, type ProjectEnvironment } from "../../app/session/project-environment.ts";
import type { Check } from "../../contracts/doctor.ts";
import { UserFacingError } from "../../contracts/errors.ts";
import type { ProjectConfig } from "../../contracts/session-config.ts";
import { SETTING_SOURCES, type SettingSource } from "../../contracts/setting-sources.ts";
import { entryExists } from "../../platform/paths.ts";

export type SettingsChecked = {
  readonly checks: readonly Check[];
  /** Opened with the readable settings files; undefined if that fails. */
  readonly environment: ProjectEnvironment | undefined;
};

/** Reads every settings file separately, so that a broken file hides neither the other files nor the later checks. */
export async function checkSettings(around: ProcessEnvironment, config: ProjectConfig): Promise<SettingsChecked> {
  const warnings = new Set<string>();
  const problems = new Set<string>();
  const open = (part: ProjectConfig, notify: (line: string) => void) =>
    openProjectEnvironment(around, part, { startupWarning: notify }).catch((error: unknown) => {
      if (!(error instanceof UserFacingError)) throw error;
      problems.add(error.message);
      return undefined;
    });
  const whole = await open(config, (line) => warnings.add(line));
  if (whole) {
    const broken = brokenRules(whole, (line) => warnings.add(line));
    const found = broken.length === 0 ? filesRead(whole) : [];
    return { environment: whole, checks: [...checksOf(broken, warnings), ...found] };
  }
  const first = [...problems];
  problems.clear();
  const { settings, ...bare } = config;
  const ignore = () => undefined;
  const readable: SettingSource[] = [];
  for (const source of SETTING_SOURCES)
    if (await open({ ...bare, settingSources: [source] }, ignore)) readable.push(source);
  const withFlag = settings !== undefined && (await open({ ...config, settingSources: [] }, ignore)) !== undefined;
  const part = { ...bare, settingSources: readable, ...(withFlag && { settings }) };
  const environment = await open(part, (line) => warnings.add(line));
  // One result for each layer; errors that belong to no layer come last.
  const broken = environment ? brokenRules(environment, (line) => warnings.add(line)) : [];
  return { environment, checks: checksOf([...new Set([...problems, ...first, ...broken])], warnings) };
}

/** The problems that prevent a session from starting, rule by rule. */
function brokenRules(environment: ProjectEnvironment, notify: (line: string) => void): readonly string[] {
  return environment.rules.flatMap((rule) => {
    try {
      for (const warning of compileProjectRules(environment, [rule]).warnings) notify(warning);
      return [];
    } catch (error) {
      if (!(error instanceof UserFacingError)) throw error;
      return [error.message];
    }
  });
}

function checksOf(problems: readonly string[], warnings: ReadonlySet<string>): readonly Check[] {
  const fix = "Correct this setting: until then, no session starts here.";
  return [
    ...problems.map((text): Check => ({ name: "settings", level: "problem", text, fix })),
    ...[...warnings].map((text): Check => ({ name: "settings", level: "warning", text })),
  ];
}

function filesRead({ own, project, ownSettingsFile }: ProjectEnvironment): readonly Check[] {
  const files = [join(own.config, "settings.json"), join(project.root, ".quoll", "settings.json"), ownSettingsFile];
  const found = files.filter(entryExists);
  return [
    {
      name: "settings",
      level: "ok",
      text: found.length === 0 ? "no settings file: the defaults apply" : found.join(", "),
    },
  ];
}
