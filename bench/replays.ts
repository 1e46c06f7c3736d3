// A conversation that an app sends whole with each message: one thread, and a database that grows by what is new.
import { startDoor, token } from './service.ts'
import { fixed, type Suite } from './suite.ts'

const turns = 40
/** Turns whose growth is one row of the table. */
const span = 10

type Wire = Readonly<Record<string, unknown>>

export const replays: Suite = async (bench) => {
  const { origin } = await startDoor(bench, { RESPONSES_PROFILE: 'apps' })
  const ask = async (path: string, body?: object): Promise<Wire> => {
    const response = await fetch(origin + path, {
      method: body ? 'POST' : 'GET',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      ...(body && { body: JSON.stringify(body) }),
    })
    if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`)
    return (await response.json()) as Wire
  }
  const stored = async (): Promise<number> =>
    (((await ask('/api/status'))['storage'] as Wire)['used_bytes'] as number) / 1024
  const input: Wire[] = []
  const threads = new Set<string>()
  const rows: string[][] = []
  let before = await stored()
  for (let from = 1; from <= turns; from += span) {
    const start = performance.now()
    for (let at = from; at < from + span; at++) {
      input.push({ role: 'user', content: `message ${at} `.padEnd(1_000, 'of a conversation ') })
      const { id, output } = await ask('/v1/responses', { model: 'any', input, instructions: 'Be kind. '.repeat(200) })
      threads.add(String(id).slice(-32))
      input.push(...(output as Wire[]))
    }
    const [after, ms] = [await stored(), performance.now() - start]
    const name = `turns ${from} to ${from + span - 1}`
    rows.push([name, String(threads.size), fixed((after - before) / span, 2), fixed(ms / span, 1)])
    before = after
  }
  const title = 'A conversation that is sent whole each time'
  return [{ title, columns: ['', 'threads', 'KiB a turn', 'ms a turn'], rows }]
}
