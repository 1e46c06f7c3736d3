// Skills on both databases: whose they are, what is shared by hash, what is trusted, and what is switched off.
import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { test } from 'node:test'
import { operator } from '#core/ids.ts'
import type { NewSkill } from '#core/skill.ts'
import { removeUser } from '#turns/user-removal.ts'
import { ada, bob, type Open, rejectsWith } from './harness.ts'

export function newSkill(name: string, files: Readonly<Record<string, string>> = { 'SKILL.md': name }): NewSkill {
  return {
    name,
    description: `Does ${name}.`,
    author: 'user',
    findings: [{ level: 'note', file: 'SKILL.md', line: 1, message: 'short' }],
    files: Object.entries(files).map(([path, text]) => ({
      path,
      content: Buffer.from(text),
      hash: createHash('sha256').update(text).digest('hex'),
      untrusted: text.startsWith('new'),
    })),
  }
}

export function skillTests(open: Open): void {
  test('a skill is stored with its files, and is its owner\u2019s alone', async (t) => {
    const { store, clock } = await open(t)
    const { skills } = store
    const pdf = { ...newSkill('pdf', { 'SKILL.md': 'one', 'a/b.md': 'new two' }), allowedTools: ['time'] }
    await skills.put(ada, pdf)
    await skills.put(ada, newSkill('a-first'))
    assert.deepEqual(
      (await skills.list(ada)).map(({ name }) => name),
      ['a-first', 'pdf'],
    )
    const { files, ...head } = pdf
    const listed = { ...head, owner: ada, untrusted: true, updatedAt: clock.now }
    assert.deepEqual((await skills.list(ada))[1], listed, 'all files of all skills would take long to read')
    assert.equal((await skills.list(ada))[0]?.untrusted, false)
    assert.deepEqual(await skills.get(ada, 'pdf'), {
      ...listed,
      files: files
        .map(({ path, hash, content, untrusted }) => ({ path, hash, bytes: content.length, untrusted }))
        .toSorted((one, two) => (one.path < two.path ? -1 : 1)),
    })
    assert.equal(Buffer.from((await skills.content(ada, 'pdf', 'a/b.md')) ?? '').toString(), 'new two')
    assert.equal(await skills.content(ada, 'pdf', 'b.md'), undefined)
    for (const other of [bob, operator]) {
      assert.deepEqual(await skills.list(other), [])
      assert.equal(await skills.get(other, 'pdf'), undefined)
      assert.equal(await skills.content(other, 'pdf', 'SKILL.md'), undefined)
      assert.equal(await skills.remove(other, 'pdf'), false)
    }
    assert.equal(await skills.remove(ada, 'pdf'), true)
    assert.equal(await skills.content(ada, 'pdf', 'SKILL.md'), undefined)
  })

  test('trust is decided by what a skill replaces, and a content is read only while it is the one that was meant', async (t) => {
    const { skills } = (await open(t)).store
    const seen: unknown[] = []
    const put = (text: string) => {
      const skill = newSkill('pdf', { 'SKILL.md': text })
      return skills.put(ada, skill, (before) => {
        seen.push(before?.map(({ path, untrusted }) => [path, untrusted]))
        return skill.files.map((file) => ({ ...file, untrusted: before !== undefined }))
      })
    }
    await put('one')
    const hash = (await skills.get(ada, 'pdf'))?.files[0]?.hash ?? ''
    assert.equal(Buffer.from((await skills.content(ada, 'pdf', 'SKILL.md', hash)) ?? '').toString(), 'one')
    await put('two')
    assert.equal(await skills.content(ada, 'pdf', 'SKILL.md', hash), undefined)
    assert.equal((await skills.list(ada))[0]?.untrusted, true)
    await put('three')
    assert.deepEqual(seen, [undefined, [['SKILL.md', false]], [['SKILL.md', true]]])
    const refused = skills.put(ada, newSkill('pdf'), () => {
      throw new Error('no')
    })
    await assert.rejects(refused, /no/)
    assert.equal(Buffer.from((await skills.content(ada, 'pdf', 'SKILL.md')) ?? '').toString(), 'three')
  })

  test('a content that two skills share stays until the last of them is gone', async (t) => {
    const { skills } = (await open(t)).store
    await skills.put(ada, newSkill('one', { 'SKILL.md': 'same', 'a.md': 'only one' }))
    await skills.put(ada, newSkill('two', { 'SKILL.md': 'same' }))
    await skills.put(ada, newSkill('one', { 'SKILL.md': 'other' }))
    assert.equal(Buffer.from((await skills.content(ada, 'two', 'SKILL.md')) ?? '').toString(), 'same')
    assert.equal(await skills.content(ada, 'one', 'a.md'), undefined)
    await skills.remove(ada, 'one')
    assert.equal(Buffer.from((await skills.content(ada, 'two', 'SKILL.md')) ?? '').toString(), 'same')
  })

  test('a file becomes trusted only with the content that was looked at', async (t) => {
    const { skills } = (await open(t)).store
    await skills.put(ada, newSkill('pdf', { 'SKILL.md': 'new one' }))
    const seen = await skills.get(ada, 'pdf')
    await skills.put(ada, newSkill('pdf', { 'SKILL.md': 'new two' }))
    await skills.trust(ada, 'pdf', seen?.files ?? [])
    assert.equal((await skills.list(ada))[0]?.untrusted, true)
    await skills.trust(ada, 'pdf', (await skills.get(ada, 'pdf'))?.files ?? [])
    assert.equal((await skills.list(ada))[0]?.untrusted, false)
  })

  test('a user switches a skill off for themselves, and one that is added is on', async (t) => {
    const { skills } = (await open(t)).store
    await skills.switch(ada, 'pdf', false)
    await skills.switch(ada, 'pdf', false)
    assert.deepEqual([await skills.off(ada), await skills.off(bob)], [['pdf'], []])
    await skills.switch(ada, 'pdf', true)
    assert.deepEqual(await skills.off(ada), [])
    await skills.switch(ada, 'pdf', false)
    await skills.put(ada, newSkill('pdf'))
    assert.deepEqual(await skills.off(ada), [])
    await skills.switch(ada, 'pdf', false)
    await skills.put(ada, newSkill('pdf', { 'SKILL.md': 'changed' }))
    assert.deepEqual(await skills.off(ada), ['pdf'])
  })

  test('a removed skill leaves no switch, unless the operator has one of its name', async (t) => {
    const { skills } = (await open(t)).store
    await skills.put(operator, newSkill('pdf'))
    for (const name of ['pdf', 'notes']) {
      await skills.put(ada, newSkill(name))
      await skills.switch(ada, name, false)
      await skills.remove(ada, name)
    }
    assert.deepEqual(await skills.off(ada), ['pdf'])
  })

  test('there are at most a hundred skills', async (t) => {
    const { skills } = (await open(t)).store
    for (let at = 0; at < 100; at++) await skills.put(ada, newSkill(`s${at}`))
    await rejectsWith(skills.put(ada, newSkill('more')), 'invalid_input')
    await skills.put(ada, newSkill('s5', { 'SKILL.md': 'changed' }))
    await skills.put(bob, newSkill('more'))
  })

  test('skills count towards what a user stores, and are refused over the quota', async (t) => {
    const { skills, storage } = (await open(t, { maxUserBytes: 20_000 })).store
    await skills.put(ada, newSkill('pdf', { 'SKILL.md': 'x'.repeat(10_000) }))
    assert.equal((await storage.used(ada)).bytes, 11_000)
    await rejectsWith(skills.put(ada, newSkill('two', { 'SKILL.md': 'y'.repeat(10_000) })), 'storage_full')
    await skills.put(ada, newSkill('pdf', { 'SKILL.md': 'y'.repeat(15_000) }))
    assert.equal((await storage.used(ada)).bytes, 16_000)
    await skills.remove(ada, 'pdf')
    assert.equal((await storage.used(ada)).bytes, 0)
  })

  test('a user who is removed takes their skills along, and can store none', async (t) => {
    const { store } = await open(t)
    const { id: user } = await store.accounts.addUser('cleo', { hash: 'h' })
    for (let at = 0; at < 7; at++) await store.skills.put(user, newSkill(`s${at}`))
    await store.skills.switch(user, 's1', false)
    await store.skills.put(operator, newSkill('stays'))
    assert.equal((await removeUser({ store }, 'cleo'))?.skills, 7)
    assert.deepEqual([await store.skills.list(user), await store.skills.off(user)], [[], []])
    assert.equal((await store.skills.list(operator)).length, 1)
    await rejectsWith(store.skills.put(user, newSkill('late')), 'not_found')
  })
}
