// Attacks on the doors: tokens, origins, hosts and signatures.
import { createHmac } from 'node:crypto'
import { newToken } from '#lib/token.ts'
import { type Attack, outcomeOf } from './attack.ts'
import { openRoutes, operationsOf } from './operations.ts'
import { send, type Sent } from './send.ts'
import type { Target } from './target.ts'

const foreign = 'https://evil.example'

export function doorAttacks(target: Target): Attack[] {
  const { gateway, ann } = target
  const message = { method: 'POST', body: { message: 'hi' } }
  return [
    {
      name: 'no token',
      tried: 'every route that needs one, without',
      run: () => tryAll(target, (url, method) => send(url, { method, body: bodyFor(method) })),
    },
    {
      name: 'wrong token',
      tried: 'every route, with a token that nobody has',
      run: () =>
        tryAll(target, (url, method) =>
          send(url, { method, body: bodyFor(method), headers: { authorization: `Bearer ${newToken()}` } }),
        ),
    },
    {
      name: 'token in a URL',
      tried: 'a valid token as token, access_token, auth, api_key and key',
      run: async () => {
        const path = `${gateway}/api/threads`
        const tries = ['token', 'access_token', 'auth', 'api_key', 'key'].map((name) => `${path}?${name}=${ann}`)
        const answers = await Promise.all(tries.map((url) => send(url)))
        return outcomeOf(through(answers), statuses(answers))
      },
    },
    {
      name: 'foreign Origin',
      tried: 'a signed-in browser sends for another site, also by WebSocket',
      run: async () => {
        const cookie = await signIn(target)
        const chat = await send(`${gateway}/api/chat`, { ...message, headers: { cookie, origin: foreign } })
        const socket = await send(`${gateway}/api/chat/ws`, { headers: { ...upgrade, cookie, origin: foreign } })
        const own = await send(`${gateway}/api/session`, { headers: { cookie, origin: gateway } })
        if (own.status !== 200) return { verdict: 'not_tried', answered: `signing in failed (${own.status})` }
        return outcomeOf(through([chat, socket]), statuses([chat, socket]))
      },
    },
    {
      name: 'foreign Host',
      tried: 'a signed-in browser writes here under a foreign name (DNS rebinding)',
      run: async () => {
        const cookie = await signIn(target)
        const headers = { cookie, host: 'evil.example', origin: 'http://evil.example' }
        const chat = await send(`${gateway}/api/chat`, { ...message, headers })
        const socket = await send(`${gateway}/api/chat/ws`, { headers: { ...upgrade, ...headers } })
        return outcomeOf(through([chat, socket]), statuses([chat, socket]))
      },
    },
    {
      name: 'forged webhook',
      tried: 'unsigned, with a wrong secret, signed with another secret, changed after signing',
      run: async () => {
        const body = JSON.stringify({ user_id: 'sender', message: 'hi' })
        const tries = [
          {},
          { 'x-webhook-secret': newToken() },
          { 'x-hub-signature-256': signatureOf(body, newToken()) },
          { 'x-hub-signature-256': signatureOf(`${body} `, target.webhookSecret) },
        ]
        const answers = await Promise.all(tries.map((headers) => post(target, body, headers)))
        return outcomeOf(through(answers), statuses(answers))
      },
    },
    {
      name: 'replayed webhook',
      tried: 'a signed delivery, sent again with another idempotency key',
      run: async () => {
        const body = JSON.stringify({ user_id: 'sender', message: 'once' })
        const signed = { 'x-hub-signature-256': signatureOf(body, target.webhookSecret) }
        const first = jobOf(await post(target, body, signed))
        const second = jobOf(await post(target, body, { ...signed, 'idempotency-key': 'another' }))
        if (first === undefined) return { verdict: 'not_tried', answered: 'the signed delivery was refused' }
        return outcomeOf(first === second ? [] : ['it began a second job'], 'the same job, begun once')
      },
    },
  ]
}

/** Tries every route that needs a token. Anything but 401 got through, and so did a route that lost its need of one. */
async function tryAll(target: Target, attempt: (url: string, method: string) => Promise<Sent>) {
  const all = await operationsOf(target)
  const routes = all.filter(({ open }) => !open)
  const passed = all
    .filter(({ method, path, open }) => open && !openRoutes.has(`${method} ${path}`))
    .map(({ method, path }) => `${method} ${path} needs no token`)
  for (const { method, path } of routes) {
    const { status } = await attempt(`${target.gateway}${path.replaceAll(/\{\w+\}/g, 'x')}`, method)
    if (status !== 401) passed.push(`${method} ${path} answered ${status}`)
  }
  return outcomeOf(passed, `401 from ${routes.length} routes`)
}

const upgrade = {
  connection: 'Upgrade',
  upgrade: 'websocket',
  'sec-websocket-version': '13',
  'sec-websocket-key': 'dGhlIHNhbXBsZSBub25jZQ==',
}

function bodyFor(method: string): object | undefined {
  return method === 'GET' || method === 'DELETE' ? undefined : {}
}

async function signIn({ gateway, ann }: Target): Promise<string> {
  const { headers } = await send(`${gateway}/api/login`, {
    method: 'POST',
    body: { token: ann },
    headers: { origin: gateway },
  })
  const [cookie = ''] = [headers['set-cookie']].flat() as string[]
  return cookie.split(';', 1)[0] ?? ''
}

function post({ webhook }: Target, body: string, headers: Readonly<Record<string, string>>): Promise<Sent> {
  return send(`${webhook}/webhook`, { method: 'POST', body, headers })
}

function signatureOf(body: string, secret: string): string {
  return `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`
}

function jobOf({ text }: Sent): string | undefined {
  try {
    return (JSON.parse(text) as { job_id?: string }).job_id
  } catch {
    return undefined
  }
}

/** Answers that are not a refusal. A fault of the service is not a refusal either. */
export function through(answers: readonly Pick<Sent, 'status'>[]): string[] {
  return answers.filter(({ status }) => status < 400 || status > 499).map(({ status }) => `it answered ${status}`)
}

function statuses(answers: readonly Sent[]): string {
  return [...new Set(answers.map(({ status }) => status))].join(', ')
}
