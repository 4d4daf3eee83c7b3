/** The used part of the runtime's image codec; Bun has one, Node has none. */
type Codec = new (
  input: Uint8Array,
  options?: { readonly maxPixels?: number },
) => {
  resize(
    width: number,
    height: number,
    options: { readonly fit: "inside"; readonly withoutEnlargement: true },
  ): {
    png(): { buffer(): Promise<Buffer> };
    jpeg(options: { readonly quality: number }): { buffer(): Promise<Buffer> };
  };
};

/** The maximum number of pixels of an image to decode, since each takes 4 bytes of memory. */
const MAX_PIXELS = 100_000_000;
const JPEG_QUALITY = 80;

export type SmallImage = { readonly bytes: Buffer; readonly mediaType: "image/png" | "image/jpeg" };

/**
 * Re-encodes an image so that it fits a square: as PNG, or as JPEG when that is still too many bytes.
 * @param maxSide Pixels of the longest side.
 * @param maxBytes Bytes of the result.
 * @returns undefined when the runtime has no codec (Node), or the image can't be decoded or shrunk enough.
 */
export async function shrinkImage(
  image: Uint8Array,
  { maxSide, maxBytes }: { readonly maxSide: number; readonly maxBytes: number },
): Promise<SmallImage | undefined> {
  const codec = runtimeCodec();
  if (!codec) return undefined;
  try {
    const small = () =>
      new codec(image, { maxPixels: MAX_PIXELS }).resize(maxSide, maxSide, { fit: "inside", withoutEnlargement: true });
    const png = await small().png().buffer();
    if (png.length <= maxBytes) return { bytes: png, mediaType: "image/png" };
    const jpeg = await small().jpeg({ quality: JPEG_QUALITY }).buffer();
    return jpeg.length <= maxBytes ? { bytes: jpeg, mediaType: "image/jpeg" } : undefined;
  } catch {
    // The image is damaged or in an unknown format; the caller decides.
    return undefined;
  }
}

/** True if the runtime has a codec (Node has none) and can't decode this PNG or JPEG. */
export async function isDamaged(image: Uint8Array): Promise<boolean> {
  const codec = runtimeCodec();
  if (!codec) return false;
  try {
    const options = { fit: "inside", withoutEnlargement: true } as const;
    await new codec(image, { maxPixels: MAX_PIXELS }).resize(16, 16, options).png().buffer();
    return false;
  } catch {
    return true;
  }
}

function runtimeCodec(): Codec | undefined {
  const runtime: { readonly Image?: Codec } | undefined = Reflect.get(globalThis, "Bun");
  return runtime?.Image;
}
