// The verdict on a soak: what was wrong with it, in words, and what it could not tell. Pure.
import type { Row } from './figures.ts'
import { minPoints } from './slope.ts'

/** What came of the turns since the start of the service. */
export type Turns = {
  /** Turns that came to rest. One that waits for a person counts once more when it ends. */
  readonly turns: number
  readonly completedTurns: number
  readonly failedTurns: number
  readonly componentCalls: number
}

export type SoakRun = {
  readonly rows: readonly Row[]
  /** The windows after the warm-up. */
  readonly judged: number
  readonly ended: Turns
  /** Messages whose turn is meant to fail. */
  readonly meantToFail: number
  /** The number of answers that are documented nowhere. */
  readonly strange: number
  readonly platform: NodeJS.Platform
}

/** The run failed if there are faults. */
export type SoakVerdict = { readonly faults: readonly string[]; readonly notes: readonly string[] }

/**
 * In a round of 19 counts one turn waits for a person and one is meant to fail. Some more are stopped, since their reader
 * leaves or their thread is deleted. The bound leaves room for those and for runs of few turns.
 */
const minCompletedShare = 0.7

export function judgeSoak({ rows, judged, ended, meantToFail, strange, platform }: SoakRun): SoakVerdict {
  const named = (result: Row['result']): Row[] => rows.filter((row) => row.result === result)
  const [rising, unknown] = [named('rising'), named('unknown')]
  const isShort = judged < minPoints
  const hidden = isShort ? unknown : unknown.filter(({ figure }) => platform !== 'linux' && figure.fromProc)
  const missing = unknown.filter((row) => !hidden.includes(row))
  return {
    faults: [
      ...turnFaults(ended, meantToFail),
      ...(strange > 0 ? [`answers that are documented nowhere: ${strange}`] : []),
      ...(rising.length > 0 ? [`grew: ${namesOf(rising)}`] : []),
      ...(missing.length > 0 ? [`fewer than ${minPoints} windows have a value: ${namesOf(missing)}`] : []),
    ],
    notes: [
      ...(isShort
        ? [`too short to tell what grows: ${judged} windows after the warm-up, at least ${minPoints} are needed`]
        : []),
      ...(!isShort && hidden.length > 0 ? [`not shown by this system: ${namesOf(hidden)}`] : []),
    ],
  }
}

function turnFaults({ turns, completedTurns, failedTurns, componentCalls }: Turns, meantToFail: number): string[] {
  const share = completedTurns / turns
  const percent = (part: number): string => `${Math.round(part * 100)} %`
  return [
    ...(turns > 0 ? [] : ['no turn came to rest']),
    ...(turns > 0 && !(share >= minCompletedShare)
      ? [`${percent(share)} of the turns were completed, at least ${percent(minCompletedShare)} should be`]
      : []),
    ...(failedTurns <= meantToFail ? [] : [`${failedTurns} turns failed, only ${meantToFail} were meant to`]),
    ...(componentCalls > 0 ? [] : ['the sandboxed component was never called']),
  ]
}

function namesOf(rows: readonly Row[]): string {
  return rows.map(({ figure }) => figure.name).join(', ')
}
