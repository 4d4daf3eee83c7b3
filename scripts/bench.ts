/**
 * `npm run bench [-- part …] [--runs N] [--json [FILE.json]]`: builds Quoll, measures the executable from outside and prints a
 * table of medians. Parts: version, print, first-request, rounds, screen, stream, ordinary, sandbox, redaction, grep, soak, deltas, compaction,
 * checkpoints, recall, mcp-servers, skills, hooks, extensions, agents, mentions, documents; all by default. `--json` prints the numbers as JSON after the table, or writes them to FILE.json. No test depends on these results.
 */
import { writeFileSync } from "node:fs";
import { cpus } from "node:os";
import { benchAgents } from "./bench/agents.ts";
import { benchPlace } from "./bench/bench-place.ts";
import { benchCheckpoints } from "./bench/checkpoints.ts";
import { benchCompaction } from "./bench/compaction.ts";
import { benchDeltas } from "./bench/deltas.ts";
import { benchDocuments } from "./bench/documents.ts";
import { benchExtensions } from "./bench/extensions.ts";
import { benchFirstRequest } from "./bench/first-request.ts";
import { benchGrep } from "./bench/grep.ts";
import { benchHooks } from "./bench/hooks.ts";
import { benchMcpServers } from "./bench/mcp-servers.ts";
import { benchTable, type Measurement, type Part, summarize } from "./bench/measurement.ts";
import { benchMentions } from "./bench/mentions.ts";
import { benchOrdinary } from "./bench/ordinary.ts";
import { benchPrint } from "./bench/print.ts";
import { benchRecall } from "./bench/recall.ts";
import { benchRedaction } from "./bench/redaction.ts";
import { benchRepl } from "./bench/repl.ts";
import { benchRounds } from "./bench/rounds.ts";
import { benchSandbox } from "./bench/sandbox.ts";
import { benchScreen } from "./bench/screen.ts";
import { benchSkills } from "./bench/skills.ts";
import { benchSoak } from "./bench/soak.ts";
import { benchStream } from "./bench/stream.ts";
import { benchVersion } from "./bench/version.ts";

const PARTS: Readonly<Record<string, Part>> = {
  version: benchVersion,
  print: benchPrint,
  "first-request": benchFirstRequest,
  rounds: benchRounds,
  screen: benchScreen,
  stream: benchStream,
  repl: benchRepl,
  ordinary: benchOrdinary,
  sandbox: benchSandbox,
  redaction: benchRedaction,
  grep: benchGrep,
  soak: benchSoak,
  deltas: benchDeltas,
  compaction: benchCompaction,
  checkpoints: benchCheckpoints,
  recall: benchRecall,
  skills: benchSkills,
  "mcp-servers": benchMcpServers,
  hooks: benchHooks,
  extensions: benchExtensions,
  agents: benchAgents,
  mentions: benchMentions,
  documents: benchDocuments,
};
const RUNS = 10;

type Wanted = { readonly parts: readonly string[]; readonly runs: number; readonly json?: string | true };

function readArguments(argv: readonly string[]): Wanted {
  const parts: string[] = [];
  let runs = RUNS;
  let json: string | true | undefined;
  for (let at = 0; at < argv.length; at += 1) {
    const argument = argv[at] ?? "";
    if (argument === "--runs") runs = Number(argv[++at]);
    else if (argument === "--json") json = argv[at + 1]?.endsWith(".json") ? argv[++at] : true;
    else if (argument in PARTS) parts.push(argument);
    else throw new Error(`There is no part "${argument}": ${Object.keys(PARTS).join(", ")}.`);
  }
  if (!Number.isInteger(runs) || runs < 1) throw new Error("--runs needs a whole number from 1.");
  return { parts: parts.length > 0 ? parts : Object.keys(PARTS), runs, ...(json !== undefined && { json }) };
}

async function bench({ parts, runs, json }: Wanted): Promise<void> {
  using place = await benchPlace();
  const results: Measurement[] = [];
  for (const name of parts) results.push(...((await PARTS[name]?.(place, runs)) ?? []));
  const summaries = results.map(summarize);
  const machine = `${cpus().length} cores, ${process.platform} ${process.arch}`;
  console.log(`${machine}, ${new Date().toISOString().slice(0, 10)}\n${benchTable(summaries)}`);
  if (json === undefined) return;
  const text = JSON.stringify({ machine, date: new Date().toISOString(), results: summaries }, null, 2);
  if (json === true) console.log(text);
  else writeFileSync(json, `${text}\n`);
}

try {
  await bench(readArguments(process.argv.slice(2)));
} catch (error) {
  console.error(`bench: ${error instanceof Error ? error.message : String(error)}`);
  process.exitCode = 1;
}
