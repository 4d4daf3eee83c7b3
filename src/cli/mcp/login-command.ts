import { createInterface, type Interface } from "node:readline";
import { type FoundServers, findServers } from "../../app/mcp/find-servers.ts";
import { openMcpLogins } from "../../app/open-mcp-logins.ts";
import { nearestName } from "../../contracts/did-you-mean.ts";
import { errorMessage, UserFacingError } from "../../contracts/errors.ts";
import type { McpLoginPrompt } from "../../contracts/mcp.ts";
import { printError, printProblem } from "../../platform/host.ts";
import { printLine } from "../../platform/standard-output.ts";
import type { McpServerConfig } from "../../services/mcp/config/server-config.ts";
import { projectHere } from "../project-here.ts";
import { abortAtSignal } from "../signals.ts";

const PASTE_HINT = "If the browser runs on another machine, paste the address of its last page here.";

/** The options of `quoll mcp login` and `logout`. */
export type LoginOptions = {
  /** False if the address is only printed, and the last page's address is pasted. */
  readonly browser?: boolean;
  readonly mcpConfig?: readonly string[];
};

/** `quoll mcp login|logout <server>`. @throws {UserFacingError} one line that gives the reason; nothing was changed. */
export async function runLoginCommand(
  what: "login" | "logout",
  server: string,
  options: LoginOptions,
): Promise<number> {
  using signals = abortAtSignal(new Error("cancelled"));
  const { signal } = signals;
  try {
    const environment = await projectHere({}, printProblem);
    const { env, own, machine } = environment;
    const wishes = { mcp: { configs: options.mcpConfig ?? [], inProcess: [] } };
    const found = await findServers(wishes, environment, signal);
    const config = serverNamed(server, found);
    const logins = openMcpLogins({ env, own, os: machine.os, hasBrowser: options.browser !== false });
    printLine(
      what === "login" ? await logins.logIn(config, loginPrompt(server), signal) : await logins.logOut(config, signal),
    );
    return 0;
  } catch (error) {
    if (signals.exitCode !== undefined) {
      printError("quoll: cancelled; nothing was saved");
      return signals.exitCode;
    }
    if (error instanceof UserFacingError) throw error;
    throw new UserFacingError(
      `${what === "login" ? "No login to" : "Not logged out of"} ${server}: ${errorMessage(error)}.`,
      1,
      { cause: error },
    );
  }
}

/** @throws {UserFacingError} (exit 2) there is no such server. */
function serverNamed(name: string, { servers, leftOut }: FoundServers): McpServerConfig {
  const found = servers.find((one) => one.name === name);
  if (found) return found;
  const left = leftOut.find((one) => one.name === name);
  if (left) throw new UserFacingError(`The MCP server "${name}" is left out here: ${left.why}`, 2);
  const names = servers.map((one) => one.name);
  const nearest = nearestName(name, names);
  const others = names.length === 0 ? "no server is configured here" : `there are ${names.join(", ")}`;
  const hint = nearest === undefined ? others : `did you mean ${nearest}?`;
  throw new UserFacingError(`There is no MCP server "${name}": ${hint}`, 2);
}

/** Shows the address on stderr, and reads a pasted address from stdin. */
function loginPrompt(server: string): McpLoginPrompt {
  let lines: Lines | undefined;
  return {
    show(address, isOpened) {
      const how = isOpened ? "Your browser opens this page to log in to" : "Open this page in a browser to log in to";
      printError(`${how} ${server}:\n\n  ${address}\n\n${PASTE_HINT}`);
    },
    notify: printError,
    async confirm(question, signal) {
      printError(`${question} (y/n)`);
      const answered = new AbortController();
      const answer = await linesOf(AbortSignal.any([signal, answered.signal]))();
      answered.abort();
      return /^y(es)?$/i.test(answer?.trim() ?? "");
    },
    paste(signal) {
      lines ??= linesOf(signal);
      return lines();
    },
  };
}

type Lines = () => Promise<string | undefined>;

/** The lines of stdin, one at a time; undefined at its end. */
function linesOf(signal: AbortSignal): Lines {
  const reader: Interface = createInterface({ input: process.stdin });
  signal.addEventListener("abort", () => reader.close(), { once: true });
  const iterator = reader[Symbol.asyncIterator]();
  return async () => {
    const next = await iterator.next();
    return next.done ? undefined : next.value;
  };
}
