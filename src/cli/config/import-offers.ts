import { join } from "node:path";
import { plural } from "@quoll/terminal-text/plural";
import { isJsonObject } from "../../contracts/message.ts";
import { parsedJson } from "../../contracts/parsed-json.ts";
import { readSmallText, replaceIfPossible } from "../../platform/private-file.ts";
import { IMPORT_TOOLS, type ImportTool, importFiles, TOOL_NAMES } from "../../services/importing/import-sources.ts";
import type { ImportParts, PlannedLine } from "./import-plan.ts";

/** The number of sessions in which one program's settings are offered. */
const MAX_OFFERS = 3;
const MAX_BYTES = 64 * 1024;

type Offer = { readonly shown: number; readonly isImported: boolean };
type Offers = Readonly<Record<string, Offer>>;

/**
 * One line that offers to import the settings of other programs; undefined if there are none, or if they were offered
 * often enough. Counts as an offer.
 */
export async function importOffer(parts: ImportParts): Promise<string | undefined> {
  const { own, project, env } = parts;
  const offers = await readOffers(own.state);
  const isDue = (tool: ImportTool) => (offers[tool]?.shown ?? 0) < MAX_OFFERS && offers[tool]?.isImported !== true;
  const there = importFiles({ home: own.home, projectRoot: project.root, env }).map(({ tool }) => tool);
  const tools = IMPORT_TOOLS.filter((tool) => there.includes(tool) && isDue(tool));
  if (tools.length === 0) return undefined;
  const { planImport } = await import("./import-plan.ts");
  const plan = await planImport(parts, tools);
  const found = tools.flatMap((tool) => {
    const lines = plan.filter((file) => file.tool === tool).flatMap((file) => file.lines);
    const counts = countsOf(lines.filter(({ state }) => state === "new"));
    return counts === "" ? [] : [{ tool, text: `${TOOL_NAMES[tool]} (${counts})` }];
  });
  if (found.length === 0) return undefined;
  const shown = found.map(({ tool }) => [tool, { shown: (offers[tool]?.shown ?? 0) + 1, isImported: false }]);
  writeOffers(own.state, { ...offers, ...Object.fromEntries(shown) });
  const names = new Intl.ListFormat("en").format(found.map(({ text }) => text));
  return `Found settings of ${names}: quoll config import`;
}

/** These programs' settings are never offered again. */
export async function rememberImported(state: string, tools: readonly ImportTool[]): Promise<void> {
  const offers = await readOffers(state);
  const imported = tools.map((tool) => [tool, { shown: offers[tool]?.shown ?? 0, isImported: true }]);
  writeOffers(state, { ...offers, ...Object.fromEntries(imported) });
}

function countsOf(lines: readonly PlannedLine[]): string {
  const kinds = { rule: 0, hook: 0, "MCP server": 0, setting: 0, key: 0 };
  for (const { part } of lines) {
    if (part?.kind === "server") kinds["MCP server"] += 1;
    else if (part?.kind === "keys") kinds.key += 1;
    else if (part?.path[0] === "hooks") kinds.hook += 1;
    else if (part?.path[0] === "permissions" && part.isItem) kinds.rule += 1;
    else kinds.setting += 1;
  }
  return Object.entries(kinds)
    .flatMap(([name, count]) => (count > 0 ? [plural(count, name)] : []))
    .join(", ");
}

async function readOffers(state: string): Promise<Offers> {
  const offers = parsedJson((await readSmallText(fileIn(state), MAX_BYTES).catch(() => undefined)) ?? "");
  return isJsonObject(offers) && Object.values(offers).every(isOffer) ? (offers as Offers) : {};
}

function isOffer(value: unknown): value is Offer {
  return isJsonObject(value) && typeof value["shown"] === "number" && typeof value["isImported"] === "boolean";
}

/** If the state folder can't be written, the offer is only repeated. */
function writeOffers(state: string, offers: Offers): void {
  replaceIfPossible(fileIn(state), `${JSON.stringify(offers)}\n`);
}

function fileIn(state: string): string {
  return join(state, "import-offers.json");
}
