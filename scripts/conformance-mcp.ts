/**
 * `npm run conformance:mcp [names…]`: plays scenarios of the published MCP conformance suite against the built program: all
 * of the client's, and those of the server that need no fixtures. Then uses every feature of the reference server (`everything`) over stdio and
 * HTTP. Both packages are installed into a cache folder at the first run. Prints one line for each scenario; below a
 * failed one, its failed checks with the sentence of the specification. Exits 1 if a scenario fails.
 */
import { builtArtefacts, builtVariable, ROOT } from "../tests/support/built.ts";
import { playEverything } from "./conformance-mcp/everything.ts";
import { EVERYTHING, installPackage, SUITE } from "./conformance-mcp/install-package.ts";
import { failureLines, type Outcome, runScenario, runServerScenario } from "./conformance-mcp/run-scenario.ts";
import { SERVER_SCENARIOS, serveQuoll } from "./conformance-mcp/serve.ts";

const wanted = process.argv.slice(2);
const { node } = await builtArtefacts();
const tell = (line: string) => console.error(line);
const suite = { node, root: ROOT, built: builtVariable(), program: await installPackage(SUITE, ROOT, tell) };
const isWanted = (name: string) => wanted.length === 0 || wanted.some((word) => name.includes(word));
const ofClient = (await scenarioNames()).filter(isWanted);
const ofServer = SERVER_SCENARIOS.filter(isWanted);
const chosen = [...ofClient, ...ofServer];
const width = Math.max(0, ...chosen.map(({ length }) => length));

let passed = 0;
for (const name of ofClient) report(name, await runScenario(suite, name));
if (ofServer.length > 0) {
  await using server = await serveQuoll();
  for (const name of ofServer) report(name, await runServerScenario(suite, name, server.url));
}
console.log(`\n${SUITE.name} ${SUITE.version}: ${passed} of ${chosen.length} scenarios passed`);
let used = true;
if (wanted.length === 0 || wanted.includes("everything")) {
  const program = await installPackage(EVERYTHING, ROOT, tell);
  for (const transport of ["stdio", "http"] as const) used = (await playServer(program, transport)) && used;
}
process.exit(passed === chosen.length && used ? 0 : 1);

/** Uses every feature of the reference server. @returns true if all of them work. */
async function playServer(program: string, transport: "stdio" | "http"): Promise<boolean> {
  const checks = await playEverything(node, program, transport);
  console.log(`\n${EVERYTHING.name} ${EVERYTHING.version} over ${transport}`);
  for (const { name, isPassed, detail } of checks)
    console.log(`${isPassed ? "✓" : "✗"} ${name}${isPassed ? "" : `: ${detail}`}`);
  return checks.every(({ isPassed }) => isPassed);
}

function report(name: string, outcome: Outcome): void {
  const { passedChecks, checks, isPassed } = outcome;
  if (isPassed) passed += 1;
  console.log(`${isPassed ? "✓" : "✗"} ${name.padEnd(width)}  ${passedChecks} of ${checks} checks`);
  for (const line of isPassed ? [] : failureLines(name, outcome)) console.log(`    ${line}`);
}

async function scenarioNames(): Promise<readonly string[]> {
  const list = Bun.spawn([suite.node, suite.program, "list", "--client"], { stdout: "pipe", stderr: "inherit" });
  const text = await new Response(list.stdout).text();
  return [...text.matchAll(/^ {2}- (\S+)/gm)].flatMap(([, name]) => (name === undefined ? [] : [name]));
}
