import { renderToString } from "ink";
import type { ReactNode } from "react";

/**
 * The lines that a component draws, each at most `columns` wide unless a box in it is wider. No effect or input hook acts, and nothing
 * of the tree stays. A text without characters has no line: a blank stands for an empty line. Colours come from the theme, as codes in
 * the text: Ink's own follow what it guesses about stdout.
 */
export function drawComponent(element: ReactNode, columns: number): readonly string[] {
  const text = renderToString(element, { columns });
  return text === "" ? [] : text.split("\n");
}
