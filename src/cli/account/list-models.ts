import { formatCount } from "@quoll/terminal-text/format-amount";
import { tableLines } from "@quoll/terminal-text/table-lines";
import { priceText } from "../../commands/model-table.ts";
import type { ModelOffer } from "../../contracts/command.ts";
import { printProblem } from "../../platform/host.ts";
import { printLine, printOut } from "../../platform/standard-output.ts";
import { projectHere } from "../project-here.ts";
import { describeModels } from "../session/face-services.ts";

/** A server that computes an answer can be slow to list its models; a closed port refuses at once. */
const SERVER_WAIT_MS = 5_000;

/**
 * `quoll models`: the names that `--model` takes, including those from the settings. Shows the model, provider, window
 * and price of each name, and whether there is a key.
 */
export async function listModels({ json: asJson = false }: { json?: boolean }): Promise<number> {
  const environment = await projectHere({}, printProblem);
  const onMissing = (provider: string, reason: string) =>
    printProblem(`the models of ${provider} are not in the list: ${reason}`);
  const offers = await describeModels(environment, [], { waitMs: SERVER_WAIT_MS, runsHelpers: true, onMissing });
  if (asJson) printOut(`${JSON.stringify(offers.map(fieldsOf), null, 2)}\n`);
  else for (const line of table(offers)) printLine(line);
  return 0;
}

/** Prices in US dollars per million tokens; null means unknown. */
function fieldsOf({ name, model, provider, windowTokens, price, efforts, hasAccess }: ModelOffer) {
  return { name, model, provider, contextWindow: windowTokens ?? null, price: price ?? null, efforts, hasAccess };
}

function table(offers: readonly ModelOffer[]): readonly string[] {
  const rows = offers.map((offer) => {
    const { name, model, windowTokens, hasAccess } = offer;
    const isAlias = name !== model && !name.endsWith(`/${model}`);
    const window = windowTokens === undefined ? "-" : formatCount(windowTokens);
    return [isAlias ? `${name} → ${model}` : name, window, priceText(offer.price), hasAccess ? "" : "no key"];
  });
  return tableLines(rows, "", [1]);
}
