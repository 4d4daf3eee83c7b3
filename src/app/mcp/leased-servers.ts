import type { AgentDefinition } from "../../contracts/agent-definition.ts";
import { ToolFailedError } from "../../contracts/errors.ts";
import { entryExists } from "../../platform/paths.ts";
import type { ProjectEnvironment } from "../session/project-environment.ts";
import type { LateServers } from "./connect-servers.ts";
import { atHome, serverPolicy } from "./find-servers.ts";
import { filesOfServers } from "./names-servers.ts";
import { namedServers } from "./wire-mcp.ts";

/** The servers that definitions of agents describe. Each runs while an agent of its type works. */
export class LeasedServers {
  readonly environment: ProjectEnvironment;
  readonly #servers: () => LateServers | undefined;
  /** How many agents use the servers of a definition, by the definition's name. */
  readonly #users = new Map<string, number>();

  constructor(environment: ProjectEnvironment, servers: () => LateServers | undefined) {
    this.environment = environment;
    this.#servers = servers;
  }

  /** @throws {ToolFailedError} the administrator permits none, or the name is another server's. */
  async lease({ name, ownServers = {} }: AgentDefinition): Promise<void> {
    const users = this.#users.get(name) ?? 0;
    this.#users.set(name, users + 1);
    if (users > 0) return;
    try {
      await this.#start(name, ownServers);
    } catch (error) {
      this.#users.delete(name);
      throw error;
    }
  }

  async #start(agent: string, ownServers: NonNullable<AgentDefinition["ownServers"]>): Promise<void> {
    const { env, own, settings, isTrusted } = this.environment;
    if (entryExists(filesOfServers(this.environment).managed))
      throw new ToolFailedError(`${agent} can't start: the administrator permits no MCP servers but its own.`);
    const client = await this.#servers()?.open();
    const taken = client?.states.find((state) => Object.hasOwn(ownServers, state.name));
    if (!client || taken)
      throw new ToolFailedError(
        `${agent} can't start: its MCP server ${taken?.name ?? ""} has the name of another server.`,
      );
    const naming = {
      environment: env,
      policy: serverPolicy({ settings }),
      source: `the agent ${agent}`,
      notify: () => undefined,
    };
    const configs = namedServers(ownServers, naming);
    client.add(isTrusted ? configs : configs.map((config) => atHome(config, own.home)));
  }

  giveBack({ name, ownServers = {} }: AgentDefinition): void {
    const left = (this.#users.get(name) ?? 1) - 1;
    if (left > 0) {
      this.#users.set(name, left);
      return;
    }
    this.#users.delete(name);
    for (const server of Object.keys(ownServers)) void this.#servers()?.client?.remove(server);
  }
}
