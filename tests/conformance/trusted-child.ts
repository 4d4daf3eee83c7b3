/** Started with NODE_EXTRA_CA_CERTS, which the runtime reads once: plays one round over TLS, on each wire, and prints the lines as JSON. */
import { reply, toolUse } from "@quoll/model-twin/scenario";
import { ADAPTERS } from "./adapters.ts";
import { played } from "./play.ts";

const replies = [reply([toolUse("Look", { text: "a" })]), reply("Done.")];
const told: Record<string, readonly (readonly string[])[]> = {};
for (const adapter of ADAPTERS) {
  const direct = await played(adapter, { replies, at: "self-signed" });
  const proxy = { variable: "HTTPS_PROXY", is: "right" } as const;
  told[adapter.name] = [direct, await played(adapter, { replies, at: "self-signed", proxy })];
}
console.log(JSON.stringify(told));
