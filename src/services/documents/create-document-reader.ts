import { Semaphore } from "@quoll/async/semaphore";
import type { DocumentReader, DocumentRequest, DocumentText } from "../../contracts/documents.ts";
import { ToolFailedError } from "../../contracts/errors.ts";
import {
  CONVERT_MEMORY_BYTES,
  CONVERT_TIMEOUT_MS,
  type ConvertDeps,
  runConvertChild,
} from "../../platform/processes/convert-child.ts";
import type { DocumentAnswer, DocumentOrder } from "./document-order.ts";
import { type DrawDeps, drawPages } from "./io/draw-pages.ts";

/** Each takes a child with its own limit of memory. */
const MAX_CONVERSIONS = 2;
/** After this share of the time, the child begins no further part and gives those that it has. */
const ENOUGH_SHARE = 0.6;

export type DocumentReaderDeps = ConvertDeps & DrawDeps;

/** Reads documents in children with limits, so that no document can stop the program or fill its memory. */
export function createDocumentReader(deps: DocumentReaderDeps): DocumentReader {
  const converting = new Semaphore(MAX_CONVERSIONS);
  const convert = (order: DocumentOrder, request: Named, signal: AbortSignal) =>
    converting.run(() => answered(order, request, deps, signal));
  return {
    async read(request, signal) {
      const { range, maxParts } = request;
      const enoughMs = (deps.convertMs ?? CONVERT_TIMEOUT_MS) * ENOUGH_SHARE;
      const answer = await convert({ as: "document", range, maxParts, enoughMs }, request, signal);
      return answer as DocumentText;
    },
    async takePages(request, pages, signal) {
      const answer = await convert({ as: "part-of-pdf", pages }, request, signal);
      return Buffer.from("base64" in answer ? answer.base64 : "", "base64");
    },
    drawPages: (request, pages, signal) => converting.run(() => drawPages(request, pages, deps, signal)),
  };
}

type Named = Pick<DocumentRequest, "name" | "bytes">;

/** @throws {ToolFailedError} the document can't be read, or needs more than the limits. */
async function answered(
  order: DocumentOrder,
  { name, bytes }: Named,
  deps: ConvertDeps,
  signal: AbortSignal,
): Promise<Exclude<DocumentAnswer, { problem: string }>> {
  const run = await runConvertChild(order, bytes, deps, signal);
  if (run.kind === "over") throw new ToolFailedError(`${name} needs more than ${limitOf(run.limit, deps)} to be read.`);
  if (run.kind !== "ended") throw new ToolFailedError(`${name} could not be read (${run.reason}).`);
  const answer: DocumentAnswer = JSON.parse(run.stdout.toString("utf8"));
  if ("problem" in answer)
    throw new ToolFailedError(`${name} ${answer.problem.replaceAll("FILE", JSON.stringify(name))}`);
  return answer;
}

function limitOf(limit: "time" | "memory" | "output", { convertMs, convertBytes }: ConvertDeps): string {
  if (limit === "time") return `${(convertMs ?? CONVERT_TIMEOUT_MS) / 1000} s, the most that a document gets,`;
  const megabytes = (convertBytes ?? CONVERT_MEMORY_BYTES) / 1024 / 1024;
  return limit === "memory" ? `${megabytes} MB of memory, the most that a document gets,` : "the largest output";
}
