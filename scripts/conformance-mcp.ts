/**
 * `npm run conformance:mcp [names…]`: plays scenarios of the published MCP conformance suite against the built program: all
 * of the client's, and those of the server that need no fixtures. The suite is installed into a cache folder at the first run. Prints one line for each scenario; below a
 * failed one, its failed checks with the sentence of the specification. Exits 1 if a scenario fails.
 */
import { builtArtefacts, ROOT } from "../tests/support/built.ts";
import { installSuite, SUITE } from "./conformance-mcp/install-suite.ts";
import { failureLines, type Outcome, runScenario, runServerScenario } from "./conformance-mcp/run-scenario.ts";
import { SERVER_SCENARIOS, serveQuoll } from "./conformance-mcp/serve.ts";

const wanted = process.argv.slice(2);
const { node } = await builtArtefacts();
const suite = { node, root: ROOT, program: await installSuite(ROOT, (line) => console.error(line)) };
const isWanted = (name: string) => wanted.length === 0 || wanted.some((word) => name.includes(word));
const ofClient = (await scenarioNames()).filter(isWanted);
const ofServer = SERVER_SCENARIOS.filter(isWanted);
const chosen = [...ofClient, ...ofServer];
const width = Math.max(...chosen.map(({ length }) => length));

let passed = 0;
for (const name of ofClient) report(name, await runScenario(suite, name));
if (ofServer.length > 0) {
  await using server = await serveQuoll();
  for (const name of ofServer) report(name, await runServerScenario(suite, name, server.url));
}
console.log(`\n${SUITE}: ${passed} of ${chosen.length} scenarios passed`);
process.exit(passed === chosen.length && chosen.length > 0 ? 0 : 1);

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
