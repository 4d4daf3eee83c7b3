/** The files of a search or a replacement. */
export type Target =
  | { readonly kind: "everywhere" }
  /** A file or a folder, taken literally. */
  | { readonly kind: "path"; readonly path: string }
  | { readonly kind: "glob"; readonly glob: string };

export type Range =
  | { readonly kind: "lines"; readonly first: number; readonly last: number }
  | { readonly kind: "head"; readonly count: number }
  | { readonly kind: "tail"; readonly count: number };

/** One fully parsed step. Paths and texts are in the person's spelling, without quotes and escapes. */
export type Step =
  | { readonly form: "list"; readonly pattern: string; readonly folder: string | undefined }
  | {
      readonly form: "search";
      /** A regular expression; a literal is already escaped. */
      readonly pattern: string;
      /** The search text as people see it. */
      readonly shown: string;
      readonly ignoreCase: boolean;
      readonly multiline: boolean;
      readonly target: Target;
    }
  | { readonly form: "read"; readonly path: string; readonly range: Range | undefined }
  | { readonly form: "outline"; readonly path: string }
  | { readonly form: "replace"; readonly from: string; readonly to: string; readonly target: Target }
  | { readonly form: "create"; readonly path: string; readonly content: string }
  | { readonly form: "append"; readonly path: string; readonly text: string }
  | { readonly form: "run"; readonly command: string }
  | { readonly form: "help" };

export type FormName = Step["form"];

/** A step with its words in the request. */
export type PlannedStep = { readonly step: Step; readonly words: string };
