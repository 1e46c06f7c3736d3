// What the model is told of built-in tools is part of the program: it is searched here, and not in every process.
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { openBuiltInSources } from '#app/built-in-sources.ts'
import { readConfig } from '#config.ts'
import { operator } from '#core/ids.ts'
import type { ToolSpec } from '#core/tool.ts'
import { createDocuments } from '#memory/documents.ts'
import { createLeakScan } from '#safety/leaks.ts'
import { createMarker } from '#safety/marks.ts'
import { drained } from '#safety/drained.ts'
import { toolTaintInSlices } from '#safety/taint.ts'
import { createSkills } from '#skills/skills.ts'
import { newHome } from '../new-home.ts'
import { openMemoryStore } from '../store/memory-store.ts'

const home = newHome()
const store = openMemoryStore()
after(async () => {
  await store.close()
  home.remove()
})

const sources = openBuiltInSources({
  config: readConfig({ ATRIUM_HOME: home.path, ATRIUM_SHELL: 'true' }),
  scan: () => createLeakScan(),
  documents: createDocuments({ store: store.documents }),
  skills: createSkills({ store: store.skills, marker: () => createMarker() }),
  missions: () => Promise.reject(new Error('nothing is done here')),
})

test('no built-in tool gives the model orders', () => {
  const specs = sources.flatMap((source) => source.specs)
  assert.ok(specs.length > 20)
  assert.equal(drained(toolTaintInSlices(specs, createMarker())), undefined)
})

test('the specs of a source are those of all its tools, also of those that a user does not have yet', () => {
  for (const source of sources)
    for (const { spec } of source.tools(operator)) assert.ok(source.specs.includes(spec), spec.name)
  const names = (tools: readonly ToolSpec[]): string[] => tools.map(({ name }) => name)
  const all = names(sources.flatMap(({ specs }) => specs))
  const own = names(sources.flatMap((source) => source.tools(operator).map(({ spec }) => spec)))
  assert.ok(all.includes('skill_load') && !own.includes('skill_load'))
})
