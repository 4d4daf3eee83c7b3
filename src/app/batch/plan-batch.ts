import { resolve } from "node:path";
import { z } from "zod";
import type { AgentDefinition } from "../../contracts/agent-definition.ts";
import type { BatchExpect, BatchPlan, BatchRequest } from "../../contracts/batch.ts";
import { errorMessage, UserFacingError } from "../../contracts/errors.ts";
import { NO_USAGE } from "../../contracts/message.ts";
import { parsedJson } from "../../contracts/parsed-json.ts";
import { entryExists } from "../../platform/paths.ts";
import { readSmallText } from "../../platform/private-file.ts";
import { assertFillable, type ExpectTemplate, fillExpect } from "../../services/batch/batch-expect.ts";
import { type BatchInput, fillTemplate, namesIn, offeredNames, readInputs } from "../../services/batch/batch-inputs.ts";
import type { BatchFolder } from "../../services/batch/io/batch-file.ts";
import type { AskingCatalog } from "../../services/provider/catalog.ts";
import { modelNamed } from "../choose-model.ts";
import type { ModelAccess } from "../model-access.ts";
import { outputShape } from "../session/output-shape.ts";
import type { BatchParts } from "./batch-parts.ts";

const USUAL_AGENT = "general-purpose";

export type PlanParts = Pick<BatchParts, "main" | "environment"> & {
  readonly batches: BatchFolder;
};

/**
 * Reads the inputs of a batch, checks that each has a prompt and that its agents can start, and saves it.
 * @throws {UserFacingError} one line that says what can't be used.
 */
export async function planBatch(request: BatchRequest, parts: PlanParts, signal: AbortSignal): Promise<BatchPlan> {
  const { source, template, model, budget, out } = request;
  const { main, batches } = parts;
  const { cwd } = main.workspace;
  const definition = await definitionOf(request, parts);
  const { name: agent } = definition;
  const isIsolated = request.isIsolated === true || definition.isIsolated === true;
  if (isIsolated) await assertRepository(parts);
  const parallel = parallelOf(request, parts);
  const inputs = await readInputs(source, cwd, signal);
  const names = namesIn(template, inputs);
  const expect = request.expect && (await expectOf(request.expect, cwd));
  const contracts = expect ? contractsOf(expect, inputs) : [];
  const [firstPrompt = ""] = inputs.map((input) => fillTemplate(template, input, names));
  const resultsFile = out === undefined ? undefined : resolve(cwd, out);
  if (resultsFile !== undefined && entryExists(resultsFile))
    throw new UserFacingError(`${out} already exists: name a new file for the results.`);
  const id = batches.create({
    version: 1,
    createdAt: new Date(main.session.app.clock.now()).toISOString(),
    template,
    agent,
    ...(model !== undefined && { model }),
    ...(budget && { budget }),
    parallel,
    ...(isIsolated && { isIsolated }),
    ...(expect && { expect }),
    ...(resultsFile !== undefined && { out: resultsFile }),
    inputs: inputs.map(({ text, fields }) => ({ text, ...(fields && { fields }) })),
  });
  const file = resultsFile ?? batches.resultsFile(id);
  const firstChecks = checksOf(contracts[0]);
  return { id, count: inputs.length, firstPrompt, agent, parallel, isIsolated, firstChecks, budget, resultsFile: file };
}

/** Agents of a batch work in the pool of all agents. */
function parallelOf({ parallel }: BatchRequest, { main }: PlanParts): number {
  const { pool } = main.session.delegation;
  if (parallel === undefined || parallel <= pool.width) return parallel ?? pool.width;
  throw new UserFacingError(
    `At most ${pool.width} agents work at once: set agents.maxRunning to ${parallel} in the settings, or give --parallel ${pool.width}.`,
  );
}

/** The code for worktrees is loaded when the first worktree is needed. */
async function assertRepository({ environment }: PlanParts): Promise<void> {
  (await import("../worktree/open-worktrees.ts")).openWorktrees(environment);
}

/** The agents' type; its model must have a price if the budget is in dollars. */
async function definitionOf(
  { agent = USUAL_AGENT, model, budget }: BatchRequest,
  parts: PlanParts,
): Promise<AgentDefinition> {
  const { main } = parts;
  const { delegation, access, catalog } = main.session;
  const definition = await delegation.types.find(agent).catch((cause: unknown) => {
    throw new UserFacingError(errorMessage(cause), 1, { cause });
  });
  if (definition.isFork) throw new UserFacingError(`A batch can't use ${definition.name}: name another agent type.`);
  const wanted = model ?? (definition.model === "inherit" ? undefined : definition.model);
  const chosen = wanted === undefined ? undefined : await modelOf(wanted, model !== undefined, access, catalog);
  const answering = chosen ?? main.engine.state.model;
  if (budget?.unit !== "usd") return definition;
  if ((await catalog.cost(answering, { ...NO_USAGE, inputTokens: 1 })) === undefined)
    throw new UserFacingError(
      `The price of ${answering} is unknown, so a budget in dollars can't be kept: give --max-tokens instead of --max-usd.`,
    );
  return definition;
}

/** A model that only the definition names may be missing: the agents then use the session's model. */
async function modelOf(
  name: string,
  isAsked: boolean,
  access: ModelAccess,
  catalog: AskingCatalog,
): Promise<string | undefined> {
  try {
    return (await modelNamed(name, access, catalog)).model;
  } catch (error) {
    if (isAsked) throw error;
    return undefined;
  }
}

const MAX_SCHEMA_BYTES = 1024 * 1024;
const jsonObject = z.record(z.string(), z.unknown());

/**
 * Reads the schema of a contract now, so that a later run uses the same schema.
 * @param cwd The folder for relative paths.
 * @throws {UserFacingError} the schema can't be used.
 */
async function expectOf({ files, command, schemaFile }: BatchExpect, cwd: string): Promise<ExpectTemplate> {
  const given = { ...(files && { files: [...files] }), ...(command !== undefined && { command }) };
  if (schemaFile === undefined) return given;
  const text = await readSmallText(resolve(cwd, schemaFile), MAX_SCHEMA_BYTES).catch(() => undefined);
  if (text === undefined) throw new UserFacingError(`--schema: the file ${schemaFile} can't be read.`);
  const { data: schema } = jsonObject.safeParse(parsedJson(text));
  if (!schema) throw new UserFacingError(`--schema: ${schemaFile} holds no JSON object.`);
  await outputShape({ schema, source: `--schema: ${schemaFile}` });
  return { ...given, schema };
}

/** The contracts of all inputs. @throws {UserFacingError} a contract can't be filled in. */
function contractsOf(expect: ExpectTemplate, inputs: readonly BatchInput[]): readonly ExpectTemplate[] {
  const offered = offeredNames(inputs);
  assertFillable(expect, offered);
  return inputs.map((input) => fillExpect(expect, input, offered));
}

/** A contract for the person, one phrase for each part. */
function checksOf({ files = [], command, schema }: ExpectTemplate = {}): readonly string[] {
  const changed = files.length > 0 ? [`changed: ${files.join(", ")}`] : [];
  const passes = command === undefined ? [] : [`passes: ${command}`];
  return [...changed, ...passes, ...(schema ? ["the answer fits the schema"] : [])];
}
