// Telegram's HTML, read as strictly as the real server does.

const tags = new Set(['b', 'strong', 'i', 'em', 'u', 's', 'code', 'pre', 'a', 'blockquote', 'tg-spoiler'])
const token = /<(\/?)([a-zA-Z-]*)((?:\s[^<>]*)?)>|<|&(#?\w*);?/g

/** Why a text is refused; undefined if it is not. */
export function entityFault(html: string): string | undefined {
  const open: string[] = []
  for (const match of html.matchAll(token)) {
    const [whole, closes, name = '', attributes = ''] = match
    if (whole === '<') return `Unexpected end of tag at byte offset ${match.index}`
    if (whole.startsWith('&')) {
      if (!/^&(lt|gt|amp|quot|#\d+);$/.test(whole)) return `Unsupported entity at byte offset ${match.index}`
      continue
    }
    if (!tags.has(name.toLowerCase())) return `Unsupported start tag "${name}" at byte offset ${match.index}`
    if (attributes !== '' && !/^ (class="language-[\w+#-]+"|href="[^"]+")$/.test(attributes))
      return `bad attributes ${attributes}`
    if (closes === '' && nestsBadly(open, name)) return `${name} inside ${open.at(-1)}`
    if (closes === '') open.push(name)
    else if (open.pop() !== name) return `Unmatched end tag at byte offset ${match.index}`
  }
  return open.length > 0 ? `Can't find end tag corresponding to start tag "${open.at(-1)}"` : undefined
}

/** Code has nothing inside, and is in no quote; quotes are not nested. */
function nestsBadly(open: readonly string[], name: string): boolean {
  if (open.at(-1) === 'code' || (open.at(-1) === 'pre' && name !== 'code')) return true
  return open.includes('blockquote') && ['blockquote', 'pre', 'code'].includes(name)
}

export function plainText(html: string): string {
  return html
    .replaceAll(/<\/?[a-z][^<>]*>/gi, '')
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&amp;', '&')
}
