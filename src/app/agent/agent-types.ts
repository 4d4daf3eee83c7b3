import { oneLine } from "@quoll/terminal-text/one-line";
import type { AgentDefinition, ShadowedAgent } from "../../contracts/agent-definition.ts";
import type { ContentFolder } from "../../contracts/content-folder.ts";
import { ToolFailedError } from "../../contracts/errors.ts";
import type { JsonObject } from "../../contracts/message.ts";
import type { SessionConfig } from "../../contracts/session-config.ts";
import { shortPath } from "../../platform/directories.ts";
import { BUILTIN_AGENTS } from "../../services/agents/builtin-agents.ts";
import { findAgent } from "../../services/agents/find-agent.ts";
import type { ReadAgent } from "../../services/agents/read-agent.ts";
import { AGENT_FOLDERS, contentFolders } from "../content-folders.ts";
import type { ProjectEnvironment } from "../session/project-environment.ts";
import type { AgentFiles } from "./read-agent-files.ts";

const MAX_PROBLEM_COLUMNS = 200;

/** The types of agents that a session can start. If there is no folder of definitions, no file is read. */
export type AgentTypes = {
  /**
   * For each name, the definition with the highest precedence: those of the command line first, those of Quoll last.
   */
  readonly all: readonly AgentDefinition[];
  /** The definitions that the tool's own description does not mention. */
  readonly listed: readonly AgentDefinition[];
  readonly shadowed: readonly ShadowedAgent[];
  /** One line for each problem of a file. */
  readonly warnings: readonly string[];
  /** Reads the files again. */
  refresh(): Promise<void>;
  /** @throws {ToolFailedError} if there is no such type. */
  find(name: string): Promise<AgentDefinition>;
  /** Loads the code that `add` needs. */
  prepareAdding(): Promise<void>;
  /**
   * Adds the agents of the program that drives Quoll, after `prepareAdding`.
   * @returns one line for each problem.
   */
  add(given: Readonly<Record<string, JsonObject>>): readonly string[];
};

type Config = Pick<SessionConfig, "isBare" | "settingSources" | "agents">;
type Sources = Pick<ProjectEnvironment, "env" | "own" | "project" | "plugins" | "isTrusted" | "settings">;

/**
 * Finds the definitions of the command line, the project, the user and plugins.
 * @param warn Receives one line for each problem of a file.
 */
export async function openAgentTypes(
  config: Config,
  sources: Sources,
  warn: (line: string) => void,
): Promise<AgentTypes> {
  const types = new SessionAgentTypes(
    () => contentFolders(config, sources, AGENT_FOLDERS),
    builtinAgents(sources),
    (path) => shortPath(path, sources.own.home),
    sources,
  );
  await types.refresh();
  if (config.agents) await types.prepareAdding();
  const problems = [...(config.agents ? types.add(config.agents) : []), ...types.warnings];
  for (const line of problems) warn(line);
  return types;
}

/** The built-in types of Quoll, with the model that the current settings give Explore. */
function builtinAgents(sources: Pick<Sources, "settings">): () => readonly AgentDefinition[] {
  let made: { readonly model: string | undefined; readonly agents: readonly AgentDefinition[] } | undefined;
  return () => {
    const model = sources.settings.agents?.exploreModel;
    if (made?.model === model && made) return made.agents;
    const ofExplore = model === undefined ? {} : { model };
    made = { model, agents: BUILTIN_AGENTS.map((one) => (one.name === "Explore" ? { ...one, ...ofExplore } : one)) };
    return made.agents;
  };
}

type ToolChecks = typeof import("./check-tool-lists.ts");
type Adding = Pick<typeof import("../../services/agents/read-agent.ts"), "readAgent"> & { readonly checks: ToolChecks };

/** Loaded with the first definition. */
function toolChecks(): Promise<ToolChecks> {
  return import("./check-tool-lists.ts");
}

class SessionAgentTypes implements AgentTypes {
  readonly #folders: () => readonly ContentFolder<"agent">[];
  readonly #builtin: () => readonly AgentDefinition[];
  readonly #shown: (path: string) => string;
  readonly #sources: Pick<Sources, "project" | "own">;
  #adding: Adding | undefined;
  #given: readonly AgentDefinition[] = [];
  #ofFiles: readonly AgentDefinition[] = [];
  /** By name, the reason why a definition that must not start is not used. */
  readonly #faults = new Map<string, string>();
  #files: AgentFiles | undefined;
  warnings: readonly string[] = [];

  constructor(
    folders: () => readonly ContentFolder<"agent">[],
    builtin: () => readonly AgentDefinition[],
    shown: (path: string) => string,
    sources: Pick<Sources, "project" | "own">,
  ) {
    this.#folders = folders;
    this.#builtin = builtin;
    this.#shown = shown;
    this.#sources = sources;
  }

  get all(): readonly AgentDefinition[] {
    return [...this.#byName().values()];
  }

  get listed(): readonly AgentDefinition[] {
    return this.all.filter(({ origin }) => origin !== "builtin");
  }

  get shadowed(): readonly ShadowedAgent[] {
    const byName = this.#byName();
    return this.#inOrder().flatMap((agent) => {
      const by = byName.get(agent.name);
      return by && by !== agent ? [{ agent, by }] : [];
    });
  }

  async refresh(): Promise<void> {
    if (!this.#files && this.#folders().length === 0) return;
    const [{ agentFiles }, checks] = await Promise.all([import("./read-agent-files.ts"), toolChecks()]);
    this.#files ??= agentFiles(this.#folders);
    if (!(await this.#files.refresh())) return;
    this.#faults.clear();
    const checked = this.#files.all.map(({ file: { path }, value }) => ({ path, read: this.#checked(value, checks) }));
    this.#ofFiles = checked.flatMap(({ read }) => (read.agent ? [read.agent] : []));
    this.warnings = checked.flatMap(({ path, read }) => problemLines(this.#shown(path), read));
  }

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

  async prepareAdding(): Promise<void> {
    const [{ readAgent }, checks] = await Promise.all([import("../../services/agents/read-agent.ts"), toolChecks()]);
    this.#adding = { readAgent, checks };
  }

  add(given: Readonly<Record<string, JsonObject>>): readonly string[] {
    if (!this.#adding) throw new Error("Agents were added before the code that reads them was loaded.");
    const { readAgent, checks } = this.#adding;
    const reads = Object.entries(given).map(([name, { prompt, ...fields }]) => {
      const read = readAgent({ origin: "cli", file: "", name }, { ...fields, name }, String(prompt ?? ""));
      return { name, read: this.#checked(read, checks) };
    });
    const added = reads.flatMap(({ read }) => (read.agent ? [read.agent] : []));
    this.#given = [...added, ...this.#given.filter(({ name }) => !added.some((one) => one.name === name))];
    return reads.flatMap(({ name, read }) => problemLines(`Agent ${name}`, read));
  }

  #inOrder(): readonly AgentDefinition[] {
    return [...this.#given, ...this.#ofFiles, ...this.#builtin()];
  }

  #byName(): ReadonlyMap<string, AgentDefinition> {
    const byName = new Map<string, AgentDefinition>();
    for (const agent of this.#inOrder()) if (!byName.has(agent.name)) byName.set(agent.name, agent);
    return byName;
  }
}

function problemLines(where: string, { problems }: ReadAgent): readonly string[] {
  return problems.map((problem) => `${where}: ${oneLine(problem, MAX_PROBLEM_COLUMNS)}.`);
}
