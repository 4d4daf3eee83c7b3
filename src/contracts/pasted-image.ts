/** The placeholder for a pasted image in a prompt. */
export function imageMark(number: number): string {
  return `[Image ${number}]`;
}

/** The numbers of the images that a text names, without duplicates. */
export function imageNumbers(words: string): readonly number[] {
  return [...new Set([...words.matchAll(/\[Image (\d{1,6})\]/g)].map(([, number]) => Number(number)))];
}

/** The placeholders to insert into the draft, or one line that says why there are none. */
export type PastedImages =
  | { readonly marks: readonly string[] }
  | {
      readonly problem: string;
      /** True if the pasted text is inserted as it is. */
      readonly keepsText?: true;
    };

/** Adds images of the person to the session. Each method rejects only when `signal` aborts. */
export type ImagePasting = {
  fromClipboard(signal: AbortSignal): Promise<PastedImages>;
  /** @returns undefined if one of the files does not exist or is not an image. */
  fromFiles(paths: readonly string[], signal: AbortSignal): Promise<PastedImages | undefined>;
};
