// Questions of servers of the older era: who is asked, and when nobody is.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type CallUnderWay, createQuestions, type Elicit } from '#mcp/questions.ts'

const declined = { action: 'decline' }
const accepted = { action: 'accept', content: {} }
const accept: Elicit = () => Promise.resolve(accepted)

function callOf(threadId: string | undefined, elicit?: Elicit, onHold = (): void => {}): CallUnderWay {
  return { threadId, elicit, deadline: { hold: () => () => {} }, onHold }
}

test('one call under way is asked, and gives its place to others', async () => {
  const questions = createQuestions()
  assert.deepEqual(await questions.ask({}), declined)
  let held = 0
  const end = questions.add(callOf('a', accept, () => void held++))
  assert.deepEqual(await questions.ask({}), accepted)
  assert.equal(held, 1)
  end(true)
  assert.deepEqual(await questions.ask({}), declined)
})

test('nobody is asked while several calls are under way, even of one thread', async () => {
  const questions = createQuestions()
  questions.add(callOf('a', accept))
  const end = questions.add(callOf('a', accept))
  assert.deepEqual(await questions.ask({}), declined)
  end(true)
  assert.deepEqual(await questions.ask({}), accepted)
})

test('questions of one call are asked one after the other; none after its end', async () => {
  const questions = createQuestions()
  const asked: unknown[] = []
  const answers = [1, 2, 3].map(() => Promise.withResolvers<Record<string, unknown>>())
  const end = questions.add(
    callOf('a', (params) => {
      asked.push(params)
      return answers[asked.length - 1]?.promise ?? Promise.resolve(declined)
    }),
  )
  const results = [1, 2, 3].map((each) => questions.ask(each).catch((error: Error) => error.message))
  await new Promise(setImmediate)
  assert.deepEqual(asked, [1])
  answers[0]?.reject(new Error('the form cannot be shown'))
  await new Promise(setImmediate)
  assert.deepEqual(asked, [1, 2])
  end(false)
  answers[1]?.resolve(accepted)
  assert.deepEqual(await Promise.all(results), ['the form cannot be shown', accepted, declined])
})

test('a call that ended without an answer may be the one that asks: other threads are not asked', async () => {
  const questions = createQuestions()
  questions.add(callOf('a', accept))(false)
  const end = questions.add(callOf('b', accept))
  assert.deepEqual(await questions.ask({}), declined)
  end(true)
  const endOwn = questions.add(callOf('a', accept))
  assert.deepEqual(await questions.ask({}), accepted)
  endOwn(true)
  questions.reset()
  questions.add(callOf('b', accept))
  assert.deepEqual(await questions.ask({}), accepted)
})
