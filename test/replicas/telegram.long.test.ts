// Two services over one PostgreSQL serve one bot: one of them polls, and another takes over when it is gone or stands still.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { telegramSecret } from '#core/secret.ts'
import { operator } from '#core/ids.ts'
import { newPairingCode } from '#doors/channel/pairing.ts'
import { createSeal } from '#lib/seal.ts'
import { openPostgresStore } from '#store/open-store.ts'
import { newHome } from '../new-home.ts'
import { startBotApi } from '../doors/telegram/bot-api.ts'
import { startPostgres } from '../postgres-server.ts'
import { killAll, type Replica, scripted, sqlRows, startReplica, until } from './replicas.ts'

/** A lease lasts 12 s, and processes that wait look every 3 s; the rest is for a slow machine. */
const takeoverMs = 60_000

test('one of two services polls; killed or stopped, the other goes on, and each message is answered once', async (t) => {
  const server = await startPostgres()
  const folder = newHome()
  const api = await startBotApi()
  const replicas: Replica[] = []
  const heard = (): unknown => api.person(7).heard.map(({ id, versions }) => [id, versions])
  try {
    const url = await server.database()
    const env = { ...scripted(folder.path, [{ text: 'Re: {{input}}', chunkDelayMs: 200 }]), TELEGRAM_API_URL: api.url }
    for (let count = 0; count < 2; count++) replicas.push(await startReplica(url, env))
    const { store } = await openPostgresStore({ url, seal: createSeal('ab'.repeat(32)) })
    const { code, stored } = newPairingCode('telegram', operator, Date.now())
    await store.secrets.set(telegramSecret, api.token)
    await store.channels.connect({ channel: 'telegram', account: '4711', name: '@atrium_test_bot' })
    await store.channels.addCode(stored)
    await store.close()
    const ada = api.person(7)
    ada.say(`/start ${code}`)
    const said: string[] = []
    const answered = (): Promise<boolean> =>
      Promise.resolve(said.every((text) => ada.texts.includes(`Re: ${text}`)) && ada.texts.length > said.length)
    const say = (text: string): void => {
      said.push(text)
      ada.say(text)
    }
    say('hello')
    await until('the first answer', takeoverMs, answered)
    assert.equal(api.conflicts, 0, 'two services do not poll at once')
    for (const [round, victim] of [0, 1, 0, 1].entries()) {
      const replica = replicas[victim] ?? assert.fail('no replica')
      say(`round ${round}`)
      await until('a reply has begun', takeoverMs, () => Promise.resolve(ada.texts.length > said.length))
      if (round < 2) await killAll([replica])
      else replica.signal('SIGSTOP')
      say(`meanwhile ${round}`)
      const tookMs = await until('the other goes on', takeoverMs, answered)
      t.diagnostic(
        `round ${round}: answered ${Math.round(tookMs / 1000)} s after the service was ${round < 2 ? 'killed' : 'stopped'}`,
      )
      if (round < 2) replicas[victim] = await startReplica(url, env)
      else replica.signal('SIGCONT')
    }
    say('goodbye')
    await until('the last answer', takeoverMs, answered)
    await until('nothing is left to be said', takeoverMs, async () => {
      return (await sqlRows(url, 'SELECT id FROM channel_posts')).length === 0
    })
    const answers = ada.texts.filter((text) => text.startsWith('Re: '))
    assert.deepEqual(answers.toSorted(), said.map((text) => `Re: ${text}`).toSorted())
    assert.equal((await sqlRows(url, 'SELECT id FROM turns')).length, said.length)
  } catch (error) {
    t.diagnostic(`the chat: ${JSON.stringify(heard())}`)
    throw error
  } finally {
    await killAll(replicas)
    await api.close()
    await server.remove()
    folder.remove()
  }
})
