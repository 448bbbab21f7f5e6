// The payload: compressed JSON in base64, so that names in it are never parsed as markup and the file stays small.

export async function unpacked(text) {
  const inflated = new Blob([bytesOf(text)]).stream().pipeThrough(new DecompressionStream("deflate"));
  return JSON.parse(await new Response(inflated).text());
}

/** Decode base64 to bytes. */
export function bytesOf(text) {
  const letters = atob(text);
  const bytes = new Uint8Array(letters.length);
  for (let i = 0; i < bytes.length; i++) bytes[i] = letters.charCodeAt(i);
  return bytes;
}
