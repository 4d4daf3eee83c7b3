import type { DocumentText, PartRange } from "../../contracts/documents.ts";

/** The line of JSON before the bytes of a document. */
export type DocumentOrder =
  | {
      readonly as: "document";
      readonly range?: PartRange | undefined;
      readonly maxParts: number;
      /** After this time, the child begins no further part. */
      readonly enoughMs: number;
    }
  | { readonly as: "part-of-pdf"; readonly pages: readonly number[] };

/** The answer of the child. `problem`: a phrase whose subject is the file: `is encrypted …`. */
export type DocumentAnswer = DocumentText | { readonly base64: string } | { readonly problem: string };

/** A fault of a document, as a phrase whose subject is the file. */
export class DocumentProblem extends Error {}
