/** Matches the innermost condition: its names, the text if all of them are present, and the text otherwise. */
const CONDITION = /\{\{if ([\w ]+)\}\}((?:(?!\{\{if )[\s\S])*?)\{\{end\}\}/g;

/**
 * Resolves the conditions in a text for the model: `{{if Grep Glob}}a{{else}}b{{end}}` becomes `a` if both names are
 * present, otherwise `b`, so that the text never mentions a tool that the model doesn't have. `{{else}}` may be left
 * out; conditions may be nested.
 * @param isThere True if the model has a tool, or a setting is on.
 */
export function promptText(template: string, isThere: (name: string) => boolean): string {
  const filled = template.replace(CONDITION, (_, names: string, body: string) => {
    const [then = "", otherwise = ""] = body.split("{{else}}");
    return names.split(" ").every(isThere) ? then : otherwise;
  });
  return filled === template ? filled : promptText(filled, isThere);
}
