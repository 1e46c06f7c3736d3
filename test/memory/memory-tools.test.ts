// Memory as the agent's tools: what they do, what they refuse, when they ask.
import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import type { JsonObject } from '#core/json.ts'
import { createDocuments } from '#memory/documents.ts'
import { createMemoryTools } from '#memory/memory-tools.ts'
import { createJudge } from '#safety/policy.ts'
import { calls, says } from '../doors/test-app.ts'
import { openHouse } from '../doors/web/house.ts'
import { ada, bob } from '../store/harness.ts'
import { call, judged } from '../agent/tools.ts'
import { openMemoryStore } from '../store/memory-store.ts'

function open(t: TestContext) {
  const store = openMemoryStore()
  t.after(() => store.close())
  const documents = createDocuments({ store: store.documents })
  const tools = createMemoryTools(documents)
  const find = (name: string) => {
    const tool = tools.find(({ spec }) => spec.name === name)
    assert(tool, name)
    return tool
  }
  let marked = 0
  const context = {
    user: ada,
    threadId: 't',
    turnId: 'u',
    callId: 'c',
    tainted: false,
    signal: AbortSignal.timeout(60_000),
    markUntrusted: () => marked++,
  }
  const run = (name: string, args: unknown, user = ada) =>
    find(name).run(typeof args === 'string' ? args : JSON.stringify(args), { ...context, user })
  return { documents, tools, find, run, marked: () => marked }
}

test('what is written is listed, read, found, changed and deleted', async (t) => {
  const { run, documents } = open(t)
  assert.equal(await run('memory_list', {}), 'Memory is empty.')
  assert.equal(await run('memory_search', { query: 'x' }), 'Nothing in memory matches.')
  assert.equal(await run('memory_write', { path: 'notes/a.md', content: 'Ada likes tea' }), 'created: notes/a.md')
  const { author, threadId } = await documents.read(ada, 'notes/a.md')
  assert.deepEqual([author, threadId], ['agent', 't'])
  assert.match(await run('memory_write', { path: 'notes/a.md', content: 'and walks', append: true }), /^replaced/)
  assert.equal(await run('memory_read', { path: 'notes/a.md' }), 'Ada likes tea\nand walks')
  assert.equal(await run('memory_list', { folder: 'notes/' }), 'notes/a.md (23 bytes)')
  assert.equal(await run('memory_list', { folder: 'other' }), 'There is nothing in other.')
  assert.equal(
    await run('memory_edit', { path: 'notes/a.md', find: 'tea', replace: '$& coffee' }),
    'edited: notes/a.md',
  )
  assert.equal(
    await run('memory_search', { query: 'coffee', limit: 3 }),
    '## notes/a.md\nAda likes $& coffee\nand walks',
  )
  assert.equal(await run('memory_search', { query: 'coffee' }, bob), 'Nothing in memory matches.')
  assert.equal(await run('memory_delete', { path: 'notes/a.md' }), 'deleted: notes/a.md')
  assert.equal(await run('memory_list', {}), 'Memory is empty.')
})

const refused: readonly [name: string, args: unknown, words: RegExp][] = [
  ['memory_search', {}, /^query is missing$/],
  ['memory_search', { query: 5 }, /^query must be a text$/],
  ['memory_search', { query: 'x', limit: 'all' }, /^limit must be a whole number/],
  ['memory_search', { query: 'x', limit: 0 }, /^limit must be a whole number from 1 to 25$/],
  ['memory_search', { query: 'x', limit: 26 }, /^limit must be a whole number from 1 to 25$/],
  ['memory_search', { query: 'x', folder: 'a' }, /^folder is not a parameter; the parameters are query, limit$/],
  ['memory_read', { path: '../x' }, /^path must not have/],
  ['memory_read', { path: 'nowhere' }, /there is no document nowhere/],
  ['memory_list', { folder: 7 }, /^folder must be a text$/],
  ['memory_list', { folder: '/abs' }, /^folder must be relative/],
  ['memory_write', { path: 'a' }, /^content is missing$/],
  ['memory_write', { path: '', content: 'x' }, /^path must have 1 to 200/],
  ['memory_write', { path: 'a', content: 'x', append: 'yes' }, /^append must be true or false$/],
  ['memory_write', { path: 'kept', content: 'x', appended: true }, /^appended is not a parameter; .* append$/],
  ['memory_write', { path: 'a', content: 'x\0' }, /NUL/],
  ['memory_write', { path: 'kept/x', content: 'y' }, /kept is a document, not a folder/],
  ['memory_edit', { path: 'kept', find: 'one', replace: 'x' }, /^find occurs 2 times in kept/],
  ['memory_edit', { path: 'kept', find: 'nine', replace: 'x' }, /^find does not occur in kept/],
  ['memory_edit', { path: 'kept', find: '', replace: 'x' }, /^find is empty/],
  [
    'memory_edit',
    { path: 'kept', find: `${'one '.repeat(50_000)}x${'one '.repeat(50_000)}`, replace: 'y' },
    /^find does not/,
  ],
  ['memory_edit', { path: 'nowhere', find: 'x', replace: 'y' }, /no document nowhere/],
  ['memory_delete', { path: 'nowhere' }, /no document nowhere/],
  ['memory_delete', {}, /^path is missing$/],
  ['memory_delete', '[1]', /^path is missing$/],
]
for (const [name, args, words] of refused) {
  test(`refused, and nothing changed: ${name} ${JSON.stringify(args)}`, async (t) => {
    const { run, documents } = open(t)
    await documents.write(ada, [{ path: 'kept', content: 'one and one', author: 'user' }])
    await assert.rejects(run(name, args), { message: words })
    const list = await documents.list(ada, { limit: 9 })
    assert.deepEqual(
      list.map(({ path, revision }) => [path, revision]),
      [['kept', 1]],
    )
  })
}

test('to remember is allowed, to change who the agent is must be asked for', (t) => {
  const { find } = open(t)
  const verdict = (name: string, args: object) =>
    createJudge()(judged(call('c', name, args as JsonObject), find(name))).do
  for (const name of ['memory_search', 'memory_read', 'memory_list'])
    assert.equal(verdict(name, { path: 'SOUL.md' }), 'allow')
  for (const name of ['memory_write', 'memory_edit', 'memory_delete']) {
    assert.equal(verdict(name, { path: 'notes/SOUL.md' }), 'allow')
    for (const path of ['AGENTS.md', 'SOUL.md', 'IDENTITY.md', 'USER.md']) assert.equal(verdict(name, { path }), 'ask')
    assert.equal(find(name).repeatable, false)
  }
})

test('words from outside are said to be so, and stay so when they are changed', async (t) => {
  const { run, documents, marked } = open(t)
  await documents.write(ada, [
    { path: 'page', content: 'a walrus from the web', author: 'agent', untrusted: true },
    { path: 'own', content: 'a walrus of mine', author: 'agent' },
  ])
  await run('memory_read', { path: 'own' })
  assert.equal(marked(), 0)
  await run('memory_read', { path: 'page' })
  await run('memory_search', { query: 'walrus' })
  await run('memory_list', {})
  assert.equal(marked(), 3)
  await run('memory_edit', { path: 'own', find: 'walrus', replace: 'seal' })
  assert.equal((await documents.read(ada, 'own')).untrusted, false)
  await run('memory_edit', { path: 'page', find: 'walrus', replace: 'seal' })
  await run('memory_write', { path: 'page', content: 'more', append: true })
  assert.equal((await documents.read(ada, 'page')).untrusted, true)
  await run('memory_write', { path: 'page', content: 'all new' })
  assert.equal((await documents.read(ada, 'page')).untrusted, false)
})

test('what the agent writes after it has read words from outside is marked as theirs', async (t) => {
  const page = {
    spec: { name: 'page', description: 'Reads a page', parameters: { type: 'object' } },
    effects: 'read' as const,
    repeatable: true,
    untrusted: true,
    run: () => Promise.resolve('a page says hello'),
  }
  const house = await openHouse(t, {
    memory: true,
    tools: [page],
    say({ items }) {
      const results = items.filter(({ type }) => type === 'result').length
      if (results === 0) return calls('memory_write', { path: 'before.md', content: 'own words' })
      if (results === 1) return calls('page', {})
      if (results === 2) return calls('memory_write', { path: 'after.md', content: 'hello' })
      if (results === 3) return calls('memory_edit', { path: 'before.md', find: 'own', replace: 'other' })
      return says('done')
    },
  })
  const untrusted = async (path: string) => (await house.call('GET', `/api/memory/documents/${path}`)).json.untrusted
  assert.equal((await house.call('POST', '/api/chat', { body: { message: 'go' } })).json.response, 'done')
  assert.deepEqual([await untrusted('before.md'), await untrusted('after.md')], [true, true])
})

test('a change of identity that was allowed is the word of whoever allowed it', async (t) => {
  const { find, documents } = open(t)
  const context = {
    user: ada,
    threadId: 't',
    turnId: 'u',
    callId: 'c',
    signal: AbortSignal.timeout(60_000),
    tainted: true,
  }
  await find('memory_write').run(JSON.stringify({ path: 'SOUL.md', content: 'be kind' }), context)
  await find('memory_edit').run(JSON.stringify({ path: 'SOUL.md', find: 'kind', replace: 'brief' }), context)
  await find('memory_write').run(JSON.stringify({ path: 'notes.md', content: 'be kind' }), context)
  assert.deepEqual(
    [(await documents.read(ada, 'SOUL.md')).untrusted, (await documents.read(ada, 'notes.md')).untrusted],
    [false, true],
  )
})

const asked: readonly [name: string, args: JsonObject, brief: string, preview: RegExp][] = [
  ['memory_write', { path: 'USER.md', content: 'Ada' }, 'Write memory: USER.md', /^new: Ada$/],
  ['memory_write', { path: 'SOUL.md', content: 'calm' }, 'Write memory: SOUL.md', /-brief[^]*\n\+calm/],
  ['memory_write', { path: 'SOUL.md', content: 'calm', append: true }, 'Write memory: SOUL.md', /\+brief\n\+calm/],
  ['memory_edit', { path: 'SOUL.md', find: 'brief', replace: 'calm' }, 'Write memory: SOUL.md', /-brief[^]*\n\+calm/],
  ['memory_delete', { path: 'SOUL.md' }, 'Delete memory: SOUL.md', /-brief/],
]
for (const [name, args, brief, preview] of asked) {
  test(`who is asked about ${name} ${JSON.stringify(args)} sees what would change`, async (t) => {
    const { documents, find } = open(t)
    await documents.write(ada, [{ path: 'SOUL.md', content: 'brief', author: 'user' }])
    const tool = find(name)
    const text = JSON.stringify(args)
    const told = await tool.ask?.(text, { user: ada, signal: AbortSignal.timeout(60_000) })
    assert.equal(told?.question.brief, brief)
    assert.equal(told.question.text, `${brief.replace(':', '')}?`)
    assert(told.preview?.type === 'document')
    const { content, diff } = told.preview as { content?: string; diff?: string }
    assert.match(content === undefined ? String(diff) : `new: ${content}`, preview)
    assert.equal((await documents.read(ada, 'SOUL.md')).content, 'brief', 'nothing has happened')
  })
}

test('a change of identity is a write, any other one is kept and can be undone', (t) => {
  const { find } = open(t)
  for (const name of ['memory_write', 'memory_edit', 'memory_delete']) {
    const { effects, policy, repeatable } = find(name)
    assert(typeof effects === 'function' && typeof policy === 'object')
    const of = (path: string) => [effects(JSON.stringify({ path })), policy.rowOf(JSON.stringify({ path }))]
    assert.deepEqual(
      [of('notes/a.md'), of('SOUL.md')],
      [
        ['keep', 'memory'],
        ['write', 'identity'],
      ],
    )
    assert.deepEqual([policy.rows, repeatable], [['memory', 'identity'], false])
  }
})

test('appends at the same time are all kept', async (t) => {
  const { run } = open(t)
  await Promise.all(['a', 'b', 'c', 'd'].map((content) => run('memory_write', { path: 'log', content, append: true })))
  assert.deepEqual((await run('memory_read', { path: 'log' })).split('\n').toSorted(), ['a', 'b', 'c', 'd'])
})

test('through a turn: what was remembered is found in another thread, and a change of identity waits for approval', async (t) => {
  const house = await openHouse(t, {
    memory: true,
    say({ items }) {
      const last = items.at(-1)
      if (last?.type === 'result') return says(last.output)
      const text = JSON.stringify(last)
      if (text.includes('remember')) return calls('memory_write', { path: 'tea.md', content: 'Ada drinks green tea' })
      if (text.includes('become')) return calls('memory_write', { path: 'SOUL.md', content: 'a pirate' })
      return calls('memory_search', { query: 'which tea' })
    },
  })
  const chat = async (message: string) => (await house.call('POST', '/api/chat', { body: { message } })).json
  assert.equal((await chat('remember my tea')).response, 'created: tea.md')
  assert.match((await chat('what do I drink?')).response, /green tea/)
  const paused = await chat('become a pirate')
  assert.deepEqual([paused.status, paused.gate.name], ['waiting', 'memory_write'])
  assert.equal((await house.call('GET', '/api/memory/documents/SOUL.md')).status, 404)
})
