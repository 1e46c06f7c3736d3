// UTF-8 that is checked: bytes that are none are nobody's text.

/** The text, or undefined when the bytes are not UTF-8. A byte order mark is no part of it, unless it is to be kept. */
export function decodeUtf8(bytes: Uint8Array, { keepMark = false } = {}): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: keepMark }).decode(bytes)
  } catch {
    return undefined
  }
}
