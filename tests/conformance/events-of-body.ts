/**
 * The byte offset at which each event of a body ends: frames with a length before them (Bedrock), or text with an
 * empty line after each event.
 */
export function eventEnds(bytes: Uint8Array, isFramed: boolean): readonly number[] {
  const ends: number[] = [];
  if (isFramed) {
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    for (let at = view.getUint32(0); at <= bytes.length; at += view.getUint32(at)) {
      ends.push(at);
      if (at === bytes.length) break;
    }
    return ends;
  }
  let end = 0;
  for (const part of new TextDecoder().decode(bytes).split(/(?<=\r?\n\r?\n)/)) {
    end += Buffer.byteLength(part);
    if (part.trim() !== "") ends.push(end);
  }
  return ends;
}

/** True if a response is a stream of events; `isFramed`: in Amazon's binary frames. */
export function streamKind({ ok, headers }: Response): { readonly isFramed: boolean } | undefined {
  const type = headers.get("content-type") ?? "";
  return ok && /event-?stream/.test(type) ? { isFramed: type.includes("amazon") } : undefined;
}
