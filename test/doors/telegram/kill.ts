// A real service that is killed with SIGKILL between two steps of its talk with Telegram, again and again.
import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { telegramSecret } from '#core/secret.ts'
import { operator } from '#core/ids.ts'
import { newPairingCode } from '#doors/channel/pairing.ts'
import { createSeal } from '#lib/seal.ts'
import { openStore } from '#store/open-store.ts'
import { serve } from '../../atrium.ts'
import { newHome } from '../../new-home.ts'
import { until } from '../../until.ts'
import { type FakeBotApi, startBotApi } from './bot-api.ts'

const key = 'ab'.repeat(32)
/** Calls of the Bot API that a message causes, before or behind which the service is killed. */
const maxCalls = 7
const settleMs = 180_000

/**
 * Sends a message and kills the service once for each seed: at a call of the Bot API that the seed chooses, before its
 * effect or behind it. In the end each message has one turn and one answer. Returns what is left over of placeholders.
 */
export async function killWhileChatting(seeds: readonly number[]): Promise<number> {
  const home = newHome()
  const api = await startBotApi()
  try {
    const script = join(home.path, 'script.json')
    writeFileSync(script, JSON.stringify({ loop: true, replies: [{ text: 'Re: {{input}}' }] }))
    const env = {
      ATRIUM_MASTER_KEY: key,
      LLM_PROVIDER: 'scripted',
      LLM_SCRIPT: script,
      TELEGRAM_API_URL: api.url,
      LOG_LEVEL: 'error',
    }
    const ada = await connect(home.path, api)
    const said: string[] = []
    const answered = (): boolean => said.every((text) => ada.texts.includes(`Re: ${text}`)) && api.pending === 0
    for (const seed of seeds) {
      const service = await serve(home.path, env)
      // What the life before has left undone is finished first: then the calls that follow are those of the next messages.
      await until(answered, settleMs)
      const [at, when] = [seed % maxCalls, Math.floor(seed / maxCalls) % 2 === 0 ? 'before' : 'behind']
      let count = 0
      let dead = false
      api.watch((method, now) => {
        if (now === 'before') count++
        // The poll that brings the message began before.
        const chosen = at === 0 ? method === 'getUpdates' && now === 'behind' : count >= at && now === when
        if (chosen && !dead) service.signal('SIGKILL')
        dead ||= chosen
        return dead
      })
      for (const word of seed % 3 === 0 ? ['one', 'two'] : ['one']) {
        said.push(`${word} of ${seed}`)
        ada.say(`${word} of ${seed}`)
      }
      await until(() => dead || answered(), settleMs)
      service.signal('SIGKILL')
      await service.ended
      api.watch(() => false)
    }
    const last = await serve(home.path, env)
    await until(() => answered() && openPosts(home.path) === 0, settleMs)
    await last.stop()
    const answers = ada.texts.filter((text) => text.startsWith('Re: '))
    assert.deepEqual(answers.toSorted(), said.map((text) => `Re: ${text}`).toSorted(), 'one answer for each message')
    const database = new DatabaseSync(join(home.path, 'atrium.db'), { readOnly: true })
    const turns = database.prepare('SELECT id, status FROM turns').all()
    database.close()
    assert.equal(turns.length, said.length, 'one turn for each message')
    assert.ok(turns.every(({ status }) => status === 'done'))
    const others = ada.texts.filter((text) => !text.startsWith('Re: ') && !text.startsWith('This chat is now yours'))
    assert.deepEqual(
      [...new Set(others)].filter((text) => text !== '…'),
      [],
      'nothing else is left over',
    )
    return others.length
  } finally {
    await api.close()
    home.remove()
  }
}

/** Connects the bot and makes a code, as the commands do; the chat is paired by the first service. */
async function connect(home: string, api: FakeBotApi) {
  const store = openStore({ path: join(home, 'atrium.db'), seal: createSeal(key) })
  try {
    await store.secrets.set(telegramSecret, api.token)
    await store.channels.connect({ channel: 'telegram', account: '4711', name: '@atrium_test_bot' })
    const { code, stored } = newPairingCode('telegram', operator, Date.now())
    await store.channels.addCode(stored)
    const ada = api.person(7)
    ada.say(`/start ${code}`)
    return ada
  } finally {
    await store.close()
  }
}

function openPosts(home: string): number {
  const database = new DatabaseSync(join(home, 'atrium.db'), { readOnly: true })
  try {
    return Number(database.prepare('SELECT count(*) AS n FROM channel_posts').get()?.['n'])
  } finally {
    database.close()
  }
}
