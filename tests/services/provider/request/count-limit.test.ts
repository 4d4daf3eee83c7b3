import { expect, test } from "bun:test";
import { refusedCount } from "../../../../src/services/provider/request/count-limit.ts";
import { refusalKind } from "../../../../src/services/provider/request/failure.ts";

test.each([
  ["too many images and documents: 104 + 1 > 100", { what: "media", max: 100 }],
  ["Too much media: 0 document pages + 102 images > 100", { what: "media", max: 100 }],
  ["At most 5 image(s) may be provided in one request.", { what: "images", max: 5 }],
  ["Too many images in request. Max is 10.", { what: "images", max: 10 }],
  [
    "The request contains too many images: 11 images were provided, but the model supports a maximum of 10 images.",
    { what: "images", max: 10 },
  ],
  ["Image count 6 exceeds limit 4 per request.", { what: "images", max: 4 }],
  ["request contains 54 images, exceeding the maximum of 50 allowed per request", { what: "images", max: 50 }],
  ["Too many images provided. This model supports up to 5 images", { what: "images", max: 5 }],
  ["Too many documents in the request", { what: "documents" }],
  [
    "array_above_max_length Invalid 'tools': array too long. Expected an array with maximum length 128, but got an array with length 158 instead.",
    { what: "tools", max: 128 },
  ],
  ["Too many functions. At most 64 functions are allowed.", { what: "tools", max: 64 }],
] as const)("%p is a refusal of a number", (words, limit) => {
  expect(refusedCount(words)).toEqual(limit);
  expect(refusalKind(400, words)).toBe("too_many");
});

test.each([
  ["messages.0.content.0.image.source.base64: image exceeds 5 MB maximum: 6000000 bytes > 5242880 bytes"],
  ["At least one of the image dimensions exceed max allowed size for many-image requests: 2000 pixels"],
  ["prompt is too long: 210000 tokens > 200000 maximum"],
  ["Invalid 'tools[0].function.description': string too long. Expected a string with maximum length 1024"],
  ["Invalid 'messages[0].content[1].image_url.url': string too long. Expected a string with maximum length 10485760"],
  ["Could not process image"],
  ["max_tokens must be at most 8192"],
  ["Too many requests"],
])("%p states no limit of a count", (words) => {
  expect(refusedCount(words)).toBeUndefined();
});
