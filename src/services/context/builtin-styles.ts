import type { OutputStyle } from "../../contracts/output-style.ts";
import concise from "./styles/concise.md" with { type: "text" };
import explanatory from "./styles/explanatory.md" with { type: "text" };
import learning from "./styles/learning.md" with { type: "text" };

/** The styles that come with Quoll. A file with the same name overrides a built-in style. */
export const BUILTIN_STYLES: readonly OutputStyle[] = [
  { name: "concise", description: "Leads with the result and says little else", text: concise.trim() },
  { name: "explanatory", description: "Explains the choices behind each change", text: explanatory.trim() },
  { name: "learning", description: "Leaves small parts of the work for you to write", text: learning.trim() },
].map((style) => ({ ...style, keepsCoding: true }));
