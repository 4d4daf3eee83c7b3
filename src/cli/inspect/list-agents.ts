import { oneLine } from "@quoll/terminal-text/one-line";
import { openAgentTypes } from "../../app/agent/agent-types.ts";
import type { AgentDefinition } from "../../contracts/agent-definition.ts";
import { printProblem } from "../../platform/host.ts";
import { printLine } from "../../platform/standard-output.ts";
import { projectHere } from "../project-here.ts";

const MAX_SUMMARY_COLUMNS = 200;

const HEADINGS: Readonly<Record<AgentDefinition["origin"], string>> = {
  cli: "Of the command line",
  project: "Of this project",
  user: "Your own",
  plugin: "Of plugins",
  builtin: "Built in",
};

/** `isTrusted`: as if this folder were trusted. */
type Listing = { readonly json?: boolean | undefined; readonly isTrusted?: boolean | undefined };

/** `quoll agents`: the types of agents that a session here could start, the strongest source first. */
export async function listAgentTypes({ json, isTrusted }: Listing): Promise<number> {
  const environment = await projectHere({ trust: isTrusted });
  const types = await openAgentTypes({}, environment, () => undefined);
  for (const { line } of types.warnings) printProblem(line);
  if (json) {
    const shown = types.all.map(({ prompt: _, ...agent }) => agent);
    const shadowed = types.shadowed.map(({ agent: { name, origin, file }, by }) => ({
      name,
      origin,
      file,
      by: by.origin,
    }));
    printLine(JSON.stringify({ agents: shown, shadowed }, null, 2));
    return 0;
  }
  for (const [origin, heading] of Object.entries(HEADINGS)) {
    const own = types.all.filter((agent) => agent.origin === origin);
    if (own.length === 0) continue;
    printLine(`${heading}:`);
    for (const agent of own) printLine(agentLine(agent));
  }
  for (const { agent, by } of types.shadowed)
    printLine(
      `Not used, because the name is already used: ${agent.name} (${agent.file || agent.origin}); ${by.file} counts.`,
    );
  if (!environment.isTrusted)
    printLine("This folder is not trusted, so agents of its files are not listed. --trust lists them.");
  return 0;
}

function agentLine({ name, description, tools, model }: AgentDefinition): string {
  const about = [
    ...(tools ? [`tools: ${tools.join(", ")}`] : []),
    ...(model === undefined ? [] : [`model: ${model}`]),
  ].join("; ");
  return `  ${name}  ${oneLine(description, MAX_SUMMARY_COLUMNS)}${about === "" ? "" : `  (${oneLine(about, MAX_SUMMARY_COLUMNS)})`}`;
}
