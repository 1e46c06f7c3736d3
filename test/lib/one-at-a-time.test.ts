// Work in order by key: what waits for what.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createOneAtATime } from '#lib/one-at-a-time.ts'

test('tasks of one key run one after another, those of another beside them', async () => {
  const oneAtATime = createOneAtATime()
  const begun: string[] = []
  const gate = Promise.withResolvers<string>()
  const task =
    (name: string, result: Promise<string> = Promise.resolve(name)) =>
    (): Promise<string> => {
      begun.push(name)
      return result
    }
  const first = oneAtATime('ada', task('one', gate.promise))
  const second = oneAtATime('ada', task('two'))
  assert.equal(await oneAtATime('bob', task('three')), 'three')
  assert.deepEqual(begun, ['one', 'three'])
  gate.resolve('done')
  assert.deepEqual(await Promise.all([first, second]), ['done', 'two'])
  assert.deepEqual(begun, ['one', 'three', 'two'])
})

test('a task that fails does not hold up the next', async () => {
  const oneAtATime = createOneAtATime()
  const failed = oneAtATime('ada', () => Promise.reject(new Error('no')))
  const next = oneAtATime('ada', () => Promise.resolve('yes'))
  await assert.rejects(failed, /no/)
  assert.equal(await next, 'yes')
})
