import { withoutFences } from "./markdown.ts";

/** A bullet of a page: its words, and its beginning to find it by. */
export type Bullet = { readonly words: number; readonly beginning: string };

/** The bullets and numbered points of a page, each with its lines up to the next point, an empty line or a heading. */
export function bulletsOf(page: string): readonly Bullet[] {
  const point = /^[ \t]*(?:[-*]|\d+\.) (.*(?:\n(?![ \t]*(?:[-*] |\d+\. |#|\n|$)).*)*)/gm;
  return [...withoutFences(page).matchAll(point)].map(([, text = ""]) => ({
    words: text.trim().split(/\s+/).length,
    beginning: text.slice(0, 50),
  }));
}
