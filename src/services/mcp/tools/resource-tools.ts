import { plural } from "@quoll/terminal-text/plural";
import { z } from "zod";
import { defineTool, inputSchemaOf } from "../../../contracts/define-tool.ts";
import { nearestName } from "../../../contracts/did-you-mean.ts";
import { InvalidInputError } from "../../../contracts/errors.ts";
import type { McpResource, McpResourceTemplate } from "../../../contracts/mcp.ts";
import { withTextBody } from "../../../contracts/result-body.ts";
import { declareTool, type Tool, type ToolResult, textResult } from "../../../contracts/tool.ts";
import listDescription from "./list-resources.md" with { type: "text" };
import readDescription from "./read-resource.md" with { type: "text" };

/** The maximum number of resources in one answer; a query narrows the list. */
const MAX_LISTED = 200;

const listInput = z.object({
  server: z.string().optional().describe("Only this server's"),
  query: z.string().optional().describe("Only those with these words"),
});
const readInput = z.object({ server: z.string().min(1), uri: z.string().min(1) });

const listSpec = declareTool({
  name: "ListMcpResources",
  summary: "List the resources that MCP servers offer",
  description: listDescription,
  level: "none",
  inputSchema: inputSchemaOf(listInput),
});
const readSpec = declareTool({
  name: "ReadMcpResource",
  summary: "Read a resource of an MCP server",
  description: readDescription,
  level: "read",
  inputSchema: inputSchemaOf(readInput),
});

/** The resources of the connected servers. */
export type ResourceSource = {
  resources(): readonly (McpResource | McpResourceTemplate)[];
  /** The prefix of the server's tool names; undefined if there is no such server. */
  prefixOf(server: string): string | undefined;
  /** @throws {ToolFailedError} the server is not connected, or it refused. */
  readResource(server: string, uri: string, signal: AbortSignal): Promise<ToolResult>;
};

/** The tools with which the model finds and reads resources. */
export function resourceTools(source: ResourceSource): readonly Tool[] {
  return [listTool(source), readTool(source)];
}

function listTool(source: ResourceSource): Tool {
  return defineTool(listSpec, listInput, async ({ server, query = "" }) => ({
    level: "none",
    concurrencySafe: true,
    subjects: [],
    title: [server, query].filter(Boolean).join(" "),
    run: async () => {
      if (server !== undefined) knownServer(server, source);
      const words = query.toLowerCase().split(/\s+/).filter(Boolean);
      const found = source
        .resources()
        .filter((one) => server === undefined || one.server === server)
        .map(lineOf)
        .filter((line) => words.every((word) => line.toLowerCase().includes(word)));
      const left = found.length - MAX_LISTED;
      const more = left > 0 ? [`… and ${plural(left, "more resource")}: narrow the list with a query.`] : [];
      return textResult([...found.slice(0, MAX_LISTED), ...more].join("\n") || "No resource fits.", {
        display: {
          kind: "summary",
          text: plural(found.length, "resource"),
          ...withTextBody(found.join("\n")),
        },
      });
    },
  }));
}

function readTool(source: ResourceSource): Tool {
  return defineTool(readSpec, readInput, async ({ server, uri }, { signal }) => {
    const prefix = knownServer(server, source);
    return {
      level: "read",
      concurrencySafe: true,
      subjects: [{ action: "use", name: server, tool: `${prefix}${readSpec.name}` }],
      title: `${server}: ${uri}`,
      preview: { kind: "text", text: `Read ${uri}\nfrom the MCP server ${server}` },
      run: () => source.readResource(server, uri, signal),
    };
  });
}

/** @throws {InvalidInputError} if there is no such server. */
function knownServer(server: string, source: ResourceSource): string {
  const prefix = source.prefixOf(server);
  if (prefix !== undefined) return prefix;
  const names = [...new Set(source.resources().map((one) => one.server))];
  const nearest = nearestName(server, names);
  throw new InvalidInputError(
    `There is no MCP server "${server}". ${nearest === undefined ? `Servers with resources: ${names.join(", ")}.` : `Did you mean ${nearest}?`}`,
  );
}

function lineOf(resource: McpResource | McpResourceTemplate): string {
  const { server, name, description, mimeType } = resource;
  const address = "uri" in resource ? resource.uri : resource.uriTemplate;
  const size = "size" in resource && resource.size !== undefined ? `${resource.size} bytes` : undefined;
  const kind = "uri" in resource ? undefined : "template: fill in the {parts}";
  const facts = [kind, mimeType, size].filter((fact) => fact !== undefined);
  const about = [name === address ? undefined : name, description].filter((part) => part !== undefined).join(": ");
  return `${server}  ${address}${facts.length > 0 ? ` (${facts.join(", ")})` : ""}${about === "" ? "" : ` – ${about}`}`;
}
