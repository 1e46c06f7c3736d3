// Contents of skills in the database: one row for each, as long as a file has it.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { operator } from '#core/ids.ts'
import { createSkillStore } from '#store/skill-store.ts'
import type { Sql } from '#store/sql.ts'
import { ada, bob } from './harness.ts'
import { openMemorySqlite } from './memory-store.ts'
import { newSkill } from './suite-skills.ts'

test('a content that no file of its owner has any more is not stored any more', async (t) => {
  const sql = openMemorySqlite()
  t.after(() => sql.close())
  const skills = createSkillStore({ sql, now: () => 1 })
  const stored = (): string[] =>
    sql.db
      .prepare('SELECT user_id, content FROM skill_contents')
      .all()
      .map(({ user_id, content }) => `${String(user_id)} ${Buffer.from(content as Uint8Array).toString()}`)
      .toSorted()
  await skills.put(ada, newSkill('one', { 'SKILL.md': 'same', 'a.md': 'own' }))
  await skills.put(ada, newSkill('two', { 'SKILL.md': 'same' }))
  await skills.put(bob, newSkill('one', { 'SKILL.md': 'same' }))
  assert.deepEqual(stored(), ['ada own', 'ada same', 'bob same'])
  await skills.put(ada, newSkill('one', { 'SKILL.md': 'new' }))
  assert.deepEqual(stored(), ['ada new', 'ada same', 'bob same'])
  await skills.remove(ada, 'two')
  assert.deepEqual(stored(), ['ada new', 'bob same'])
  assert.deepEqual([await skills.eraseSome(ada), await skills.eraseSome(ada)], [1, 0])
  assert.deepEqual(stored(), ['bob same'])
})

test('a user is erased five skills at a time, and then what they switched off', async (t) => {
  const sql = openMemorySqlite()
  t.after(() => sql.close())
  const skills = createSkillStore({ sql, now: () => 1 })
  for (let at = 0; at < 7; at++) await skills.put(ada, newSkill(`s${at}`))
  await skills.put(operator, newSkill('pdf'))
  await skills.switch(ada, 'pdf', false)
  assert.deepEqual([await skills.eraseSome(ada), await skills.eraseSome(ada)], [5, 2])
  assert.deepEqual(await skills.off(ada), ['pdf'])
  assert.deepEqual([await skills.eraseSome(ada), await skills.off(ada)], [0, []])
})

test('skills are stored, replaced and erased in a thread', async (t) => {
  const sqlite = openMemorySqlite()
  t.after(() => sqlite.close())
  const long: boolean[] = []
  const sql: Sql = { ...sqlite, write: (job, size) => (long.push(size?.bytes === Infinity), sqlite.write(job)) }
  const skills = createSkillStore({ sql, now: () => 1 })
  await skills.put(ada, newSkill('one'))
  await skills.switch(ada, 'one', false)
  await skills.remove(ada, 'one')
  await skills.eraseSome(ada)
  assert.deepEqual(long, [true, false, true, true])
})
