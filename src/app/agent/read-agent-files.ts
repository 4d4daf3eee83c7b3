import type { ContentFile, ContentFolder } from "../../contracts/content-folder.ts";
import { ContentFiles } from "../../platform/files/content-files.ts";
import { readOrProblem } from "../../platform/read-small-file.ts";
import { type ReadAgent, readAgent } from "../../services/agents/read-agent.ts";
import { readFrontmatter } from "../../services/skills/read-fields.ts";

const MAX_AGENT_BYTES = 256 * 1024;
/** Of all folders together. */
const MAX_FILES = 1_000;

/** Files that may define agents. */
export type AgentFiles = ContentFiles<"agent", ReadAgent>;

/** The Markdown files of some folders as definitions of agents. @param folders Highest precedence first. */
export function agentFiles(folders: () => readonly ContentFolder<"agent">[]): AgentFiles {
  return new ContentFiles(folders, readAgentFile, MAX_FILES);
}

async function readAgentFile({ place, path, name }: ContentFile<"agent">): Promise<ReadAgent> {
  const read = readOrProblem(path, MAX_AGENT_BYTES);
  if ("problem" in read) return { problems: [`it is ${read.problem}; the agent is not used`] };
  const { header, body, fields } = await readFrontmatter(read.bytes.toString("utf8"));
  // A file without fields is an ordinary note in the agents' folder.
  if (header === undefined) return { problems: [] };
  const { values, problem } = fields;
  // A malformed line could have been a restriction.
  const isLimited = problem !== undefined && /^(?:tools|disallowed[-_]?[Tt]ools|permissionMode)\s*:/m.test(header);
  if (isLimited) return { problems: [`line ${problem.line + 1}: ${problem.text}; the agent is not used`] };
  const { origin, plugin } = place;
  const from = { origin, file: path, name, ...(plugin !== undefined && { plugin }) };
  const { agent, problems } = readAgent(from, values, body);
  const malformed = problem ? [`line ${problem.line + 1}: ${problem.text}`] : [];
  return { ...(agent && { agent }), problems: [...malformed, ...problems] };
}
