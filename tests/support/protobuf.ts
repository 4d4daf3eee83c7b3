/**
 * Reads messages of protocol buffers by a table of their fields: enough for OTLP, and written from the description of the
 * wire format, so that what the exporters send is not read by their own code.
 */
export type Kind =
  | "string"
  | "hex"
  | "varint"
  | "fixed64"
  | "fixed32"
  | "double"
  | "packed64"
  | "packedDouble"
  | Fields;
/** By field number: its name and what it is; `many`: it may come again and again. */
export type Fields = {
  readonly [number: number]: { readonly name: string; readonly kind: Kind; readonly many?: boolean };
};
export type Read = { [name: string]: unknown };

/** @throws {Error} a field that the table doesn't hold has an unknown wire type, or the bytes end too early. */
export function readMessage(bytes: Uint8Array, fields: Fields): Read {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const message: Read = {};
  let at = 0;
  const varint = (): bigint => {
    let value = 0n;
    for (let shift = 0n; ; shift += 7n) {
      const byte = bytes[at++];
      if (byte === undefined) throw new Error("The message ends in a number.");
      value |= BigInt(byte & 0x7f) << shift;
      if (byte < 0x80) return value;
    }
  };
  const chunk = (): Uint8Array => {
    const length = Number(varint());
    if (at + length > bytes.length) throw new Error("The message ends in a field.");
    at += length;
    return bytes.subarray(at - length, at);
  };
  const raw = (wire: number): bigint | Uint8Array => {
    if (wire === 0) return varint();
    if (wire === 2) return chunk();
    at += wire === 1 ? 8 : 4;
    if (wire === 1) return view.getBigUint64(at - 8, true);
    if (wire === 5) return BigInt(view.getUint32(at - 4, true));
    throw new Error(`There is no wire type ${wire}.`);
  };
  while (at < bytes.length) {
    const tag = Number(varint());
    const value = raw(tag & 7);
    const field = fields[tag >> 3];
    if (!field) continue;
    const read = convert(value, field.kind);
    const before = message[field.name];
    message[field.name] = field.many ? [...(Array.isArray(before) ? before : []), read] : read;
  }
  return message;
}

function convert(value: bigint | Uint8Array, kind: Kind): unknown {
  if (typeof value === "bigint")
    return kind === "double" ? doubleOf(value) : kind === "fixed64" ? value : Number(BigInt.asIntN(64, value));
  if (kind === "string") return new TextDecoder().decode(value);
  if (kind === "hex") return Buffer.from(value).toString("hex");
  if (kind === "packed64") return eights(value, (view, at) => Number(view.getBigUint64(at, true)));
  if (kind === "packedDouble") return eights(value, (view, at) => view.getFloat64(at, true));
  if (typeof kind === "object") return readMessage(value, kind);
  throw new Error(`A ${kind} came as bytes.`);
}

function doubleOf(bits: bigint): number {
  const view = new DataView(new ArrayBuffer(8));
  view.setBigUint64(0, bits);
  return view.getFloat64(0);
}

function eights(bytes: Uint8Array, read: (view: DataView, at: number) => number): readonly number[] {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return Array.from({ length: bytes.length / 8 }, (_, index) => read(view, index * 8));
}
