// The routes of skills: an archive in, the list, a skill whole, review, switch, removal; each user reaches their own.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { zipOf, type ZipEntry } from '../../skills/zip-file.ts'
import { type House, openHouse } from './house.ts'

function archive(name: string, body = 'Steps.', more: readonly ZipEntry[] = []): Buffer {
  const text = `---\nname: ${name}\ndescription: Does ${name}.\nallowed-tools: time\n---\n\n${body}\n`
  return zipOf([{ path: `${name}/SKILL.md`, content: text, deflate: true }, ...more])
}

const zipped = { 'content-type': 'application/zip' }

async function add({ call }: House, bytes: Buffer, token?: string) {
  return call('POST', '/api/skills', { body: bytes, headers: zipped, ...(token !== undefined && { token }) })
}

test('an archive becomes a skill, which is listed and shown whole', async (t) => {
  const house = await openHouse(t)
  const more = [
    { path: 'pdf/scripts/go.sh', content: '#!/bin/sh' },
    { path: 'pdf/logo.png', content: new Uint8Array([0x89, 0xff]) },
  ]
  const added = await add(house, archive('pdf', 'See https://example.com.', more))
  assert.equal(added.status, 201)
  assert.deepEqual(
    added.json.files.map(({ path, bytes, untrusted, text }: Record<string, unknown>) => [path, bytes, untrusted, text]),
    [
      ['SKILL.md', added.json.files[0].bytes, false, added.json.files[0].text],
      ['logo.png', 2, false, undefined],
      ['scripts/go.sh', 9, false, '#!/bin/sh'],
    ],
  )
  assert.match(added.json.files[0].text, /See https/)
  assert.deepEqual(
    added.json.findings.map(
      ({ level, file, line }: Record<string, unknown>) => `${String(level)} ${String(file)} ${String(line)}`,
    ),
    ['note SKILL.md 7', 'note scripts/go.sh undefined', 'note logo.png undefined'],
  )
  const { updated_at: _, ...listed } = (await house.call('GET', '/api/skills')).json.skills[0]
  assert.deepEqual(listed, {
    name: 'pdf',
    description: 'Does pdf.',
    from: 'you',
    author: 'user',
    enabled: true,
    untrusted: false,
    warnings: 0,
    allowed_tools: ['time'],
  })
  const { files, findings, ...shown } = (await house.call('GET', '/api/skills/pdf')).json
  assert.deepEqual([shown.name, files.length, findings.length], ['pdf', 3, 3])
})

test('a text that is too long to show is told apart from a file that is no text', async (t) => {
  const house = await openHouse(t)
  const more = [
    { path: 'pdf/a.bin', content: `\0${'x'.repeat(600_000)}`, deflate: true },
    { path: 'pdf/b.md', content: 'word '.repeat(120_000), deflate: true },
    { path: 'pdf/c.md', content: 'short' },
  ]
  const { json } = await add(house, archive('pdf', 'Steps.', more))
  assert.deepEqual(
    json.files.map((file: Record<string, unknown>) => [file['path'], typeof file['text'], file['too_long']]),
    [
      ['SKILL.md', 'string', undefined],
      ['a.bin', 'undefined', undefined],
      ['b.md', 'undefined', true],
      ['c.md', 'string', undefined],
    ],
  )
})

test('a second archive of a name updates it: what changed is untrusted until it is reviewed as it was seen', async (t) => {
  const house = await openHouse(t)
  await add(house, archive('pdf'))
  const same = await add(house, archive('pdf'))
  assert.deepEqual([same.status, same.json.untrusted], [200, false])
  const changed = await add(house, archive('pdf', 'Other steps.'))
  assert.deepEqual([changed.status, changed.json.untrusted], [200, true])
  const review = (hashes: readonly string[]) => house.call('POST', '/api/skills/pdf/review', { body: { hashes } })
  assert.equal((await review(same.json.files.map(({ hash }: { hash: string }) => hash))).json.untrusted, true)
  assert.equal((await review(changed.json.files.map(({ hash }: { hash: string }) => hash))).json.untrusted, false)
  await add(house, archive('pdf', 'Still other steps.'))
  assert.equal((await house.call('POST', '/api/skills/pdf/review')).json.untrusted, false)
})

test('the operator’s skills are everybody’s to use and to switch off, a user’s own are nobody else’s', async (t) => {
  const house = await openHouse(t)
  const { call, addUser } = house
  const [ada, bob] = [await addUser('ada'), await addUser('bob')]
  await add(house, archive('shared'))
  await add(house, archive('hers'), ada)
  const names = async (token: string) =>
    (await call('GET', '/api/skills', { token })).json.skills.map(
      ({ name, from, enabled }: Record<string, unknown>) => `${String(name)} ${String(from)} ${String(enabled)}`,
    )
  assert.deepEqual(await names(ada), ['hers you true', 'shared operator true'])
  assert.deepEqual(await names(bob), ['shared operator true'])
  assert.equal(
    (await call('PATCH', '/api/skills/shared', { token: ada, body: { enabled: false } })).json.enabled,
    false,
  )
  assert.deepEqual(await names(ada), ['hers you true', 'shared operator false'])
  assert.deepEqual(await names(bob), ['shared operator true'])
  for (const [method, path, body] of [
    ['GET', '/api/skills/hers'],
    ['DELETE', '/api/skills/hers'],
    ['PATCH', '/api/skills/hers', { enabled: false }],
    ['POST', '/api/skills/hers/review'],
  ] as const) {
    assert.equal((await call(method, path, { token: bob, ...(body && { body }) })).status, 404, `${method} ${path}`)
  }
  assert.equal((await call('DELETE', '/api/skills/shared', { token: ada })).status, 403)
  assert.equal((await call('POST', '/api/skills/shared/review', { token: ada })).status, 403)
  assert.equal((await call('DELETE', '/api/skills/hers', { token: ada })).status, 204)
  assert.equal((await call('GET', '/api/skills/hers', { token: ada })).status, 404)
})

test('what is no archive, no skill, too large or of another type is refused, and says why', async (t) => {
  const house = await openHouse(t)
  const tried = async (bytes: Buffer) => {
    const { status, json } = await add(house, bytes)
    return [status, json.error.code, json.error.message]
  }
  assert.deepEqual((await tried(Buffer.from('hello'))).slice(0, 2), [400, 'invalid_input'])
  assert.match((await tried(zipOf([{ path: 'pdf/SKILL.md', content: '# x' }])))[2], /^SKILL\.md:1: /)
  assert.match((await tried(archive('help')))[2], /is a command/)
  const bomb = archive('pdf', 'x', [{ path: 'pdf/a', content: 'x'.repeat(11 * 1024 * 1024), deflate: true }])
  assert.deepEqual((await tried(bomb)).slice(0, 2), [413, 'too_large'])
  const asJson = await house.call('POST', '/api/skills', { body: {} })
  assert.deepEqual([asJson.status, asJson.json.error.message], [415, 'send the body as application/zip'])
  assert.equal((await house.call('PATCH', '/api/skills/pdf', { body: { enabled: 1 } })).status, 400)
  assert.deepEqual((await house.call('GET', '/api/skills')).json, { skills: [] })
})

test('a message with /name loads the skill over the chat', async (t) => {
  const house = await openHouse(t)
  await add(house, archive('pdf', 'Read it twice.'))
  const { json } = await house.call('POST', '/api/chat', { body: { message: '/pdf go' } })
  assert.equal(json.status, 'completed')
  const { items } = (await house.call('GET', `/api/threads/${json.thread_id}`)).json
  assert.deepEqual(
    items.map(({ type, name, output }: Record<string, unknown>) => [type, name ?? output]),
    [
      ['message', undefined],
      ['call', 'skill_load'],
      ['result', 'Read it twice.'],
      ['message', undefined],
    ],
  )
})
