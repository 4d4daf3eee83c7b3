import type { CommandResult } from "../contracts/command-result.ts";
import { errorMessage } from "../contracts/errors.ts";
import type { McpView } from "../contracts/mcp-view.ts";

/** Logs in to a server with the browser, or continues with the address at which a browser on another machine ended. */
export function loggingIn(name: string, address: string | undefined, mcp: McpView): CommandResult {
  return {
    kind: "operation",
    title: `Logging in to ${name}`,
    async run(report, signal) {
      try {
        if (address !== undefined) return text(await mcp.pasteLogin(name, address));
        const waiting = () => report({ text: "waiting for your browser" });
        const step = await mcp.logIn(name, waiting, signal);
        return "line" in step ? text(step.line) : text(...openingLines(name, step.address));
      } catch (error) {
        if (signal.aborted) throw error;
        return text(`Not logged in to ${name}: ${errorMessage(error)}.`);
      }
    },
  };
}

/** Removes the login of a server. */
export function loggingOut(name: string, mcp: McpView): CommandResult {
  return {
    kind: "operation",
    title: `Logging out of ${name}`,
    async run(_, signal) {
      try {
        return text(await mcp.logOut(name, signal));
      } catch (error) {
        if (signal.aborted) throw error;
        return text(`Not logged out of ${name}: ${errorMessage(error)}.`);
      }
    },
  };
}

function openingLines(name: string, address: string): readonly string[] {
  return [
    `Open this page in a browser to log in to ${name}:`,
    address,
    `If the login ends on a page that cannot be shown, copy its address, which starts with http://localhost, and type:`,
    `/mcp login ${name} <address>`,
  ];
}

function text(...lines: readonly string[]): CommandResult {
  return { kind: "text", lines };
}
