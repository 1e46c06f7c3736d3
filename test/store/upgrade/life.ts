// What happens in a home before it is upgraded: a bit of everything that its version has. A route that a version lacks is
// passed over.
import { setTimeout as sleep } from 'node:timers/promises'

export type Life = {
  readonly gateway: string
  readonly webhook: string
  readonly operator: string
  readonly secret: string
}
type Json = Readonly<Record<string, unknown>>

const restMs = 30_000
const long = 'a long line of a message that a fork shares. '.repeat(60)
const callerTool = {
  type: 'function',
  name: 'mine',
  parameters: { type: 'object', properties: { q: { type: 'number' } } },
}

export async function live({ gateway, webhook, operator, secret }: Life): Promise<void> {
  const as = { authorization: `Bearer ${operator}` }
  const added = await send(`${gateway}/api/users`, { body: { name: 'ada' }, headers: as })
  const token = String(added?.['token'])
  const ask = (path: string, body?: object, method?: string) =>
    send(gateway + path, { body, method, headers: { authorization: `Bearer ${token}` } })
  const respond = (input: string, more: object = {}) => ask('/api/v1/responses', { model: 'm', input, ...more })
  const first = await respond(`hello ${long}`)
  await respond('and again', { previous_response_id: first?.['id'] })
  await respond('please calc')
  await respond('please fail')
  await respond('kept for a day', { store: false })
  const asked = await respond('please ask', { tools: [callerTool] })
  const [called] = ((asked?.['output'] ?? []) as Json[]).filter(({ type }) => type === 'function_call')
  const output = [{ type: 'function_call_output', call_id: called?.['call_id'], output: 'mine said so' }]
  await ask('/api/v1/responses', {
    model: 'm',
    input: output,
    tools: [callerTool],
    previous_response_id: asked?.['id'],
  })
  await respond('please ask and leave it', { tools: [callerTool] })
  const said = { role: 'user', content: 'a completion' }
  const completed = await ask('/api/v1/chat/completions', { model: 'm', messages: [said] })
  const [choice] = (completed?.['choices'] ?? []) as { message: object }[]
  if (choice)
    await ask('/api/v1/chat/completions', {
      model: 'm',
      messages: [said, choice.message, { role: 'user', content: 'more' }],
    })
  for (const message of ['from a hook', 'please calc'])
    await send(`${webhook}/webhook`, { body: { user_id: 'bob', message }, headers: { 'x-webhook-secret': secret } })
  for (const [message, action] of [
    ['please pay', 'approve'],
    ['please pay twice', 'deny'],
    ['please pay late', ''],
  ] as const) {
    const { thread_id } = (await ask('/api/chat/send', { message })) ?? {}
    await rest(gateway, token)
    const gates = ((await ask('/api/gates'))?.['gates'] ?? []) as Json[]
    const gate = gates.find((each) => each['thread_id'] === thread_id)
    if (gate && action) await ask(`/api/threads/${String(thread_id)}/gates/${String(gate['id'])}`, { action })
  }
  const chat = (await ask('/api/chat/send', { message: `a chat ${long}` })) ?? {}
  await rest(gateway, token)
  await ask('/api/chat/send', { message: 'its second message', thread_id: chat['thread_id'] })
  await rest(gateway, token)
  await ask(`/api/threads/${String(chat['thread_id'])}/fork`, { before_seq: 3 })
  await ask('/api/memory/documents/notes/a.md', { content: 'a note about zeppelins' }, 'PUT')
  await ask('/api/memory/documents/notes/a.md', { content: 'a later note about zeppelins' }, 'PUT')
  await ask('/api/missions', { prompt: 'each morning', schedule: '0 5 1 1 *' })
  await ask('/api/v1/conversations', { metadata: { a: 'b' } })
  await ask('/api/notifications/ways', { kind: 'ntfy', url: 'https://ntfy.example/topic', events: [] })
  await rest(gateway, token)
}

/** Waits until no turn of the user runs. */
async function rest(gateway: string, token: string): Promise<void> {
  for (const end = Date.now() + restMs; Date.now() < end; await sleep(50)) {
    const jobs = await send(`${gateway}/api/jobs?limit=100`, { headers: { authorization: `Bearer ${token}` } })
    const open = ((jobs?.['jobs'] ?? []) as Json[]).filter(({ status }) => status === 'running' || status === 'queued')
    if (open.length === 0) return
  }
}

type Sending = {
  readonly body?: object | undefined
  readonly method?: string | undefined
  readonly headers: Record<string, string>
}

async function send(url: string, { body, method, headers }: Sending): Promise<Json | undefined> {
  const response = await fetch(url, {
    method: method ?? (body ? 'POST' : 'GET'),
    headers: { ...headers, ...(body && { 'content-type': 'application/json' }) },
    ...(body && { body: JSON.stringify(body) }),
  })
  const text = await response.text()
  if (!response.ok) console.error(`${new URL(url).pathname}: ${response.status} ${text.slice(0, 100)}`)
  return response.ok && text.startsWith('{') ? (JSON.parse(text) as Json) : undefined
}
