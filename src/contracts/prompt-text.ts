/** The innermost condition: its names, what stands there when all of them are there, and what stands there otherwise. */
const CONDITION = /\{\{if ([\w ]+)\}\}((?:(?!\{\{if )[\s\S])*?)\{\{end\}\}/g;

/**
 * Text for the model as it reads with what is there: `{{if Grep Glob}}a{{else}}b{{end}}` becomes `a` where both names are there,
 * else `b`, so that nothing is said of a tool that the model doesn't have. `{{else}}` may be left out; conditions may be nested.
 * @param isThere True if the model has a tool, or a setting is on.
 */
export function promptText(template: string, isThere: (name: string) => boolean): string {
  const filled = template.replace(CONDITION, (_, names: string, body: string) => {
    const [then = "", otherwise = ""] = body.split("{{else}}");
    return names.split(" ").every(isThere) ? then : otherwise;
  });
  return filled === template ? filled : promptText(filled, isThere);
}
