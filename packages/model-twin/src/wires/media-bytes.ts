const BASE64 = /^[A-Za-z0-9+/]*={0,2}$/;
/** Enough for every signature below. */
const HEAD_CHARS = 64;

/** How files of each type begin; `offset` in bytes. Sources: the PNG, JPEG, GIF, WebP (RIFF) and PDF specifications. */
const SIGNATURES: Readonly<Record<string, readonly { readonly offset: number; readonly bytes: string }[][]>> = {
  "image/png": [[{ offset: 0, bytes: "\x89PNG\r\n\x1a\n" }]],
  "image/jpeg": [[{ offset: 0, bytes: "\xff\xd8\xff" }]],
  "image/gif": [[{ offset: 0, bytes: "GIF87a" }], [{ offset: 0, bytes: "GIF89a" }]],
  "image/webp": [
    [
      { offset: 0, bytes: "RIFF" },
      { offset: 8, bytes: "WEBP" },
    ],
  ],
  "application/pdf": [[{ offset: 0, bytes: "%PDF-" }]],
};

/**
 * Without line breaks, padded. The length is judged separately, because one expression for both would overflow on
 * large images.
 */
export const isBase64 = (data: string): boolean => data.length % 4 === 0 && BASE64.test(data);

/** The media type according to the first bytes; undefined for an unknown type. */
export function typeOfBytes(base64: string): string | undefined {
  const head = Buffer.from(base64.slice(0, HEAD_CHARS), "base64").toString("latin1");
  const known = Object.entries(SIGNATURES).find(([, forms]) =>
    forms.some((form) => form.every(({ offset, bytes }) => head.startsWith(bytes, offset))),
  );
  return known?.[0];
}
