// Issues of a GitHub repository. Listing them only reads; opening one needs an approval. The host adds the token; this
// code never sees it.
import { httpRequest } from 'near:agent/host@0.3.0'

type Fields = Readonly<Record<string, unknown>>

const base = 'https://api.github.com'
const headers = JSON.stringify({ Accept: 'application/vnd.github+json', 'User-Agent': 'atrium-issues/1.0' })
const maxListed = 20

export const tool = {
  execute({ params, context }: { params: string; context: string | null }) {
    const fields = objectIn(params)
    const action = textOf(objectIn(context ?? '{}'), 'capability_id', /^./, 'that names the action')
    const repository = textOf(fields, 'repository', /^[\w.-]{1,100}\/[\w.-]{1,100}$/, 'such as owner/name')
    const url = `${base}/repos/${repository}/issues`
    if (action.endsWith('.list')) return { output: JSON.stringify(listed(url, fields['state'])) }
    if (action.endsWith('.open')) return { output: JSON.stringify(opened(url, fields)) }
    throw new Error(`there is no action ${action}`)
  },
  schema: () => JSON.stringify({ type: 'object', properties: { repository }, required: ['repository'] }),
  description: () => 'Issues of a GitHub repository.',
}

const repository = { type: 'string', description: 'owner/name' }

function listed(url: string, state: unknown): object {
  if (state !== undefined && state !== 'open' && state !== 'closed') throw new Error("'state' must be open or closed")
  const found = ask('GET', `${url}?per_page=${maxListed}&state=${state ?? 'open'}`)
  return { issues: (Array.isArray(found) ? found : []).map((each: Fields) => shown(each)) }
}

function opened(url: string, fields: Fields): object {
  const title = textOf(fields, 'title', /^[^]{1,200}$/, 'of at most 200 characters')
  const body =
    fields['body'] === undefined ? '' : textOf(fields, 'body', /^[^]{0,20000}$/, 'of at most 20000 characters')
  return shown(ask('POST', url, { title, body }) as Fields)
}

function shown({ number, title, state, html_url: address }: Fields): object {
  return { number, title, state, url: address }
}

function ask(method: string, url: string, body?: object): unknown {
  const sent = body === undefined ? null : new TextEncoder().encode(JSON.stringify(body))
  const answer = httpRequest(method, url, headers, sent, null)
  const text = new TextDecoder().decode(answer.body)
  if (answer.status < 200 || answer.status > 299)
    throw new Error(`GitHub answered ${answer.status}: ${text.slice(0, 500)}`)
  return JSON.parse(text)
}

function textOf(fields: Fields, name: string, pattern: RegExp, like: string): string {
  const value = fields[name]
  if (typeof value !== 'string' || !pattern.test(value)) throw new Error(`'${name}' must be a text ${like}`)
  return value
}

function objectIn(text: string): Fields {
  const value: unknown = JSON.parse(text)
  if (typeof value !== 'object' || value === null) throw new Error('the parameters must be an object')
  return value as Fields
}
