// What skills cost a turn: a service with a hundred of them, all in the catalogue, beside one without any.
import { zipOf } from '../test/skills/zip-file.ts'
import type { Child } from './children.ts'
import { compare, type Measured, type Subject } from './compare.ts'
import { createLoad } from './responses.ts'
import { startDoor, token } from './service.ts'
import { startFloor, floorLoad, type Suite, turnTable, warmUp } from './suite.ts'

const skillCount = 100
/** So large that 2 % of it hold the whole catalogue. */
const window = { LLM_WINDOW: '1000000' }
const description =
  'Fill in forms of a certain kind. Use it when the user has a form to fill in, by its number or name.'

export const skills: Suite = async (bench) => {
  const { rounds, turns, warmUp: warm } = bench.scale
  const [floor, plain, many] = await Promise.all([
    startFloor(bench, 'B'),
    startDoor(bench, window),
    startDoor(bench, window),
  ])
  for (let at = 0; at < skillCount; at++) await addSkill(many, `form-number-${at}`)
  const at = (inFlight: number, count: number): Subject[] => [
    { name: `(B) proxy + 2 inserts, ${inFlight} in flight`, child: floor, load: () => floorLoad(inFlight, count) },
    { name: `no skills, ${inFlight} in flight`, child: plain, load: () => createLoad(inFlight, count) },
    { name: `${skillCount} skills, ${inFlight} in flight`, child: many, load: () => createLoad(inFlight, count) },
  ]
  await warmUp(at(16, warm))
  const results = await compare([...at(1, turns.single), ...at(16, turns.many)], rounds)
  const floorOf = (result: Measured, kind: 'A' | 'B'): Measured | undefined =>
    kind === 'B' ? results[results.indexOf(result) < 3 ? 0 : 3] : undefined
  return [turnTable(`Skills: a catalogue of ${skillCount} in the prompt`, results, floorOf)]
}

async function addSkill({ origin }: Pick<Child, 'origin'>, name: string): Promise<void> {
  const text = `---\nname: ${name}\ndescription: ${description}\n---\n\nDo it step by step.\n`
  const response = await fetch(`${origin}/api/skills`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/zip' },
    body: zipOf([{ path: `${name}/SKILL.md`, content: text }]),
  })
  if (response.status !== 201) throw new Error(`POST /api/skills answered ${response.status}`)
}
