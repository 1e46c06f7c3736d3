// Fences of code blocks.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Fence, fenceOf } from '#doors/channel/fence.ts'

const cases: readonly (readonly [line: string, fence: Fence | undefined])[] = [
  ['```', { fence: '```', language: '' }],
  ['   ~~~~ ts title', { fence: '~~~~', language: 'ts' }],
  ['```c++ ', { fence: '```', language: 'c++' }],
  [`~~~${'x'.repeat(50)}`, { fence: '~~~', language: 'x'.repeat(40) }],
  ['~~~`', undefined],
  ['```ts``` inline', undefined],
  ['``', undefined],
  ['    ```', undefined],
  ['a ```', undefined],
  ['', undefined],
  [`${'~'.repeat(200_000)}\``, undefined],
]

for (const [line, fence] of cases) {
  test(`a fence is read: ${line.slice(0, 20)}`, () => assert.deepEqual(fenceOf(line), fence))
}
