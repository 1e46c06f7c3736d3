// The plain page at the end of a sign-in at another server. It needs neither the app nor a session.
import { createHash } from 'node:crypto'
import type { FastifyReply } from 'fastify'

const style =
  ':root{color-scheme:light dark}' +
  'body{font:16px/1.5 system-ui,sans-serif;max-width:32em;margin:15vh auto;padding:0 24px;' +
  'color:light-dark(#1c1b18,#eceae4);background:light-dark(#fcfbf8,#171816)}' +
  'h1{font-size:22px}a{color:light-dark(#07564a,#7fd3c1);margin-right:24px}'

export type SignInPage = {
  readonly status: number
  readonly title: string
  /** What happened and what to do, as text. */
  readonly lines: readonly string[]
  readonly links?: readonly { readonly to: string; readonly words: string }[]
}

export function sendSignInPage(reply: FastifyReply, { status, title, lines, links = [] }: SignInPage): FastifyReply {
  const hash = createHash('sha256').update(style).digest('base64')
  const anchors = links.map(({ to, words }) => `<a href="${safe(to)}">${safe(words)}</a>`)
  const paragraphs = [...lines.map(safe), ...(anchors.length > 0 ? [anchors.join('')] : [])]
  return reply
    .code(status)
    .header('content-security-policy', `default-src 'none'; style-src 'sha256-${hash}'; frame-ancestors 'none'`)
    .header('referrer-policy', 'no-referrer')
    .type('text/html; charset=utf-8')
    .send(
      '<!doctype html><html lang="en"><meta charset="utf-8">' +
        '<meta name="viewport" content="width=device-width,initial-scale=1">' +
        `<title>${safe(title)} · Atrium</title><style>${style}</style>` +
        `<main><h1>${safe(title)}</h1>${paragraphs.map((each) => `<p>${each}</p>`).join('')}</main>`,
    )
}

function safe(text: string): string {
  return text.replaceAll(/[&<>"']/g, (sign) => `&#${sign.charCodeAt(0)};`)
}
