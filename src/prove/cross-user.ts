// Attacks of one user on another: every route of the registry, with the other's ids in its path.
import { type Attack, outcomeOf } from './attack.ts'
import { operationsOf } from './operations.ts'
import { secretWord, type Target } from './target.ts'

/** The attack proves nothing unless at least this many routes show Ann what is hers. */
const minOwn = 5

export function crossUserAttacks(target: Target): Attack[] {
  const { as, ann, bob } = target
  return [
    {
      name: 'reads of another user',
      tried: "every GET route as Bob, with Ann's ids",
      run: async () => {
        const ids = await makeThings(target)
        const reads = (await operationsOf(target)).filter(({ method }) => method === 'GET')
        const leaks: string[] = []
        let own = 0
        for (const { path } of reads) {
          const filled = fill(path, ids)
          if ((await as(ann, filled)).text.includes(secretWord)) own++
          const { text, status } = await as(bob, filled)
          if (text.includes(secretWord)) leaks.push(`GET ${path} answered ${status} with Ann's words`)
        }
        if (own < minOwn) return { verdict: 'not_tried', answered: `only ${own} routes show Ann her own words` }
        return outcomeOf(leaks, `nothing of Ann's in ${reads.length} answers`)
      },
    },
    {
      name: 'changes by another user',
      tried: "every other route as Bob, with Ann's ids",
      run: async () => {
        const ids = await makeThings(target)
        const before = await thingsOf(target, ids)
        const writes = (await operationsOf(target)).filter(({ method, open }) => method !== 'GET' && !open)
        for (const { method, path } of writes)
          await as(bob, fill(path, ids), { method, ...(method !== 'DELETE' && { body: bodyFor(path) }) })
        const after = await thingsOf(target, ids)
        const changed = before.filter((text, at) => text !== after[at]).map(() => "something of Ann's was changed")
        return outcomeOf(changed, `nothing of Ann's changed by ${writes.length} requests`)
      },
    },
    {
      name: 'a user as operator',
      tried: "the operator's routes with a user's token",
      run: async () => {
        const paths = ['/api/settings', '/api/users', '/metrics', '/api/mcp', '/api/senders']
        const answers = await Promise.all(paths.map((path) => as(bob, path)))
        const passed = paths.filter((_, at) => (answers[at]?.status ?? 0) < 400)
        return outcomeOf(
          passed.map((path) => `GET ${path} was answered`),
          [...new Set(answers.map(({ status }) => status))].join(', '),
        )
      },
    },
  ]
}

type Ids = Readonly<Record<'thread' | 'turn' | 'response' | 'conversation' | 'mission', string>>

/** Ann says the secret word everywhere. */
async function makeThings({ as, ann }: Target): Promise<Ids> {
  const post = async (path: string, body: object): Promise<Record<string, unknown>> =>
    JSON.parse((await as(ann, path, { method: 'POST', body })).text || '{}') as Record<string, unknown>
  const response = await post('/api/v1/responses', { model: 'm', input: secretWord })
  const items = [{ type: 'message', role: 'user', content: secretWord }]
  const conversation = await post('/api/v1/conversations', { items })
  const mission = await post('/api/missions', { prompt: secretWord, schedule: '@daily' })
  await as(ann, '/api/memory/documents/secret.md', { method: 'PUT', body: { content: secretWord } })
  const chat = await post('/api/chat', { message: secretWord })
  return {
    thread: String(chat['thread_id']),
    turn: String(chat['turn_id'] ?? chat['id']),
    response: String(response['id']),
    conversation: String(conversation['id']),
    mission: String(mission['id']),
  }
}

function thingsOf({ as, ann }: Target, ids: Ids): Promise<string[]> {
  const paths = [`/api/threads/${ids.thread}`, `/api/v1/responses/${ids.response}`, `/api/missions/${ids.mission}`]
  return Promise.all([...paths, '/api/memory/documents/secret.md'].map(async (path) => (await as(ann, path)).text))
}

function fill(path: string, ids: Ids): string {
  const of: readonly (readonly [part: string, id: string])[] = [
    ['/threads/', ids.thread],
    ['/jobs/', ids.turn],
    ['/turns/', ids.turn],
    ['/responses/', ids.response],
    ['/conversations/', ids.conversation],
    ['/missions/', ids.mission],
    ['/users/', 'ann'],
  ]
  const id = of.find(([part]) => path.includes(part))?.[1] ?? 'x'
  return path
    .replace('{rest}', 'secret.md')
    .replace(/\{\w+\}/, id)
    .replaceAll(/\{\w+\}/g, ids.turn)
}

/** A body that would change something. */
function bodyFor(path: string): object {
  if (path.endsWith('/fork')) return { before_seq: 1 }
  return { title: 'taken over', message: 'taken over', prompt: 'taken over', status: 'paused', content: 'taken over' }
}
