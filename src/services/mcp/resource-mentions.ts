/** A resource that a person names in a prompt: `@server:uri`. */
export type ResourceMention = { readonly server: string; readonly uri: string };

/** Resources that one prompt attaches. */
const MAX_MENTIONS = 20;

/**
 * The resources that a prompt names, each once. The punctuation at the end of a sentence belongs to the URI only if the
 * server lists it so.
 */
export function resourceMentions(
  words: string,
  servers: ReadonlySet<string>,
  isListed: (mention: ResourceMention) => boolean,
): readonly ResourceMention[] {
  const found = new Map<string, ResourceMention>();
  for (const [, server = "", written = ""] of words.matchAll(/(?<=^|[\s("'`])@([^\s@:]+):(\S+)/g)) {
    if (!servers.has(server)) continue;
    const plain = written.replace(/[.,;:!?)"'`]+$/, "");
    const uri = isListed({ server, uri: written }) ? written : plain;
    if (uri !== "") found.set(`${server}:${uri}`, { server, uri });
  }
  return [...found.values()].slice(0, MAX_MENTIONS);
}
