import type { DocumentUnit, PartRange } from "../../contracts/documents.ts";
import { DocumentProblem } from "./document-order.ts";

/** Takes the events of an HTML parser and makes Markdown of them. */
export type ElementWriter = {
  open(name: string, attributes: Readonly<Record<string, string>>): void;
  text(text: string): void;
  close(name: string): void;
  finish(): string;
};
export type NewWriter = () => ElementWriter;

/** Which parts of a document are wanted. */
export type PartsWanted = {
  /** Undefined: from the first on. */
  readonly range?: PartRange | undefined;
  readonly maxParts: number;
  /** True when the time is used up: no further part is begun. */
  isEnough(): boolean;
};

/**
 * The numbers of the parts to read.
 * @throws {DocumentProblem} the document has no such part.
 */
export function partNumbers({ range, maxParts }: PartsWanted, total: number, unit: DocumentUnit): readonly number[] {
  const first = range?.first ?? 1;
  if (range && first > total) throw new DocumentProblem(`has no ${unit} ${first}: it has ${total}.`);
  const last = Math.min(total, range?.last ?? total, first + maxParts - 1);
  return Array.from({ length: Math.max(0, last - first + 1) }, (_, index) => first + index);
}
