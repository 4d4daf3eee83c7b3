import { isAbsolute, resolve } from "node:path";
import { withoutAdvice } from "../../contracts/advice.ts";
import { refusalText } from "../../contracts/decided-by.ts";
import { UserFacingError } from "../../contracts/errors.ts";
import { textOf } from "../../contracts/message.ts";
import { outsideCallId } from "../../contracts/served-session.ts";
import { MAX_SKILL_BYTES, type Skill } from "../../contracts/skill.ts";
import { folderSketch, listedName } from "../../platform/folder-sketch.ts";
import { realPathOrSelf } from "../../platform/paths.ts";
import { readSmallFile } from "../../platform/read-small-file.ts";
import type { PermissionService } from "../../services/permission/permission-deps.ts";
import { withoutExitZero } from "../../services/tools/bash/describe-run.ts";
import { type CallingAgent, runOutsideCall } from "../session/actions/run-outside-call.ts";
import type { ProjectEnvironment } from "../session/project-environment.ts";
import type { SessionParts } from "../session/session-parts.ts";
import { permissionsOf, type SkillPlaceFacts } from "./skill-permissions.ts";

const MAX_INCLUDED_BYTES = 100_000;

/** The agent that uses a skill. */
export type SkillUser = CallingAgent & {
  readonly session: Pick<SessionParts, "approveSkill">;
  readonly environment: SkillPlaceFacts & Pick<ProjectEnvironment, "plugins">;
  readonly permissions: PermissionService;
};

export type SkillUse = {
  readonly skill: Skill;
  /** The text after the skill's name. */
  readonly argument: string;
};

/**
 * The text of a skill for the model. The skill's inline commands run first, each as a Bash call under the usual
 * permissions.
 * @throws {UserFacingError} the file does not exist, a command was refused, or a rule of `disallowed-tools` is invalid.
 * @throws the abort reason of `signal`.
 */
export async function skillText({ skill, argument }: SkillUse, agent: SkillUser, signal: AbortSignal): Promise<string> {
  const { session, environment, workspace, permissions } = agent;
  const source = `the skill ${skill.name}`;
  // Before anything of the skill runs: an invalid rule would not deny what it should.
  permissions.leaseRules({ allow: [], deny: skill.disallowedTools }, source)();
  const { expandSkill } = await import("../../services/skills/expand-skill.ts");
  const text = await fileText(skill);
  const { sessionId } = session.conversation.log;
  const plugin = environment.plugins.find(({ name }) => name === skill.plugin);
  const approved = await permissionsOf(skill, { environment, approveSkill: session.approveSkill }, { signal, text });
  const end = approved.isApproved ? permissions.leaseRules({ allow: skill.allowedTools, deny: [] }, source) : undefined;
  const expanding = expandSkill(skill, {
    text,
    argument,
    variables: {
      SESSION_ID: sessionId,
      SKILL_DIR: skill.folder,
      PROJECT_DIR: environment.project.root,
      ...(plugin && { PLUGIN_ROOT: plugin.root, PLUGIN_DATA: plugin.data }),
    },
    run: async (command) =>
      approved.isApproved ? runInline(command, skill, agent, signal) : notRun(command, approved.why),
    read: async (path) => includedText(path, workspace.cwd, permissions),
  });
  const expanded = await expanding.finally(end);
  return (await session.redactor()).redact(`${expanded.trimEnd()}${folderFiles(skill, permissions)}`);
}

/** Lists the other files of a skill's folder, so that the model does not have to search for them. */
function folderFiles({ format, folder, file }: Skill, permissions: PermissionService): string {
  if (format !== "skill" || folder === "") return "";
  const { names, isWhole } = folderSketch(folder, (path) => path === file || permissions.isHidden(path));
  if (names.length === 0) return "";
  return `\n\nFiles in the skill's folder${isWhole ? "" : " (not all)"}: ${names.map(listedName).join(" ")}`;
}

/** The prompt of a person who starts a skill. The text of a command is used without a header. Throws as `skillText`. */
export async function skillPrompt(use: SkillUse, agent: SkillUser, signal: AbortSignal): Promise<string> {
  const { skill, argument } = use;
  const text = await skillText(use, agent, signal);
  if (skill.format !== "skill") return text;
  const { skillElement } = await import("../../services/skills/skill-elements.ts");
  return `${`/${skill.name} ${argument}`.trim()}\n\n${skillElement(skill, text)}`;
}

/** @throws {UserFacingError} the file does not exist. */
async function fileText(skill: Skill): Promise<string> {
  if (skill.origin === "builtin") {
    const { BUILTIN_TEXTS } = await import("../../services/skills/builtin-texts.ts");
    return BUILTIN_TEXTS[skill.name] ?? "";
  }
  const text = readSmallFile(skill.file, MAX_SKILL_BYTES);
  if (text === undefined) throw new UserFacingError(`${skill.file} can't be read: /${skill.name} was not started.`);
  return text;
}

/** The output of a command, even if the command fails. @throws {UserFacingError} the command was refused. */
async function runInline(command: string, { name }: Skill, agent: SkillUser, signal: AbortSignal): Promise<string> {
  const input = { command, description: `A command of /${name}` };
  const call = { id: outsideCallId(agent.session.app.ids.next()), name: "Bash", input };
  const { result, display, denials } = await runOutsideCall(agent, call, { signal });
  signal.throwIfAborted();
  const [refusal] = denials;
  const text = withoutAdvice(textOf(result.content));
  const succeeded = display?.kind === "command" && display.exitCode === 0;
  if (!refusal) return succeeded ? withoutExitZero(text) : text;
  throw new UserFacingError(
    `/${name} was not started, because its command \`${command}\` was ${refusalText(refusal.decidedBy)}.`,
  );
}

function notRun(command: string, why: string): string {
  return `[not run, because ${why}: ${command}]`;
}

/** The text of a file that the model may read without asking. */
function includedText(path: string, cwd: string, permissions: PermissionService): string | undefined {
  const real = realPathOrSelf(isAbsolute(path) ? path : resolve(cwd, path));
  if (permissions.isHidden(real) || !permissions.mayRead(real)) return undefined;
  const text = readSmallFile(real, MAX_INCLUDED_BYTES);
  return text?.includes("\0") ? undefined : text;
}
