// Missions, loaded with their first use.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openMissions } from '#app/open-missions.ts'
import type { Bus } from '#core/bus.ts'
import type { Store } from '#core/store.ts'
import type { Tools } from '#core/tool.ts'
import { silentLog } from '#lib/log.ts'
import type { Turns } from '#turns/turns.ts'
import { fake } from '../fake.ts'

test('missions are loaded in a turn of the event loop, and first used in another', async () => {
  await import('#missions/missions.ts')
  let turn = 0
  let ticking = setImmediate(function tick() {
    turn++
    ticking = setImmediate(tick)
  })
  const { missions } = openMissions({
    store: fake<Store>({ missions: {} }),
    bus: fake<Bus>({ onSignal: () => () => {} }),
    turns: fake<Turns>({}),
    onRest: () => {},
    newsOf: () => [],
    onNews: () => {},
    tools: () => fake<Tools>({ byName: new Map() }),
    log: silentLog,
  })
  await missions()
  clearImmediate(ticking)
  // Two turns of the loop: this one is counted between them, or before each.
  assert.ok(turn >= 1)
})
