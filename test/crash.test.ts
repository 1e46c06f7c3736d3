// Real processes and real SIGKILL at every step boundary: what was acknowledged is finished exactly once. Whoever carries
// on to the end need not be a process of its own.
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { operator } from '#core/ids.ts'
import { textOf } from '#core/item.ts'
import { createSeal } from '#lib/seal.ts'
import { openStore } from '#store/open-store.ts'
import { work } from './crash/small-service.ts'

const points: readonly { point: string; pay: 'ran' | 'unknown, not run' | 'unknown, ran' }[] = [
  { point: 'message committed', pay: 'ran' },
  { point: 'message acknowledged', pay: 'ran' },
  { point: 'claimed', pay: 'ran' },
  { point: 'mid-first-stream', pay: 'ran' },
  { point: 'response appended', pay: 'ran' },
  { point: 'attempt recorded', pay: 'unknown, not run' },
  { point: 'mid-tool', pay: 'unknown, ran' },
  { point: 'result appended', pay: 'ran' },
  { point: 'mid-stream', pay: 'ran' },
  { point: 'settled', pay: 'ran' },
]

for (const { point, pay } of points) {
  test(`killed when ${point}: a restart finishes every turn once and repeats no payment`, async () => {
    const home = mkdtempSync(join(tmpdir(), 'atrium-crash-'))
    try {
      const killed = await child(home, point, 'send')
      assert.equal(killed.signal, 'SIGKILL')
      await work({ home, reached() {} })
      await inspect(home, killed.acknowledged, pay)
    } finally {
      rmSync(home, { recursive: true, force: true })
    }
  })
}

test('a process killed again and again at the same point still comes to an end', async () => {
  const home = mkdtempSync(join(tmpdir(), 'atrium-crash-'))
  try {
    const first = await child(home, 'response appended', 'send')
    for (const point of ['claimed', 'attempt recorded', 'mid-stream', 'settled', 'claimed']) {
      assert.equal((await child(home, point, 'resume')).signal, 'SIGKILL')
    }
    await work({ home, reached() {} })
    await inspect(home, first.acknowledged, 'unknown, not run')
  } finally {
    rmSync(home, { recursive: true, force: true })
  }
})

async function inspect(
  home: string,
  acknowledged: readonly string[],
  pay: (typeof points)[number]['pay'],
): Promise<void> {
  const store = openStore({ path: join(home, 'atrium.db'), seal: createSeal('0'.repeat(64)) })
  try {
    const { rows } = await store.turns.list(operator, { limit: 100 })
    for (const id of acknowledged)
      assert(
        rows.some((turn) => turn.id === id),
        'an acknowledged message was lost',
      )
    const first = rows.at(-1)
    assert(first)
    const { entries } = await store.threads.entries(operator, first.threadId, { after: 0, limit: 1_000 })
    assert.deepEqual(
      entries.map(({ seq }) => seq),
      entries.map((_, at) => at + 1),
    )
    for (const turn of rows) {
      assert.equal(turn.status, 'completed')
      const own = entries.filter(({ turnId }) => turnId === turn.id).map(({ item }) => item)
      const count = (type: string): number => own.filter((item) => item.type === type).length
      assert.equal(own.filter((item) => item.type === 'message' && item.role === 'user').length, 1)
      assert.equal(own.filter((item) => item.type === 'message' && textOf(item).startsWith('Done')).length, 1)
      assert.deepEqual([count('call'), count('result')], [2, 2])
      assert(runs(home, 'pay').filter((id) => id === turn.id).length <= 1, 'a payment was made twice')
    }
    const results = entries.filter(({ turnId, item }) => turnId === first.id && item.type === 'result')
    const unknown = results.some(
      ({ item }) => item.type === 'result' && item.output.includes('may or may not have taken effect'),
    )
    const ran = runs(home, 'pay').includes(first.id)
    assert.deepEqual({ unknown, ran }, { unknown: pay !== 'ran', ran: pay !== 'unknown, not run' })
    const said = entries.flatMap(({ item }) => (item.type === 'message' && item.role === 'user' ? [textOf(item)] : []))
    assert.deepEqual(said, ['one', 'two', 'three'].slice(0, rows.length))
  } finally {
    await store.close()
  }
}

function runs(home: string, tool: string): string[] {
  const file = join(home, `${tool}.effects`)
  return existsSync(file) ? readFileSync(file, 'utf8').trim().split('\n') : []
}

function child(home: string, point: string, action: 'send' | 'resume') {
  const program = new URL('./crash/child.ts', import.meta.url).pathname
  const started = spawn(process.execPath, [program, home, point, action], {
    stdio: ['ignore', 'pipe', 'inherit'],
    timeout: 90_000,
  })
  let output = ''
  started.stdout.setEncoding('utf8').on('data', (chunk: string) => {
    output += chunk
  })
  return new Promise<{ signal: string | null; acknowledged: string[] }>((resolve, reject) => {
    started.once('error', reject)
    started.once('close', (_, signal) => resolve({ signal, acknowledged: output.split('\n').filter(Boolean) }))
  })
}
