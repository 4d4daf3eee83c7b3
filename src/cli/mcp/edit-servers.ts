import { filesOfServers } from "../../app/mcp/names-servers.ts";
import type { ProjectEnvironment } from "../../app/session/project-environment.ts";
import { nearestName } from "../../contracts/did-you-mean.ts";
import { UserFacingError } from "../../contracts/errors.ts";
import { EDITABLE_SCOPES, type EditableScope } from "../../contracts/mcp.ts";
import { isJsonObject, type JsonObject } from "../../contracts/message.ts";
import { shortPath } from "../../platform/directories.ts";
import { entryExists } from "../../platform/paths.ts";
import { readSmallText } from "../../platform/private-file.ts";
import { isCredential } from "../../platform/processes/credential-variables.ts";
import { changeFile, withValue } from "../../services/config/change-file.ts";
import { parseServerEntries } from "../../services/mcp/config/parse-config.ts";
import { MAX_SERVER_FILE_BYTES } from "../../services/mcp/sources/server-files.ts";
import { serverApprovable } from "../../services/trust/server-approvable.ts";

type Entry = { readonly name: string; readonly entry: JsonObject; readonly scope: EditableScope };

/**
 * Writes a server into the file of its scope; comments and other keys stay.
 * @returns lines for the person.
 * @throws {UserFacingError} the scope already has the name, or the file can't be changed.
 */
export async function addServer(
  { name, entry, scope }: Entry,
  environment: ProjectEnvironment,
): Promise<readonly string[]> {
  const files = filesOfServers(environment);
  const file = files[scope];
  const shown = scope === "project" ? ".mcp.json" : shortPath(file, environment.own.home);
  if (entryExists(files.managed))
    throw new UserFacingError(`Only the servers of ${files.managed} are used: the administrator decided this.`);
  await changeFile({ file, what: `the server ${name}`, ...(scope === "project" && { isShared: true }) }, (text) => {
    if (text.trim() !== "" && name in parseServerEntries(text, shown))
      throw new UserFacingError(
        `${shown} has a server ${name} already. Remove it first: quoll mcp remove ${name} --scope ${scope}`,
      );
    return withValue(text, ["mcpServers", name], entry);
  });
  const lines = [`Added the MCP server ${name} to ${shown} (scope ${scope}).`];
  if (scope !== "project") return lines;
  return [...lines, ...secretLines(entry, shown), ...(await approveOwn({ name, entry }, environment))];
}

/** A project's file is shared, so a key in it is seen by others. */
function secretLines({ env, headers }: JsonObject, file: string): readonly string[] {
  const values = Object.entries({ ...(isJsonObject(env) && env), ...(isJsonObject(headers) && headers) });
  const secrets = values.filter(([name, value]) => isSecret(name, String(value))).map(([name]) => name);
  if (secrets.length === 0) return [];
  const advice = "write a reference to a variable of the environment instead, such as `$" + "{NAME}`";
  return [`${file} is for everybody, and now holds the value of ${secrets.join(", ")}: ${advice}.`];
}

function isSecret(name: string, value: string): boolean {
  return !value.includes("${") && (isCredential(name.replaceAll("-", "_"), value) || /^authorization$/i.test(name));
}

/** The person has just typed the entry, so no question about it is needed. */
async function approveOwn({ name, entry }: Omit<Entry, "scope">, environment: ProjectEnvironment) {
  if (!environment.isTrusted) return ["The server starts when you trust this folder: start quoll here to decide."];
  const item = serverApprovable({ name, entry, file: ".mcp.json" }, environment.project.root);
  const problem = await environment.approvals.approve([item], "always");
  return problem === undefined ? [] : [problem];
}

/**
 * Removes a server from the file of its scope.
 * @returns one line for the person.
 * @throws {UserFacingError} no file has the server, or no scope is given and several files or only the shared file have
 * it.
 */
export async function removeServer(
  { name, scope }: { readonly name: string; readonly scope: EditableScope | undefined },
  environment: ProjectEnvironment,
): Promise<string> {
  const files = filesOfServers(environment);
  const known = await Promise.all(EDITABLE_SCOPES.map(async (one) => ({ one, names: await namesIn(files[one]) })));
  const holders = known
    .filter(({ one, names }) => (scope ?? one) === one && names.includes(name))
    .map(({ one }) => one);
  const [holder, ...others] = holders;
  if (!holder) {
    const nearest = nearestName(
      name,
      known.flatMap(({ names }) => names),
    );
    const where = scope ? `in the scope ${scope}` : "in any of your files";
    throw new UserFacingError(
      `There is no MCP server ${name} ${where}${nearest === undefined ? ": `quoll mcp list` lists them." : `: did you mean ${nearest}?`}`,
    );
  }
  if (others.length > 0)
    throw new UserFacingError(`${name} is in several files: add --scope ${holders.join(" or --scope ")}.`, 2);
  if (holder === "project" && scope === undefined)
    throw new UserFacingError(`${name} is in .mcp.json, which is for everybody: add --scope project to remove it.`, 2);
  const file = files[holder];
  await changeFile({ file, what: "the change", ...(holder === "project" && { isShared: true }) }, (text) =>
    withValue(text, ["mcpServers", name], undefined),
  );
  const shown = holder === "project" ? ".mcp.json" : shortPath(file, environment.own.home);
  return `Removed the MCP server ${name} from ${shown} (scope ${holder}).`;
}

async function namesIn(file: string): Promise<readonly string[]> {
  const text = await readSmallText(file, MAX_SERVER_FILE_BYTES);
  return text === undefined || text.trim() === "" ? [] : Object.keys(parseServerEntries(text, file));
}
