import { lazy } from "@quoll/async/lazy";
import { oneLine } from "@quoll/terminal-text/one-line";
import type { AgentDefinition, ShadowedAgent } from "../../contracts/agent-definition.ts";
import type { ContentWarning } from "../../contracts/content-folder.ts";
import { ToolFailedError } from "../../contracts/errors.ts";
import type { JsonObject } from "../../contracts/message.ts";
import type { SessionConfig } from "../../contracts/session-config.ts";
import { shortPath } from "../../platform/directories.ts";
import { BUILTIN_AGENTS } from "../../services/agents/builtin-agents.ts";
import { findAgent, firstByName } from "../../services/agents/find-agent.ts";
import type { ReadAgent } from "../../services/agents/read-agent.ts";
import { AGENT_FOLDERS, contentFolders } from "../content-folders.ts";
import type { ProjectEnvironment } from "../session/project-environment.ts";
import type { AgentFiles } from "./read-agent-files.ts";

const MAX_PROBLEM_COLUMNS = 200;

type Config = Pick<SessionConfig, "isBare" | "settingSources" | "agents">;
type Sources = Pick<ProjectEnvironment, "env" | "own" | "project" | "plugins" | "isTrusted" | "settings">;

/**
 * Finds the definitions of the command line, the project, the user and plugins.
 * @param onProblem Called with each problem.
 */
export async function openAgentTypes(
  config: Config,
  sources: Sources,
  onProblem: (problem: Problem) => void,
): Promise<AgentTypes> {
  const types = new AgentTypes(config, sources);
  await types.refresh();
  if (config.agents) await types.prepareAdding();
  const given = config.agents ? types.add(config.agents) : [];
  for (const problem of [...given, ...types.warnings]) onProblem(problem);
  return types;
}

type Problem = Omit<ContentWarning, "file">;
type ToolChecks = typeof import("./check-tool-lists.ts");

/** Loaded with the first definition. */
function toolChecks(): Promise<ToolChecks> {
  return import("./check-tool-lists.ts");
}

/** The types of agents that a session can start. If there is no folder of definitions, no file is read. */
export class AgentTypes {
  readonly #config: Config;
  readonly #sources: Sources;
  readonly #adding = lazy(async () => {
    const [{ readAgent }, checks] = await Promise.all([import("../../services/agents/read-agent.ts"), toolChecks()]);
    return { readAgent, checks };
  });
  #given: readonly AgentDefinition[] = [];
  #ofFiles: readonly AgentDefinition[] = [];
  /** By name, the reason why a definition that must not start is not used. */
  readonly #faults = new Map<string, string>();
  #files: AgentFiles | undefined;
  warnings: readonly ContentWarning[] = [];

  constructor(config: Config, sources: Sources) {
    this.#config = config;
    this.#sources = sources;
  }

  /** For each name, the definition with the highest precedence: those of the command line first, those of Quoll last. */
  get all(): readonly AgentDefinition[] {
    return [...firstByName(this.#inOrder()).values()];
  }

  /** The definitions that the tool's own description does not mention. */
  get listed(): readonly AgentDefinition[] {
    return this.all.filter(({ origin }) => origin !== "builtin");
  }

  get shadowed(): readonly ShadowedAgent[] {
    const all = this.#inOrder();
    const byName = firstByName(all);
    return all.flatMap((agent) => {
      const by = byName.get(agent.name);
      return by && by !== agent ? [{ agent, by }] : [];
    });
  }

  /** Reads the files again. */
  async refresh(): Promise<void> {
    const folders = () => contentFolders(this.#config, this.#sources, AGENT_FOLDERS);
    if (!this.#files && folders().length === 0) return;
    const [{ agentFiles }, checks] = await Promise.all([import("./read-agent-files.ts"), toolChecks()]);
    this.#files ??= agentFiles(folders);
    if (!(await this.#files.refresh())) return;
    this.#faults.clear();
    const checked = this.#files.all.map(({ file: { path }, value }) => ({ path, read: this.#checked(value, checks) }));
    this.#ofFiles = checked.flatMap(({ read }) => (read.agent ? [read.agent] : []));
    const { home } = this.#sources.own;
    this.warnings = checked.flatMap(({ path, read }) =>
      problemsOf(shortPath(path, home), read).map((problem) => ({ file: path, ...problem })),
    );
  }

  /** @throws {ToolFailedError} if there is no such type. */
  async find(name: string): Promise<AgentDefinition> {
    await this.refresh();
    const fault = this.#faults.get(name.toLowerCase());
    if (fault !== undefined) throw new ToolFailedError(`${fault}.`);
    return findAgent(this.all, name);
  }

  /** Leaves out an agent that would start without one of its restrictions. */
  #checked({ agent: read, problems }: ReadAgent, { withKnownTools, disallowedFault }: ToolChecks): ReadAgent {
    if (!read) return { problems };
    const { agent, leftOut } = withKnownTools(read);
    const fault = disallowedFault(agent, this.#sources);
    if (fault === undefined) return { agent, problems: leftOut === undefined ? problems : [...problems, leftOut] };
    this.#faults.set(agent.name.toLowerCase(), `the agent ${agent.name}: ${fault}`);
    return { problems: [...problems, `${fault}; the agent is not used`] };
  }

  /** Loads the code that `add` needs. */
  async prepareAdding(): Promise<void> {
    await this.#adding();
  }

  /**
   * Adds the agents of the program that drives Quoll, after `prepareAdding`.
   * @returns the problems.
   */
  add(given: Readonly<Record<string, JsonObject>>): readonly Problem[] {
    const { value: code } = this.#adding;
    if (!code) throw new Error("Agents were added before the code that reads them was loaded.");
    const { readAgent, checks } = code;
    const reads = Object.entries(given).map(([name, { prompt, ...fields }]) => {
      const read = readAgent({ origin: "cli", file: "", name }, { ...fields, name }, String(prompt ?? ""));
      return { name, read: this.#checked(read, checks) };
    });
    const added = reads.flatMap(({ read }) => (read.agent ? [read.agent] : []));
    this.#given = [...added, ...this.#given.filter(({ name }) => !added.some((one) => one.name === name))];
    return reads.flatMap(({ name, read }) => problemsOf(`Agent ${name}`, read));
  }

  #inOrder(): readonly AgentDefinition[] {
    return [...this.#given, ...this.#ofFiles, ...this.#builtinAgents()];
  }

  /** With the model that the current settings give Explore. */
  #builtinAgents(): readonly AgentDefinition[] {
    const model = this.#sources.settings.agents?.exploreModel;
    if (model === undefined) return BUILTIN_AGENTS;
    return BUILTIN_AGENTS.map((one) => (one.name === "Explore" ? { ...one, model } : one));
  }
}

/** The last problem is the reason why a definition is not used. */
function problemsOf(where: string, { agent, problems }: ReadAgent): readonly Problem[] {
  return problems.map((problem, at) => ({
    line: `${where}: ${oneLine(problem, MAX_PROBLEM_COLUMNS)}.`,
    isUnused: !agent && at === problems.length - 1,
  }));
}
