import type { AgentOrigin } from "../../contracts/agent-definition.ts";
import { readOrProblem } from "../../platform/read-small-file.ts";
import { type ReadAgent, readAgent } from "../../services/agents/read-agent.ts";
import { listSkillFiles, type SkillFile } from "../../services/skills/io/list-skill-files.ts";
import { plainFields, yamlFields } from "../../services/skills/read-fields.ts";
import { splitFrontmatter } from "../../services/skills/split-frontmatter.ts";

const MAX_AGENT_BYTES = 256 * 1024;
/** Of all folders together. */
const MAX_FILES = 1_000;

/** A folder of definitions. */
export type AgentPlace = {
  readonly folder: string;
  readonly origin: Extract<AgentOrigin, "user" | "project" | "plugin">;
  readonly plugin?: string;
  /** If set, only this entry of the folder is read. */
  readonly only?: string;
  /** The folder that must contain the files, links resolved; absent for the user's own files. */
  readonly within?: string;
};

export type ReadAgentFile = { readonly path: string; readonly read: ReadAgent };

/**
 * Reads the Markdown files of some folders, highest precedence first.
 * @param before The stamp of the previous reading.
 * @returns no files if they are unchanged since the previous reading.
 */
export async function readAgentFiles(places: readonly AgentPlace[], before: string) {
  const found = places
    .flatMap((place) => listSkillFiles({ ...place, format: "command" }).map((file) => ({ place, file })))
    .slice(0, MAX_FILES);
  const stamp = `read ${found.map(({ file }) => `${file.path}\0${file.stamp}`).join("\n")}`;
  if (stamp === before) return { stamp, files: undefined };
  const seen = new Set<string>();
  const files: ReadAgentFile[] = [];
  for (const { place, file } of found) {
    const own = `${place.plugin ?? ""}\0${file.real}`;
    // A folder can be a link to another folder of the list.
    if (seen.has(own)) continue;
    seen.add(own);
    files.push({ path: file.path, read: await readFile(place, file) });
  }
  return { stamp, files };
}

async function readFile({ origin, plugin }: AgentPlace, { path, name }: SkillFile): Promise<ReadAgent> {
  const read = readOrProblem(path, MAX_AGENT_BYTES);
  if ("problem" in read) return { problems: [`it is ${read.problem}; the agent is not used`] };
  const { header, body } = splitFrontmatter(read.bytes.toString("utf8"));
  // A file without fields is an ordinary note in the agents' folder.
  if (header === undefined) return { problems: [] };
  const { values, problem } = plainFields(header) ?? (await yamlFields(header));
  // A malformed line could have been a restriction.
  const isLimited = problem !== undefined && /^(?:tools|disallowed[-_]?[Tt]ools|permissionMode)\s*:/m.test(header);
  if (isLimited) return { problems: [`line ${problem.line + 1}: ${problem.text}; the agent is not used`] };
  const { agent, problems } = readAgent(
    { origin, file: path, name, ...(plugin !== undefined && { plugin }) },
    values,
    body,
  );
  const malformed = problem ? [`line ${problem.line + 1}: ${problem.text}`] : [];
  return { ...(agent && { agent }), problems: [...malformed, ...problems] };
}
