/** The tool server as a program that talks over its standard streams. */
import { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js";
import { toolServer } from "./tool-server.ts";

await toolServer().connect(new StdioServerTransport());
