// Bytes of the web to text: by their mark, their header, what the page says of itself, or by looking at them.

/** How far into a page its own word about its encoding is looked for. */
const headBytes = 4_096

/** The text, or undefined for what is none. */
export function decodeText(bytes: Uint8Array, contentType: string): string | undefined {
  const label = markOf(bytes) ?? /charset\s*=\s*["']?([^\s"';]+)/i.exec(contentType)?.[1] ?? ownWord(bytes)
  const said = label === undefined ? undefined : decodeAs(label, bytes, false)
  const text = said ?? decodeAs('utf-8', bytes, true) ?? decodeAs('windows-1252', bytes, false) ?? ''
  return isBinary(text) ? undefined : text
}

/** Strictly where nobody has said what it is: what is no UTF-8 then has a letter for each byte. */
function decodeAs(label: string, bytes: Uint8Array, fatal: boolean): string | undefined {
  try {
    return new TextDecoder(label, { fatal }).decode(bytes)
  } catch {
    return undefined
  }
}

function markOf(bytes: Uint8Array): string | undefined {
  if (bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf) return 'utf-8'
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return 'utf-16be'
  return bytes[0] === 0xff && bytes[1] === 0xfe ? 'utf-16le' : undefined
}

function ownWord(bytes: Uint8Array): string | undefined {
  const head = Buffer.from(bytes.subarray(0, headBytes)).toString('latin1')
  return (
    /<meta[^>]{1,500}charset\s*=\s*["']?([^\s"'/>;]+)/i.exec(head)?.[1] ??
    /^<\?xml[^>]{1,200}encoding\s*=\s*["']([^"']+)/i.exec(head)?.[1]
  )
}

/** Text has no NUL, and next to no other control characters. */
function isBinary(text: string): boolean {
  const head = text.slice(0, headBytes)
  const odd = head.match(/(?![\t-\r])\p{Cc}/gu)?.length ?? 0
  return head.includes('\0') || odd > head.length / 100
}
