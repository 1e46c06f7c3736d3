// `atrium policy`: which calls run, ask or are refused; and the marks on text from outside.
import { AppError } from '#core/errors.ts'
import type { Settings, SettingStore } from '#core/store.ts'
import { markIds, markWords } from '#safety/marks.ts'
import { mergeMarks, mergePolicy, readSafetySettings } from '#safety/policy-settings.ts'
import { rowsInForce } from '#safety/policy-table.ts'
import { reloadService } from './running-service.ts'
import { print, say, table } from './report.ts'
import { withStore } from './home-store.ts'

export function showPolicy(options: { json?: boolean }): Promise<void> {
  return withStore(async ({ settings }) => {
    const { policy } = readSafetySettings(await settings.all())
    const rows = rowsInForce(policy).map(({ id, changed, ...rules }) => ({ row: id, ...rules, set: changed }))
    const cells = rows.map(({ row, clean, tainted, set, calls }) => {
      return [row, clean, tainted, set ? 'set' : 'default', calls.replaceAll('`', '')]
    })
    print(options, rows, table([['ROW', 'CLEAN', 'TAINTED', '', 'CALLS'], ...cells]))
  })
}

/** Sets the rule for a row's calls: before the model has read untrusted text, afterwards, or both. */
export async function setRow(row: string, { clean, tainted }: { clean?: string; tainted?: string }): Promise<void> {
  if (clean === undefined && tainted === undefined)
    throw new AppError(
      'invalid_input',
      'say what to set: --clean RULE, --tainted RULE or both, with allow, ask, deny or known as RULE',
    )
  const rules = { ...(clean !== undefined && { clean }), ...(tainted !== undefined && { tainted }) }
  await change((stored) => ({ policy: mergePolicy(stored['policy'], { [row]: rules }) }))
  say(`Set ${row}.`)
}

/** Restores the default of one row, or of everything that this command sets, even if the stored value is unreadable. */
export async function resetPolicy(row: string | undefined): Promise<void> {
  await change((stored) => {
    if (row === undefined) return { policy: undefined, marks_off: undefined }
    // Refuses an unknown row.
    readSafetySettings({ policy: { [row]: {} } })
    return { policy: mergePolicy(stored['policy'], { [row]: null }) ?? undefined }
  })
  say(row === undefined ? 'Reset every row and every mark to its default.' : `Reset ${row} to its default.`)
}

export function listMarks(options: { json?: boolean }): Promise<void> {
  return withStore(async ({ settings }) => {
    const { marksOff } = readSafetySettings(await settings.all())
    const marks = markIds.map((id) => ({
      id,
      on: !marksOff.includes(id),
      says: markWords(id),
    }))
    print(options, marks, table(marks.map(({ id, on, says }) => [id, on ? 'on' : 'off', says])))
  })
}

/** Switches a mark on or off. */
export async function switchMark(id: string, state: string): Promise<void> {
  if (state !== 'on' && state !== 'off') throw new AppError('invalid_input', `a mark is on or off, not ${state}`)
  if (!markIds.includes(id)) {
    throw new AppError('invalid_input', `there is no mark ${id}; the marks are ${markIds.join(', ')}`)
  }
  await change((stored) => {
    return { marks_off: mergeMarks(stored['marks_off'], { [id]: state === 'on' }) ?? undefined }
  })
  say(`${id} is ${state}.`)
}

type Change = Parameters<SettingStore['change']>[0]

/** Checks and stores a change, and makes a running service reload. */
async function change(decide: Change): Promise<void> {
  await withStore(({ settings }) =>
    settings.change((stored) => {
      const changes = decide(stored)
      const present = Object.entries(changes).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]]))
      readSafetySettings(Object.fromEntries(present) as Settings)
      return changes
    }),
  )
  await reloadService()
}
