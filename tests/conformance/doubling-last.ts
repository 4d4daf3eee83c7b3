/** Bytes of a body as events: frames with their length in front (Bedrock), or text with an empty line behind each. */
function lastEvent(bytes: Uint8Array, isFramed: boolean): Uint8Array {
  if (!isFramed) {
    const text = new TextDecoder().decode(bytes);
    const parts = text.split(/(?<=\r?\n\r?\n)/);
    return new TextEncoder().encode(parts.findLast((part) => part.trim() !== "") ?? "");
  }
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  let start = 0;
  while (start + view.getUint32(start) < bytes.length) start += view.getUint32(start);
  return bytes.subarray(start);
}

/** A `fetch` whose streams tell their last event twice, as a careless proxy may. */
export function doublingLast(real: typeof fetch): typeof fetch {
  const doubling = async (...[input, init]: Parameters<typeof fetch>) => {
    const response = await real(input, init);
    const type = response.headers.get("content-type") ?? "";
    if (!response.ok || !/event-?stream/.test(type)) return response;
    const bytes = new Uint8Array(await response.arrayBuffer());
    const last = lastEvent(bytes, type.includes("amazon"));
    const { status, headers } = response;
    return new Response(Buffer.concat([bytes, last]), { status, headers });
  };
  return Object.assign(doubling, { preconnect: real.preconnect });
}
