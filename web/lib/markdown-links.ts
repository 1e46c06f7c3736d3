// Addresses in Markdown: what is a link, and where it ends. Links lead to http, https and mail addresses only.
import { decodeEntities } from './markdown-entities.ts'
import type { Find } from './markdown-find.ts'

/** Parentheses inside one another in an address. */
const maxParens = 32

/** The address if a link may lead there. */
export function safeHref(address: string): string | undefined {
  const href = decodeEntities(address.replaceAll(/\\([!-/:-@[-`{-~])/g, '$1')).trim()
  return /^(?:https?:\/\/|mailto:)[^\s]/i.test(href) ? href : undefined
}

export type Target = { readonly address: string; readonly end: number }

/** Reads `(address "title")` at a place. */
export function targetAt(text: string, from: number, find: Find): Target | undefined {
  if (text[from] !== '(') return undefined
  const begin = skipSpace(text, from + 1)
  const bracketed = stickyMatch(/<([^<>\n]*)>/y, text, begin)
  if (!bracketed && text[begin] === '<') return undefined
  const end = bracketed ? begin + bracketed[0].length : addressEnd(text, begin)
  if (end === undefined) return undefined
  let at = skipSpace(text, end)
  const quote = text[at]
  if (at > end && (quote === '"' || quote === "'")) {
    const close = find(quote, at + 1)
    if (close < 0) return undefined
    at = skipSpace(text, close + 1)
  }
  if (text[at] !== ')') return undefined
  return { address: bracketed?.[1] ?? text.slice(begin, end), end: at + 1 }
}

/** The end of an address without brackets: at a space, or at a `)` that it did not open. */
function addressEnd(text: string, from: number): number | undefined {
  let depth = 0
  let at = from
  for (; at < text.length; at++) {
    const char = text.charAt(at)
    if (char === '\\') at++
    else if (char === '(') {
      if (++depth > maxParens) return undefined
    } else if (char === ')') {
      if (--depth < 0) break
    } else if (char <= ' ') break
  }
  return Math.min(at, text.length)
}

function skipSpace(text: string, from: number): number {
  let at = from
  while (text[at] === ' ' || text[at] === '\n' || text[at] === '\t') at++
  return at
}

/** The end of a bare address in the text. Punctuation at its end belongs to the sentence. */
export function bareEnd(text: string, from: number): number {
  const found = stickyMatch(/[^\s<\]]+/y, text, from)?.[0] ?? ''
  let end = found.length
  let open = 0
  for (const char of found) open += char === '(' ? 1 : char === ')' ? -1 : 0
  for (; end > 0; end--) {
    const last = found.charAt(end - 1)
    if (last === ')' && open < 0) open++
    else if (!/[?!.,:;*_~'"|]/.test(last)) break
  }
  return from + end
}

const mailName = /[A-Za-z0-9.+_-]{1,64}$/
const mailHost = /[A-Za-z0-9](?:[A-Za-z0-9-]{0,62}\.){1,8}[A-Za-z]{2,24}(?![\w-])/y

/** The mail address around an `@`: where it begins and ends. */
export function mailAround(text: string, at: number): { from: number; end: number } | undefined {
  const name = mailName.exec(text.slice(Math.max(0, at - 65), at))?.[0] ?? ''
  const host = stickyMatch(mailHost, text, at + 1)?.[0]
  return name !== '' && name.length < 65 && host ? { from: at - name.length, end: at + 1 + host.length } : undefined
}

/** Matches a sticky pattern at a place. */
export function stickyMatch(pattern: RegExp, text: string, at: number): RegExpExecArray | null {
  pattern.lastIndex = at
  return pattern.exec(text)
}
