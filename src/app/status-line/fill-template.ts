import type { TemplateName } from "../../contracts/status-line.ts";
import { TEMPLATE_NAMES } from "../../contracts/status-line.ts";

const NAME = /\{(\w+)\}/g;
const BETWEEN = " · ";

/**
 * Fills the placeholders of a template. A part between ` · ` whose placeholders are all empty is left out. Unknown
 * placeholders stay unchanged.
 */
export function fillTemplate(template: string, values: Readonly<Record<TemplateName, string>>): string {
  return template
    .split("\n")
    .map((line) =>
      line
        .split(BETWEEN)
        .filter((part) => !isEmpty(part, values))
        .map((part) => part.replace(NAME, (source, name) => (isName(name) ? values[name] : source)))
        .join(BETWEEN),
    )
    .join("\n");
}

/** The placeholders of a template that Quoll does not know. */
export function unknownNames(template: string): readonly string[] {
  return [...template.matchAll(NAME)].flatMap(([, name = ""]) => (isName(name) ? [] : [name]));
}

function isEmpty(part: string, values: Readonly<Record<TemplateName, string>>): boolean {
  const names = [...part.matchAll(NAME)].map(([, name = ""]) => name);
  return names.length > 0 && names.every((name) => isName(name) && values[name] === "");
}

function isName(name: string): name is TemplateName {
  return (TEMPLATE_NAMES as readonly string[]).includes(name);
}
