// Counting tokens without a tokenizer.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createMeter, tokensInItem, tokensInText } from '#agent/tokens.ts'
import { textMessage } from '#core/item.ts'
import { noUsage } from '#core/turn.ts'
import { scripted, specOf } from './tools.ts'

const model = scripted([])
const counted = (inputTokens: number) => ({ ...noUsage, inputTokens })

test('text counts by its bytes, a picture by none of them', () => {
  assert.equal(tokensInText('a'.repeat(400)), 100)
  assert.equal(tokensInText('語'.repeat(100)), 75)
  const picture = {
    type: 'message',
    role: 'user',
    content: [{ type: 'image', url: `data:${'x'.repeat(1e6)}` }],
  } as const
  assert.ok(tokensInItem(picture) < 2_000)
  assert.ok(tokensInItem(textMessage('user', 'a'.repeat(4_000))) > 1_000)
})

test('what the provider counts sets the estimate right: at once when it is more, slowly when it is less', () => {
  const meter = createMeter()
  assert.equal(meter.calibrate(model, 1_000), 1_000)
  meter.learn(model, 1_000, counted(1_500))
  assert.equal(meter.calibrate(model, 1_000), 1_500)
  meter.learn(model, 1_000, counted(1_000))
  assert.equal(meter.calibrate(model, 1_000), 1_450)
  assert.equal(meter.calibrate({ ...model, name: 'other' }, 1_000), 1_000, 'each model for itself')
})

test('counts that cannot be are not believed', () => {
  const meter = createMeter()
  for (let at = 0; at < 100; at++) meter.learn(model, 10_000, counted(50))
  assert.ok(meter.calibrate(model, 1_000) >= 900, 'a server that reports one number for all prompts')
  meter.learn(model, 1_000, counted(1e9))
  assert.equal(meter.calibrate(model, 1_000), 4_000)
  const fresh = createMeter()
  fresh.learn(model, 10, counted(60))
  fresh.learn(model, 199, counted(398))
  fresh.learn(model, 5_000, counted(0))
  assert.equal(fresh.calibrate(model, 1_000), 1_000, 'a short prompt, or no count at all, tells nothing')
  fresh.learn(model, 200, counted(400))
  assert.equal(fresh.calibrate(model, 1_000), 2_000)
})

test('the system prompt and the tools count, and the same ones count the same', () => {
  const meter = createMeter()
  const request = { system: 'a'.repeat(4_000), tools: [specOf('read'), specOf('write')] }
  const tokens = meter.overhead(request)
  assert.ok(tokens > 1_000 && tokens < 1_100)
  assert.equal(meter.overhead({ ...request, tools: [...request.tools] }), tokens)
  assert.ok(meter.overhead({ system: '', tools: [] }) === 0)
})
