// Threads and items of earlier versions, in the database of today.
import assert from 'node:assert/strict'
import { operator, userId } from '#core/ids.ts'
import { textMessage } from '#core/item.ts'
import { addOwner, addThread, type ClimbTest } from './climb.ts'
import { turnOf } from './harness.ts'

export function climbThreads(climb: ClimbTest): void {
  const shelver = userId('shelver')
  climb('threads from before they could be archived stay in the list', 34, {
    seed: (old) => addThread(old, { id: 'shelved', user: shelver, title: 'old', lastTurn: 'a-shelved' }),
    async check({ threads }) {
      const titles = async () => (await threads.list(shelver, { limit: 9 })).rows.map(({ title }) => title)
      assert.deepEqual(await titles(), ['old'])
      await threads.shelve(shelver, 'shelved', { archived: true })
      assert.deepEqual(await titles(), [])
    },
  })

  const varier = userId('varier')
  climb('threads from before variants have none, and can have them', 37, {
    async seed(old) {
      await addThread(old, { id: 'varied', user: varier })
      const body = JSON.stringify({ type: 'message', role: 'user', content: [] })
      await old.run(
        `INSERT INTO items (thread_id, seq, id, turn_id, at, body) VALUES ('varied', 1, 'i', 'a', 1, ?)`,
        body,
      )
    },
    async check({ threads, turns }) {
      assert.equal((await threads.get(varier, 'varied'))?.family, undefined)
      const forks = { threadId: 'varied', beforeSeq: 1, variant: true } as const
      const { turn } = await turns.start(turnOf({ user: varier, forks }))
      assert.deepEqual(
        (await threads.list(varier, { limit: 9 })).rows.map(({ id, family }) => [id, family]),
        [[turn.threadId, 'varied']],
      )
    },
  })

  const chooser = userId('chooser')
  climb('threads from before a model could be chosen use the usual one, and take a choice', 34, {
    seed: (old) => addThread(old, { id: 'chosen', user: chooser }),
    async check({ threads }) {
      assert.equal((await threads.get(chooser, 'chosen'))?.model, undefined)
      await threads.setModel(chooser, 'chosen', 'ollama/qwen3')
      assert.equal((await threads.get(chooser, 'chosen'))?.model, 'ollama/qwen3')
    },
  })

  const orderly = userId('orderly')
  climb('the items of before are kept, in their order', 7, {
    async seed(old) {
      await addThread(old, { id: 'ordered', user: orderly, lastSeq: 2 })
      for (const [seq, text] of [
        [2, 'later'],
        [1, 'first'],
      ] as const) {
        await old.run(
          `INSERT INTO items (thread_id, seq, id, turn_id, at, body, asked) VALUES ('ordered', ?, ?, 'n', 7, ?, NULL)`,
          seq,
          `i${seq}`,
          JSON.stringify(textMessage('user', text)),
        )
      }
    },
    async check({ threads }) {
      const { entries } = await threads.entries(orderly, 'ordered', { after: 0, limit: 9 })
      assert.deepEqual(
        entries.map(({ seq, id, at, item }) => [seq, id, at, item.type === 'message' && item.content[0]]),
        [
          [1, 'i1', 7, { type: 'text', text: 'first' }],
          [2, 'i2', 7, { type: 'text', text: 'later' }],
        ],
      )
      assert.equal((await threads.findItems(orderly, [{ threadId: 'ordered', itemId: 'i2' }])).length, 1)
    },
  })

  const finder = userId('finder')
  climb('items from before their index left out the first of each thread are all found by id', 24, {
    async seed(old) {
      await addThread(old, { id: 'found', user: finder, lastSeq: 40 })
      const body = JSON.stringify({ type: 'message', role: 'user', content: [] })
      for (let seq = 1; seq <= 40; seq++) {
        await old.run(
          `INSERT INTO items (thread_id, seq, id, turn_id, at, body) VALUES ('found', ?, ?, 'n', 7, ?)`,
          seq,
          `i${seq}`,
          body,
        )
      }
    },
    async check({ threads }) {
      const refs = Array.from({ length: 41 }, (_, at) => ({ threadId: 'found', itemId: `i${at + 1}` }))
      const found = await threads.findItems(finder, refs)
      assert.deepEqual(
        found.map(({ seq }) => seq),
        refs.slice(0, 40).map((_, at) => at + 1),
      )
    },
  })

  const sharer = userId('sharer')
  const long = JSON.stringify(textMessage('user', 'long '.repeat(1_000)))
  climb('a thread from before bodies were shared is forked and erased', 17, {
    async seed(old) {
      await addThread(old, { id: 'shared', user: sharer, lastSeq: 2 })
      for (const seq of [1, 2]) {
        await old.run(
          `INSERT INTO items (thread_id, seq, id, turn_id, at, body) VALUES ('shared', ?, ?, 'n', 1, ?)`,
          seq,
          `i${seq}`,
          long,
        )
      }
    },
    async check({ threads }) {
      const fork = await threads.fork(sharer, 'shared', { beforeSeq: 2, door: 'web' })
      assert.ok(fork)
      await threads.remove(sharer, 'shared')
      const { entries } = await threads.entries(sharer, fork.id, { after: 0, limit: 9 })
      assert.deepEqual(
        entries.map(({ item }) => JSON.stringify(item)),
        [long],
      )
    },
  })

  const hoarder = userId('hoarder')
  climb('what was stored before it was counted counts', 18, {
    async seed(old) {
      await addThread(old, { id: 'hoard', user: hoarder, lastSeq: 2, lastTurn: 'hoard-n' })
      await addThread(old, { id: 'hoard-u', user: hoarder })
      await addThread(old, { id: 'hoard-v', user: 'another hoarder' })
      await old.run(
        `INSERT INTO items (thread_id, seq, id, turn_id, at, body, shared) VALUES ('hoard', 1, 'i', 'n', 1, '"ü"', NULL),
         ('hoard', 2, 'j', 'n', 1, '"xx', 'x:1')`,
      )
      await old.run(
        `INSERT INTO shared_bodies (id, user_id, refs, bytes, body) VALUES ('x:1', ?, 1, 1000, '')`,
        hoarder,
      )
      await old.run(
        `INSERT INTO turns (id, thread_id, user_id, door, status, created_at, options, input)
         VALUES ('hoard-n', 'hoard', ?, 'web', 'done', 1, '{}', NULL), ('hoard-o', 'hoard', ?, 'web', 'queued', 1, NULL, '[]')`,
        hoarder,
        hoarder,
      )
      await addOwner(old, hoarder, { number: 101 })
    },
    async check({ storage, threads }) {
      assert.deepEqual(await storage.used(hoarder), { bytes: 4 + 1_000 + 2 + 2 + 4 * 500 + 7 })
      await threads.remove(hoarder, 'hoard')
      assert.deepEqual(await storage.used(hoarder), { bytes: 7 })
    },
  })

  const linker = userId('linker')
  climb('a thread from before replay chains is forked and erased, and gets points from then on', 20, {
    seed: (old) => addThread(old, { id: 'linked', user: linker }),
    async check({ threads }) {
      await threads.addChainPoints(linker, { threadId: 'linked', turnId: 'n', hashes: ['h'] })
      const fork = await threads.fork(linker, 'linked', { beforeSeq: 1, door: 'web' })
      const latest = fork && (fork.id > 'linked' ? fork.id : 'linked')
      assert.equal((await threads.findByChain(linker, ['h']))?.threadId, latest)
      await threads.remove(linker, 'linked')
      assert.equal((await threads.findByChain(linker, ['h']))?.threadId, fork?.id)
    },
  })

  const replayer = userId('replayer')
  const hash = (letter: string): string => letter.repeat(43)
  climb('the points of a thread from before are found: the latest one goes on, an earlier one forks', 25, {
    async seed(old) {
      await addThread(old, { id: 'replayed', user: replayer, door: 'responses', lastSeq: 4, lastTurn: 'replayed-n' })
      await old.run(
        `INSERT INTO chain_points (thread_id, turn_id, hash, user_id, seq, latest)
         VALUES ('replayed', 'replayed-m', ?, ?, 2, 0), ('replayed', 'replayed-n', ?, ?, 4, 1)`,
        hash('a'),
        replayer,
        hash('b'),
        replayer,
      )
    },
    async check({ threads }) {
      const find = async (letter: string) => {
        const found = await threads.findByChain(replayer, [hash(letter)])
        return found && [found.turnId, found.seq, found.latest]
      }
      assert.deepEqual(await find('a'), ['replayed-m', 2, false])
      assert.deepEqual(await find('b'), ['replayed-n', 4, true])
    },
  })

  climb(
    'the operator reaches what the webhook channel made before reach was a column, and nothing else of others',
    16,
    {
      async seed(old) {
        const at = Date.now()
        for (const [id, user, door] of [
          ['a-hooked', 'webhook:bot', 'webhook'],
          ['b-unhooked', 'not hooked', 'web'],
        ] as const) {
          await addThread(old, { id, user, door })
          await old.run(
            `INSERT INTO turns (id, thread_id, user_id, door, status, created_at, answered_at) VALUES (?, ?, ?, ?, 'failed', ?, ?)`,
            id,
            id,
            user,
            door,
            at,
            at,
          )
          await old.run(
            `INSERT INTO grants (id, user_id, door, tool, target, granted_by, created_at) VALUES (?, ?, ?, 'act', '', 'ada', 1)`,
            id,
            user,
            door,
          )
        }
      },
      async check({ threads, turns, grants }) {
        const ids = (rows: readonly { readonly id: string }[]): string[] => rows.map(({ id }) => id)
        assert.deepEqual(ids((await threads.list(operator, { limit: 9 })).rows), ['a-hooked'])
        assert.deepEqual(ids((await turns.list(operator, { limit: 9, status: 'failed' })).rows), ['a-hooked'])
        assert.deepEqual(ids(await grants.list(operator)), ['a-hooked'])
        assert.equal(await turns.get(operator, 'b-unhooked'), undefined)
      },
    },
  )

  climb('a replica of the version before goes on: the operator reaches what it stores for the webhook channel', 16, {
    async check({ threads }, old, t) {
      if (old.backend === 'sqlite') return t.skip('SQLite has one process, no replicas')
      await addThread(old, { id: 'a-replica', user: 'webhook:bot', door: 'webhook' })
      await addThread(old, { id: 'b-replica', user: 'not hooked' })
      const { rows } = await threads.list(operator, { limit: 9 })
      assert.deepEqual(
        rows.map(({ id }) => id).filter((id) => id.endsWith('replica')),
        ['a-replica'],
      )
    },
  })
}
