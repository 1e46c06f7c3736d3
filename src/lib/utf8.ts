// Strict UTF-8 decoding.

/** The text, or undefined if the bytes are not UTF-8. A byte order mark is removed unless `keepBom` is set. */
export function decodeUtf8(bytes: Uint8Array, { keepBom = false } = {}): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: keepBom }).decode(bytes)
  } catch {
    return undefined
  }
}
