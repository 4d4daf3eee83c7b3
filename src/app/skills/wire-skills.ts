import { didYouMean } from "../../contracts/did-you-mean.ts";
import type { Progress } from "../../contracts/display.ts";
import { asToolError, errorMessage, ToolFailedError } from "../../contracts/errors.ts";
import type { Message } from "../../contracts/message.ts";
import { SKILL_TAG, SKILL_TOOL, type Skill } from "../../contracts/skill.ts";
import type { Subject } from "../../contracts/subject.ts";
import { CHARS_PER_TOKEN } from "../../contracts/token-estimate.ts";
import type { ToolContext } from "../../contracts/tool.ts";
import type { AgentCall } from "../../services/tools/agent/agent.ts";
import type { AgentEnd, SkillCall, SkillDeps } from "../../services/tools/skill/skill.ts";
import type { WiredAgents } from "../agent/wire-agents.ts";
import type { SessionParts } from "../session/session-parts.ts";
import type { ForkContext } from "./fork-skill.ts";
import type { OpenSkills } from "./open-skills.ts";
import type { SkillUser } from "./run-skill.ts";
import type { SkillsInForce } from "./skills-in-force.ts";

/** The share of the window that the list of skills in the first message may take. */
const LIST_SHARE = 0.01;
/** The share of the window that the skills in use may take when a compaction attaches them again. */
const IN_USE_SHARE = 0.1;

/** The agent, which is complete when a skill is used. */
type Owner = SkillUser & { readonly session: Pick<SessionParts, "skills" | "delegation" | "notices"> };

type Parts = {
  /** Tokens. */
  windowTokens(): number;
  readonly inForce: SkillsInForce;
  /** Run the agents that skills start. */
  readonly agents: Pick<WiredAgents, "run" | "runParts">;
};

/** The skills of an agent. If there are no skills for the model, no code is loaded, and every text is empty. */
export class AgentSkills implements SkillDeps {
  readonly #agent: Owner;
  readonly #parts: Parts;
  readonly #skills: OpenSkills;
  /** The names that the model has been told. If undefined, the conversation's messages contain them. */
  #known: ReadonlySet<string> | undefined;
  /** The skills at the last check. */
  #seen: readonly Skill[] | undefined;

  constructor(agent: Owner, parts: Parts) {
    this.#agent = agent;
    this.#parts = parts;
    this.#skills = agent.session.skills;
  }

  /** The list for the first message. */
  async list(): Promise<string> {
    this.#remember();
    const listed = this.#listed();
    if (listed.length === 0) return "";
    const { skillList } = await elements();
    return skillList(await this.#skills.byUse(listed), this.#chars(LIST_SHARE));
  }

  /**
   * The texts of skills in use that are not part of `kept`, for the message of a compaction; only the newest if there
   * is no room for all.
   */
  async inUse(messages: readonly Message[], kept: readonly Message[]): Promise<string> {
    if (!messages.some(mayHoldSkill)) return "";
    const { skillsInUse } = await elements();
    const there = skillsInUse(kept);
    const texts = [...skillsInUse(messages)].filter(([name]) => !there.has(name)).map(([, text]) => text);
    const fitting: string[] = [];
    let left = this.#chars(IN_USE_SHARE);
    for (const text of texts.toReversed()) {
      left -= text.length;
      if (left >= 0) fitting.push(text);
    }
    return fitting.toReversed().join("\n");
  }

  /** Looks for changed files. @returns a note about skills that were added and removed since the model got a list. */
  async news(messages: readonly Message[]): Promise<string | undefined> {
    const skills = this.#skills;
    await skills.refresh();
    if (messages.length === 0 || skills.forModel === this.#seen) return undefined;
    const { listedSkills, skillNews } = await elements();
    const before = this.#known ?? listedSkills(messages);
    const now = this.#listed();
    this.#remember();
    if (before === "incomplete") return undefined;
    const added = now.filter(({ name }) => !before.has(name));
    const gone = [...before].filter((name) => !now.some((skill) => skill.name === name));
    return skillNews(added, gone) || undefined;
  }

  /** Called before a call: skills in subfolders, and skills for certain files, join when a call touches them. */
  touched(subjects: readonly Subject[]): Promise<void> {
    return this.#skills.touched(subjects.flatMap(touchedPath));
  }

  /** Called when the conversation is replaced. */
  forget(): void {
    this.#known = undefined;
    this.#seen = undefined;
  }

  async find(name: string): Promise<Skill> {
    const skills = this.#skills;
    await skills.refresh();
    const skill = skills.get(name);
    if (skill && skills.isOff(name)) throw new ToolFailedError(`The user has switched the skill ${name} off.`);
    if (skill?.isForModel && skill.origin !== "builtin") return skill;
    if (skill) throw new ToolFailedError(`Only the user can start the skill ${name}, with /${name}.`);
    const names = skills.forModel.map((one) => one.name);
    throw new ToolFailedError(`There is no skill "${name}". ${didYouMean(name, names)}`.trimEnd());
  }

  /** Called when the person starts this skill: its rules, model and effort apply until the turn ends. */
  async startNamed(name: string): Promise<void> {
    const skill = this.#skills.get(name);
    if (skill) await this.#inForce(skill);
  }

  /** True if a skill has set the model of this turn. */
  get setsModel(): boolean {
    return this.#parts.inForce.setsModel;
  }

  /** Called when the turn has ended: no skill is in use. */
  endUse(): void {
    this.#parts.inForce.end();
  }

  async load(call: SkillCall, signal: AbortSignal): Promise<string> {
    const { skillElement } = await elements();
    await this.#inForce(call.skill, signal).catch(asToolError);
    return skillElement(call.skill, await this.#text(call, signal));
  }

  /**
   * The texts of the skills with which a conversation begins. A line tells the person about a skill that can't be used.
   */
  async texts(names: readonly string[]): Promise<readonly string[]> {
    const texts: string[] = [];
    for (const name of names) {
      try {
        const call = { skill: await this.find(name), argument: "" };
        const { skillElement } = await elements();
        texts.push(skillElement(call.skill, await this.#text(call, new AbortController().signal)));
      } catch (error) {
        this.#agent.session.notices.notify(
          `The conversation continues without the skill ${name}: ${errorMessage(error)}`,
        );
      }
    }
    return texts;
  }

  async runInAgent(call: SkillCall, context: ToolContext, report: (progress: Progress) => void): Promise<AgentEnd> {
    return this.#parts.agents.run(await this.#agentFor(call, context), context, report);
  }

  /**
   * Runs the skill like `inAgent`, for a person who waits for the answer.
   * @param call `context`: text that follows the skill's text.
   * @throws {ToolFailedError} the agent did not finish.
   */
  async answerInAgent(call: SkillCall & { readonly context?: string }, context: ForkContext): Promise<string> {
    const { answerOf } = await import("./fork-skill.ts");
    const agentCall = await this.#agentFor(call, context);
    return answerOf(agentCall, await this.#parts.agents.runParts(), context);
  }

  async #agentFor(
    call: SkillCall & { readonly context?: string },
    { signal }: Pick<ToolContext, "signal">,
  ): Promise<AgentCall> {
    const { assertTypeAllowed, skillAgent } = await import("./fork-skill.ts");
    await this.#inForce(call.skill, signal).catch(asToolError);
    const text = await this.#text(call, signal);
    const prompt = call.context === undefined ? text : `${text}\n\n${call.context}`;
    const agentCall = await skillAgent(call.skill, prompt, this.#agent.session.delegation.types);
    await assertTypeAllowed(agentCall, this.#agent, signal);
    return agentCall;
  }

  /** @param signal Absent if the person was already asked. */
  async #inForce(skill: Skill, signal?: AbortSignal): Promise<void> {
    const { environment, session } = this.#agent;
    const { approveSkill } = session;
    const { permissionsOf } = await import("./skill-permissions.ts");
    const permissions = await permissionsOf(skill, { environment, approveSkill }, signal ? { signal } : {});
    await this.#parts.inForce.begin(skill, permissions);
  }

  async #text(call: SkillCall, signal: AbortSignal): Promise<string> {
    const { skillText } = await import("./run-skill.ts");
    const text = await skillText(call, this.#agent, signal).catch(asToolError);
    await this.#skills.noteUse(call.skill.name);
    return text;
  }

  #listed(): readonly Skill[] {
    return this.#agent.registry.names.includes(SKILL_TOOL) ? this.#skills.forModel : [];
  }

  #remember(): void {
    this.#seen = this.#skills.forModel;
    this.#known = new Set(this.#listed().map(({ name }) => name));
  }

  #chars(share: number): number {
    return this.#parts.windowTokens() * share * CHARS_PER_TOKEN;
  }
}

function elements() {
  return import("../../services/skills/skill-elements.ts");
}

function mayHoldSkill({ role, content }: Message): boolean {
  return role === "user" && JSON.stringify(content).includes(`<${SKILL_TAG} name=`);
}

/** The path that a call itself names: files that a search finds don't count. */
function touchedPath(subject: Subject): readonly string[] {
  if (subject.action !== "read" && subject.action !== "write") return [];
  return subject.isFound || subject.isNameOnly ? [] : [subject.path];
}
