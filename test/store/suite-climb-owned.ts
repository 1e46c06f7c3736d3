// What users and operators had in earlier versions beside threads: accounts, documents, secrets; and what came later.
import assert from 'node:assert/strict'
import { userId } from '#core/ids.ts'
import { createSeal } from '#lib/seal.ts'
import { addOwner, type ClimbTest } from './climb.ts'
import { document } from './suite-documents.ts'
import { newServer } from './suite-mcp.ts'
import { newSkill } from './suite-skills.ts'

export function climbOwned(climb: ClimbTest): void {
  const seeker = userId('seeker')
  climb('a database from before documents takes and finds them', 1, {
    async check({ documents }) {
      await documents.put(seeker, [document('a', 'hello')])
      assert.deepEqual((await documents.count(seeker, [{ term: 'hello' }], 9))?.counts, [1])
    },
  })

  const writer = userId('writer')
  climb('a database from before versions of documents keeps them from the next write on', 35, {
    async check({ documents }) {
      for (const text of ['one', 'two']) await documents.put(writer, [document('a', text)])
      assert.equal((await documents.version(writer, 'a', 1))?.content, 'one')
    },
  })

  const author = userId('author')
  climb('documents from before their threads were kept have none, and get one by the next write', 15, {
    async seed(old) {
      await addOwner(old, author, { number: 102, bytes: 5 })
      await old.run(
        `INSERT INTO documents (user_id, path, bytes, author, untrusted, revision, chunks, terms, created_at, updated_at)
         VALUES (?, 'a', 5, 'agent', 0, 1, 0, 0, 1, 1)`,
        author,
      )
    },
    async check({ documents }) {
      const before = await documents.get(author, 'a')
      assert.deepEqual([before?.bytes, before?.threadId], [5, undefined])
      await documents.put(author, [document('a', 'later', { author: 'agent', threadId: 't' })])
      assert.equal((await documents.get(author, 'a'))?.threadId, 't')
    },
  })

  climb('the documents of a database from before vectors are all without one', 8, {
    async seed(old) {
      await addOwner(old, 'drawer', { number: 103, bytes: 1, chunks: 1 })
      const [terms, value] = old.backend === 'postgres' ? [', terms', ", ''"] : ['', '']
      await old.run(
        `INSERT INTO chunks (user_id, path, at, lap, size, text${terms}) VALUES ('drawer', 'drawn', 0, 0, 1, 'dog'${value})`,
      )
    },
    async check({ vectors }) {
      const pending = async (model: string) =>
        (await vectors.pending(model, { after: 0, limit: 99 })).chunks.filter(({ path }) => path === 'drawn')
      const chunks = await pending('m')
      assert.deepEqual(
        chunks.map(({ path, text }) => [path, text]),
        [['drawn', 'dog']],
      )
      await vectors.save(
        'm',
        chunks.map((chunk) => ({ chunk, vector: Float32Array.from([1, 0]) })),
      )
      assert.deepEqual(await pending('m'), [])
      assert.deepEqual(await pending('n'), chunks)
    },
  })

  const skilled = userId('skilled')
  climb('skills of a database from before them count towards what is stored', 20, {
    seed: (old) => addOwner(old, skilled, { number: 104 }),
    async check({ skills, storage }) {
      assert.deepEqual(await skills.list(skilled), [])
      await skills.put(skilled, newSkill('pdf', { 'SKILL.md': 'one' }))
      assert.deepEqual(await storage.used(skilled), { bytes: 7 + 3 + 2 * 500 })
    },
  })

  const missionary = userId('missionary')
  climb('a database from before missions takes them, and counts what they store', 22, {
    async check({ missions, storage }) {
      const mission = {
        title: 'a',
        prompt: 'b',
        schedule: '@daily',
        zone: 'UTC',
        missed: 'once',
        from: 0,
        nextAt: 5,
      } as const
      const { id } = await missions.add(missionary, mission, 100)
      assert.ok((await storage.used(missionary)).bytes > 0)
      await missions.remove(missionary, id)
      assert.deepEqual(await storage.used(missionary), { bytes: 0 })
    },
  })

  climb('a database from before chat channels takes them', 30, {
    async check({ channels }) {
      await channels.connect({ channel: 'telegram', account: '1', name: '@bot' })
      assert.deepEqual(await channels.posts('telegram'), [])
    },
  })

  climb('a database from before MCP servers takes them', 28, {
    async check({ mcp }) {
      assert.deepEqual(await mcp.list(), [])
      await mcp.add(newServer('files'))
      assert.equal((await mcp.list())[0]?.tools.length, 2)
    },
  })

  const visitor = userId('visitor')
  climb('a database from before sessions takes them, and its tokens open them', 10, {
    async seed(old) {
      await old.run(`INSERT INTO users (id, name, created_at) VALUES (?, 'visitor', 1)`, visitor)
      await old.run(`INSERT INTO tokens (hash, user_id, created_at) VALUES ('visit', ?, 1)`, visitor)
    },
    async check({ sessions }) {
      await sessions.open({ hash: 's', user: visitor, token: 'visit', endsAt: Date.now() + 60_000 })
      assert.equal((await sessions.find('s', 60_000))?.name, 'visitor')
    },
  })

  climb('a database from before issuers takes people of theirs, beside those it has', 12, {
    seed: (old) => old.run(`INSERT INTO users (id, name, created_at) VALUES ('ann', 'ann', 1)`),
    async check({ identities, accounts }) {
      const made = await identities.enrol({ issuer: 'https://login.example.com', subject: 'ann' }, ['ann', 'ann 2'])
      assert.equal(made.name, 'ann 2')
      const anns = (await accounts.listUsers()).filter(({ name }) => name.startsWith('ann'))
      assert.equal(anns.length, 2)
    },
  })

  climb('secrets from before they had owners are the operator\u2019s', 9, {
    seed(old) {
      const sealed = createSeal('0'.repeat(64)).seal('tool/a/key', 'hush')
      return old.run(`INSERT INTO secrets (name, sealed, updated_at) VALUES ('tool/a/key', ?, 5)`, sealed)
    },
    async check({ secrets }) {
      assert.equal(await secrets.get('tool/a/key'), 'hush')
      assert.deepEqual(await secrets.list(), [{ name: 'tool/a/key', updatedAt: 5 }])
      assert.deepEqual(await secrets.list(seeker), [])
    },
  })

  climb('a user from before removals were kept can be removed, and the removal is known', 40, {
    async seed(old) {
      await old.run(`INSERT INTO users (id, name, created_at) VALUES ('leaver', 'leaver', 1)`)
    },
    async check(store) {
      await store.accounts.shutOut('leaver')
      const removals = await store.accounts.removals()
      assert.deepEqual(
        removals.map(({ user }) => user),
        ['leaver'],
      )
    },
  })
}
