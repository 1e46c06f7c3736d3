// What the model is told of built-in tools is part of the program: it is searched here, and not in every process.
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { createBuiltInSource, openBuiltInTools } from '#app/built-in-source.ts'
import { openSkillTools } from '#app/skill-source.ts'
import { readConfig } from '#config.ts'
import { operator } from '#core/ids.ts'
import { createDocuments } from '#memory/documents.ts'
import { createMissionTools } from '#missions/tools.ts'
import { createLeakScan } from '#safety/leaks.ts'
import { createMarker } from '#safety/marks.ts'
import { taintOfTools } from '#safety/taint.ts'
import { createSkills } from '#skills/skills.ts'
import { newHome } from '../new-home.ts'
import { openMemoryStore } from '../store/memory-store.ts'

const home = newHome()
const store = openMemoryStore()
after(async () => {
  await store.close()
  home.remove()
})

const skillTools = openSkillTools(createSkills({ store: store.skills, marker: () => createMarker() }))
const sources = [
  openBuiltInTools({
    config: readConfig({ ATRIUM_HOME: home.path, ATRIUM_SHELL: 'true' }),
    scan: () => createLeakScan(),
    documents: createDocuments({ store: store.documents }),
  }),
  skillTools,
  createBuiltInSource(createMissionTools(() => Promise.reject(new Error('nothing is done here')))),
]

test('no built-in tool gives the model orders', () => {
  const specs = sources.flatMap((source) => source.specs)
  assert.ok(specs.length > 20)
  assert.equal(taintOfTools(specs, createMarker()), undefined)
})

test('the specs of a source are those of all its tools, also of those that a user does not have yet', () => {
  for (const source of sources)
    for (const { spec } of source.tools(operator)) assert.ok(source.specs.includes(spec), spec.name)
  const names = skillTools.specs.map(({ name }) => name)
  assert.ok(names.includes('skill_load') && !skillTools.tools(operator).some(({ spec }) => spec.name === 'skill_load'))
})
