// Real processes under load: whatever moment a backup or a restore is killed at, what is there is whole.
import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { verifyBackup } from '#backup/read-file.ts'
import { atrium, atriumEnv, atriumProcess, mainFile, serve } from '../atrium.ts'
import { newHome } from '../new-home.ts'
import { startPostgres } from '../postgres-server.ts'

const kills = 20
const itemsBefore = 60_000

function start(home: string, args: readonly string[], env: Record<string, string> = {}): ChildProcess {
  const flags = ['--disable-warning=ExperimentalWarning', mainFile, ...args]
  return spawn(process.execPath, flags, { env: { ...atriumEnv(home), ...env }, stdio: 'ignore' })
}

/** Kills the process at one of many moments of its life, unless it ends before. True if it was killed. */
async function killed(child: ChildProcess, afterMs: number): Promise<boolean> {
  const ended = once(child, 'exit')
  await Promise.race([ended, pause(afterMs)])
  child.kill('SIGKILL')
  const [, signal] = (await ended) as [number | null, string | null]
  return signal === 'SIGKILL'
}

/** Rows that make a backup take a while. */
function fill(home: string): void {
  const db = new DatabaseSync(join(home, 'atrium.db'))
  const body = JSON.stringify({ type: 'message', role: 'user', content: [{ type: 'text', text: 'x'.repeat(500) }] })
  const insert = db.prepare('INSERT INTO items (thread_id, seq, id, turn_id, at, body) VALUES (?, ?, ?, ?, 0, ?)')
  db.exec('BEGIN')
  for (let at = 0; at < itemsBefore; at++) insert.run(`filled-${at % 100}`, at, `i${at}`, 'none', body)
  db.exec('COMMIT')
  db.close()
}

test('a backup killed under load leaves nothing under its name, or the one before', async () => {
  const home = newHome()
  const file = join(home.path, 'a.backup')
  await atrium(home.path, ['onboard'])
  fill(home.path)
  const service = await serve(home.path, { CHAT_RATE_LIMIT: '0', GATEWAY_AUTH_TOKEN: 'a-token-of-the-load-tests' })
  let [loading, sent] = [true, 0]
  const load = Promise.all(
    Array.from({ length: 4 }, async () => {
      while (loading) {
        const answer = await fetch(`${service.url}/api/v1/responses`, {
          method: 'POST',
          headers: { authorization: 'Bearer a-token-of-the-load-tests', 'content-type': 'application/json' },
          body: JSON.stringify({ model: 'm', input: 'hello' }),
        })
        await answer.text()
        sent++
      }
    }),
  )
  try {
    const whole = await atriumProcess(home.path, ['backup', file])
    assert.equal(whole.code, 0, whole.stderr)
    let cut = 0
    for (let at = 0; at < kills; at++) {
      if (at === kills / 2) rmSync(file)
      if (await killed(start(home.path, ['backup', file]), 150 + at * 120)) cut++
      if (existsSync(file)) await verifyBackup(file)
    }
    assert(cut > kills / 4, `only ${cut} were killed`)
    const last = await atriumProcess(home.path, ['backup', file])
    assert.equal(last.code, 0, last.stderr)
    const { header } = await verifyBackup(file)
    assert((header.tables['items'] ?? 0) >= itemsBefore)
    const left = readdirSync(home.path).filter((name) => name.includes('.part'))
    assert.deepEqual(left, [], 'leftovers are removed')
    assert(sent > 20, 'the service answered meanwhile')
  } finally {
    loading = false
    await load
    await service.stop()
  }
  // Every turn of the restored home has its receipt.
  const next = newHome()
  try {
    const restored = await atriumProcess(next.path, ['restore', file])
    assert.equal(restored.code, 0, restored.stderr)
    const db = new DatabaseSync(join(next.path, 'atrium.db'))
    const turns = db.prepare(`SELECT id FROM turns WHERE status = 'done' ORDER BY id DESC LIMIT 25`).all()
    db.close()
    assert.equal(turns.length, 25)
    for (const { id } of turns)
      assert.equal((await atrium(next.path, ['receipt', String(id), '--verify'])).code, 0, String(id))
  } finally {
    next.remove()
    home.remove()
  }
})

for (const backend of ['sqlite', 'postgres'] as const) {
  test(`a restore killed at any moment has happened or not, and can be repeated (${backend})`, async () => {
    const source = newHome()
    const file = join(source.path, 'a.backup')
    const server = backend === 'postgres' ? await startPostgres() : undefined
    try {
      await atrium(source.path, ['onboard'])
      await atrium(source.path, ['secret', 'set', 'KEY'], { input: 'a-value-of-the-tests' })
      fill(source.path)
      assert.equal((await atriumProcess(source.path, ['backup', file, '--with-key'])).code, 0)
      for (let at = 0; at < kills / 2; at++) {
        const home = newHome()
        const env: Record<string, string> = server ? { DATABASE_URL: await server.database() } : {}
        await killed(start(home.path, ['restore', file], env), 300 + at * 250)
        // Either all of it is there, with the key that opens the secret, or nothing is.
        const list = await atriumProcess(home.path, ['secret', 'list', '--json'], { env })
        assert.equal(list.code, 0, list.stderr)
        const secrets = JSON.parse(list.stdout) as { name: string; opens?: boolean }[]
        assert(secrets.length === 0 || secrets[0]?.opens === undefined, list.stdout)
        const again = await atriumProcess(home.path, ['restore', file, '--replace', '--yes'], { env })
        assert.equal(again.code, 0, again.stderr)
        const names = (await atriumProcess(home.path, ['secret', 'list', '--json'], { env })).stdout
        assert.deepEqual(
          JSON.parse(names).map((each: { name: string; opens?: boolean }) => [each.name, each.opens]),
          [['KEY', undefined]],
        )
        home.remove()
      }
    } finally {
      source.remove()
      await server?.remove()
    }
  })
}
