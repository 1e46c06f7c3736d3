// Decodes bytes from the web: by their byte order mark, the header, the page's own declaration, or by trying.

/** A page's declaration of its encoding is searched for in this many bytes. */
const headBytes = 4_096

/** The text, or undefined for binary data. */
export function decodeText(bytes: Uint8Array, contentType: string): string | undefined {
  const label = byteOrderMark(bytes) ?? /charset\s*=\s*["']?([^\s"';]+)/i.exec(contentType)?.[1] ?? declaredIn(bytes)
  const declared = label === undefined ? undefined : decodeAs(label, bytes, false)
  const text = declared ?? decodeAs('utf-8', bytes, true) ?? decodeAs('windows-1252', bytes, false) ?? ''
  return isBinary(text) ? undefined : text
}

/** With `fatal`, invalid bytes give undefined: undeclared text that is not UTF-8 is then read as windows-1252. */
function decodeAs(label: string, bytes: Uint8Array, fatal: boolean): string | undefined {
  try {
    return new TextDecoder(label, { fatal }).decode(bytes)
  } catch {
    return undefined
  }
}

function byteOrderMark(bytes: Uint8Array): string | undefined {
  if (bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf) return 'utf-8'
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return 'utf-16be'
  return bytes[0] === 0xff && bytes[1] === 0xfe ? 'utf-16le' : undefined
}

function declaredIn(bytes: Uint8Array): string | undefined {
  const head = Buffer.from(bytes.subarray(0, headBytes)).toString('latin1')
  return (
    /<meta[^>]{1,500}charset\s*=\s*["']?([^\s"'/>;]+)/i.exec(head)?.[1] ??
    /^<\?xml[^>]{1,200}encoding\s*=\s*["']([^"']+)/i.exec(head)?.[1]
  )
}

/** True for a text with a NUL, or with more than 1 % other control characters. */
function isBinary(text: string): boolean {
  const head = text.slice(0, headBytes)
  const odd = head.match(/(?![\t-\r])\p{Cc}/gu)?.length ?? 0
  return head.includes('\0') || odd > head.length / 100
}
