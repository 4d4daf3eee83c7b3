/** A resource that a person names in a prompt: `@server:uri`. */
export type ResourceMention = { readonly server: string; readonly uri: string };

/**
 * The resources that a prompt names, each once. The punctuation at the end of a sentence belongs to the URI only if the
 * server lists the URI in that form.
 * @param isMeant False for a word that only looks like a resource.
 */
export function resourceMentions(
  words: string,
  isMeant: (mention: ResourceMention) => boolean,
  isListed: (mention: ResourceMention) => boolean,
): readonly ResourceMention[] {
  const found = new Map<string, ResourceMention>();
  for (const [, server = "", written = ""] of words.matchAll(/(?<=^|[\s("'`])@([^\s@:]+):(\S+)/g)) {
    const plain = written.replace(/[.,;:!?)"'`]+$/, "");
    const uri = isListed({ server, uri: written }) ? written : plain;
    if (uri !== "" && isMeant({ server, uri })) found.set(`${server}:${uri}`, { server, uri });
  }
  return [...found.values()];
}
