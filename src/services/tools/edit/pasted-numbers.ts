/** A line number as Read puts it before a line; of an empty line the tab may have been lost. */
const PREFIX = /^ *\d+(?:\t|$)/;

type Change = { readonly oldText: string; readonly newText: string };

/**
 * A change without the line numbers that were pasted along with it.
 * @returns undefined when not every line of the old text starts with a number.
 */
export function withoutNumbers({ oldText, newText }: Change): Change | undefined {
  const lines = oldText.split("\n");
  const body = lines.at(-1) === "" ? lines.slice(0, -1) : lines;
  if (body.length === 0 || !body.every((line) => PREFIX.test(line.replace(/\r$/, "")))) return undefined;
  const strip = (text: string) =>
    text
      .split("\n")
      .map((line) => line.replace(PREFIX, ""))
      .join("\n");
  return { oldText: strip(oldText), newText: strip(newText) };
}
