import { readFileSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { Glob } from "bun";

/** One import of one file, resolved: `target` is a path inside the repository, or `package` the name of a library. */
export type Edge = { readonly from: string; readonly target?: string; readonly library?: string };

export const ROOT = resolve(import.meta.dir, "../..");
const IMPORT =
  /(?:^|\n)\s*(?:import|export)\s[^'";]*?from\s*["']([^"']+)["']|(?:^|\n)\s*import\s*["']([^"']+)["']|\bimport\(\s*["']([^"']+)["']/g;

export function sourceFiles(): readonly string[] {
  const files = ["src/**/*.{ts,tsx}", "packages/*/src/**/*.{ts,tsx}"].flatMap((pattern) => [
    ...new Glob(pattern).scanSync({ cwd: ROOT }),
  ]);
  return files.filter((file) => !file.endsWith(".d.ts")).sort();
}

export function textOf(file: string): string {
  return readFileSync(join(ROOT, file), "utf8");
}

/** Every import of a file, types included (the transpiler's own list leaves those out, so both are read). */
export function edgesOf(file: string, text = textOf(file)): readonly Edge[] {
  const loader = file.endsWith("x") ? "tsx" : "ts";
  const specifiers = new Set(new Bun.Transpiler({ loader }).scanImports(text).map(({ path }) => path));
  for (const match of text.matchAll(IMPORT)) {
    const found = match[1] ?? match[2] ?? match[3];
    if (found) specifiers.add(found);
  }
  return [...specifiers].map((specifier) => resolveEdge(file, specifier));
}

function resolveEdge(from: string, specifier: string): Edge {
  if (specifier.startsWith(".")) return { from, target: relative(ROOT, resolve(ROOT, dirname(from), specifier)) };
  const own = /^@quoll\/([^/]+)\/(.+)$/.exec(specifier);
  if (own) return { from, target: `packages/${own[1]}/src/${own[2]}.ts` };
  return { from, library: specifier.replace(/^node:/, "node:") };
}

/** The room of a file: `packages/x`, `contracts`, `platform`, `services/x`, `protocol`, `engine`, `faces/x`, `commands`, `cli`. */
export function roomOf(file: string): string {
  const [top, second, third] = file.split("/");
  if (top === "packages") return `packages/${second}`;
  if (top !== "src") return "outside";
  if (second === "main.ts") return "cli";
  return second === "services" || second === "faces" ? `${second}/${third}` : (second ?? "outside");
}

/** True if a file holds a service's own input and output: `src/services/<room>/io/`. */
export function isServiceIo(file: string): boolean {
  return /^src\/services\/[^/]+\/io\//.test(file);
}

/** Floors of docs/ARCHITECTURE.md: what a room may import beside itself. */
const MAY_IMPORT: readonly { readonly room: RegExp; readonly targets: RegExp }[] = [
  { room: /^packages\//, targets: /^$/ },
  { room: /^contracts$/, targets: /^$/ },
  { room: /^platform$/, targets: /^(packages\/.*|contracts)$/ },
  { room: /^services\//, targets: /^(packages\/.*|contracts|platform)$/ },
  { room: /^protocol$/, targets: /^(packages\/.*|contracts)$/ },
  { room: /^engine$/, targets: /^(packages\/async|contracts|protocol)$/ },
  { room: /^(faces\/.*|commands)$/, targets: /^(packages\/.*|contracts|protocol)$/ },
  { room: /^app$/, targets: /^(packages\/.*|contracts|platform|services\/.*|protocol|engine)$/ },
  { room: /^cli$/, targets: /^(?!outside).*$/ },
];

const SYSTEM =
  /^(node:)?(fs|fs\/promises|child_process|net|http|https|http2|dgram|tls|worker_threads|cluster|os|tty|process)$/;

/** Libraries that live in one room only; `inServiceIo`: also in the I/O folder of a service. */
const LIBRARY_ROOMS: readonly { readonly library: RegExp; readonly rooms: RegExp; readonly inServiceIo?: true }[] = [
  { library: SYSTEM, rooms: /^(platform|packages\/model-twin)$/, inServiceIo: true },
  { library: /^execa$/, rooms: /^platform$/, inServiceIo: true },
  { library: /^(react|ink)(\/|$)/, rooms: /^faces\/repl$/ },
  { library: /^@anthropic-ai\/sdk/, rooms: /^services\/provider$/ },
  { library: /^commander$/, rooms: /^cli$/ },
  { library: /^@modelcontextprotocol\/sdk/, rooms: /^(services\/mcp|faces\/mcp-server|app)$/ },
  { library: /^@opentelemetry\//, rooms: /^services\/telemetry$/ },
  { library: /^(bun$|bun:)/, rooms: /^$/ },
];

/** The one file that takes pages of the guide into the program. */
const GUIDE_PAGES = "src/services/agents/guide-pages.ts";

/** The problem of an import in one line; undefined if it is allowed. */
export function edgeProblem(edge: Edge): string | undefined {
  const room = roomOf(edge.from);
  if (edge.library !== undefined) return libraryProblem(edge.from, room, edge.library);
  const target = edge.target ?? "";
  const other = roomOf(target);
  if (other === room || target === "package.json") return undefined;
  if (edge.from === GUIDE_PAGES && /^docs\/guide\/.*\.md$/.test(target)) return undefined;
  const rule = MAY_IMPORT.find((floor) => floor.room.test(room));
  if (rule?.targets.test(other)) return undefined;
  return `${edge.from} (${room}) may not import ${target} (${other})`;
}

function libraryProblem(from: string, room: string, library: string): string | undefined {
  if (room === "contracts" && library !== "zod") return `${from} (contracts) may import zod only, not ${library}`;
  const rule = LIBRARY_ROOMS.find((entry) => entry.library.test(library));
  if (!rule || rule.rooms.test(room) || (rule.inServiceIo && isServiceIo(from))) return undefined;
  return `${from} (${room}) may not import ${library}`;
}

/** Import cycles among files, types included; each as the list of its files. */
export function cycles(graph: ReadonlyMap<string, readonly string[]>): readonly (readonly string[])[] {
  const state = new Map<string, "open" | "done">();
  const found: string[][] = [];
  const visit = (file: string, path: readonly string[]) => {
    if (state.get(file) === "done") return;
    if (state.get(file) === "open") {
      found.push([...path.slice(path.indexOf(file)), file]);
      return;
    }
    state.set(file, "open");
    for (const next of graph.get(file) ?? []) visit(next, [...path, file]);
    state.set(file, "done");
  };
  for (const file of graph.keys()) visit(file, []);
  return found;
}

/** The loop is short enough to read at once, and each file of the engine stays small. */
const MOST_LINES: readonly (readonly [place: string, lines: number])[] = [
  ["src/engine/query.ts", 150],
  ["src/engine/", 300],
];

/** The problems of a file's text, one line each. */
export function textProblems(file: string, text = textOf(file)): readonly string[] {
  const room = roomOf(file);
  const problems: string[] = [];
  const say = (what: string) => problems.push(`${file}: ${what}`);
  if (/^export\s+(\*|\{[^}]*\})\s+from\s/m.test(text)) say("re-exports another file (no barrels)");
  if (/\bprocess\.env\b/.test(text) && file !== "src/platform/env.ts") say("reads process.env outside platform/env.ts");
  const mayUseProcess = ["platform", "cli", "packages/model-twin"].includes(room) || isServiceIo(file);
  if (/\bprocess\.\w/.test(stripComments(text)) && !mayUseProcess) say("uses the process global");
  if (/\bBun\.\w/.test(stripComments(text))) say("uses a Bun-only API");
  if (file !== "src/main.ts" && file !== "packages/model-twin/src/main.ts") {
    const effect =
      /^(?!import|export|declare|type|interface|class|function|async function|const|let|abstract|\/|\s|\}|\)|\]|`|$)\S.*$/m.exec(
        maskStrings(text),
      );
    if (effect) say(`does something at import: ${effect[0].slice(0, 60)}`);
  }
  const lines = text.trimEnd().split("\n").length;
  const most = MOST_LINES.find(([place]) => file.startsWith(place))?.[1] ?? 600;
  if (lines > most) say(`has ${lines} lines (${most} at most)`);
  const isOwner = file === "src/engine/conversation.ts";
  if (room === "engine" && !isOwner && /\blog\??\.append\(/.test(text))
    say("writes to the log beside the conversation");
  return problems;
}

function stripComments(text: string): string {
  return text.replace(/\/\*[\s\S]*?\*\//g, "").replace(/(^|\s)\/\/.*$/gm, "");
}

/** Template literals may put any text at the start of a line; they are blanked. */
function maskStrings(text: string): string {
  return stripComments(text).replace(/`(?:[^`\\]|\\.)*`/g, (literal) =>
    literal.replace(/[^\n`]/g, " ").replace(/\n/g, "\n "),
  );
}
