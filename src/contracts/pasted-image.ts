/** How a prompt names a pasted image. */
export function imageMark(number: number): string {
  return `[Image ${number}]`;
}

/** The numbers of the images that a text names, each once. */
export function imageNumbers(words: string): readonly number[] {
  return [...new Set([...words.matchAll(/\[Image (\d{1,6})\]/g)].map(([, number]) => Number(number)))];
}

/** The marks to insert into the draft, or one line that says why there are none. */
export type PastedImages = { readonly marks: readonly string[] } | { readonly problem: string };

/** Takes images of the person into the session. Each rejects only when `signal` aborts. */
export type ImagePasting = {
  fromClipboard(signal: AbortSignal): Promise<PastedImages>;
  /** @returns undefined if one of the files does not exist or is no image. */
  fromFiles(paths: readonly string[], signal: AbortSignal): Promise<PastedImages | undefined>;
};
