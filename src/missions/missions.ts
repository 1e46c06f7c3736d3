// Missions for doors and tools: create, change, pause, run. Doors translate; the rules are here.
import { AppError, wrongField } from '#core/errors.ts'
import type { UserId } from '#core/ids.ts'
import { textMessage } from '#core/item.ts'
import { charCount } from '#core/json.ts'
import type { MissedPolicy, Mission, MissionChange, MissionRun, MissionStatus } from '#core/mission.ts'
import type { Page, PageQuery } from '#core/page.ts'
import type { Store } from '#core/store.ts'
import { checkZone } from '#core/zone.ts'
import { pace } from '#lib/pace.ts'
import { machineZone } from '#core/time.ts'
import { withoutUndefined } from '#lib/without-undefined.ts'
import { titleOf } from '#turns/message.ts'
import type { Turns } from '#turns/turns.ts'
import { maxRunningMissions } from './clock.ts'
import { turnOfRun } from './run.ts'
import { neverComes, nextRuns, readSchedule, type Schedule, storedSchedule } from './schedule.ts'
import { understood } from './schedule-words.ts'

/** Missions of a user that are not done. */
const maxMissions = 100
const maxPromptChars = 16_000
const maxTitleChars = 200
const maxTools = 100
const maxCapUsd = 1_000_000
/** A change is tried again when the clock fired the mission in between. */
const maxTries = 5

/** The fields of a mission that its user sets; null removes a choice. */
export type MissionInput = {
  readonly prompt?: string | undefined
  readonly schedule?: string | undefined
  readonly zone?: string | undefined
  readonly title?: string | undefined
  readonly tools?: readonly string[] | null | undefined
  readonly capUsd?: number | null | undefined
  readonly missed?: MissedPolicy | undefined
}

/** A mission as people see it. */
export type MissionView = Mission & {
  /** The schedule in words, with the next three runs. */
  readonly understood: string
  readonly nextRuns: readonly number[]
  readonly lastRun?: MissionRun
}

export type Preview = { readonly understood: string; readonly nextRuns: readonly number[]; readonly zone: string }

export interface Missions {
  /** Throws invalid_input that names the field, storage_full. */
  add(user: UserId, input: MissionInput): Promise<MissionView>
  /** The first page has every mission that is not done. */
  list(user: UserId, cursor?: string): Promise<Page<MissionView>>
  /** These throw not_found. */
  get(user: UserId, id: string): Promise<MissionView>
  change(
    user: UserId,
    id: string,
    change: MissionInput & { status?: 'active' | 'paused' | undefined },
  ): Promise<MissionView>
  remove(user: UserId, id: string): Promise<void>
  /** Throws mission_running while a run is under way. */
  run(user: UserId, id: string): Promise<MissionRun>
  runs(user: UserId, id: string, query: PageQuery): Promise<Page<MissionRun>>
  /** Throws invalid_input for a text, tools or a cap that no mission may have. */
  check(user: UserId, input: MissionInput): void
  /** Explains a schedule, without a mission. Throws invalid_input. */
  preview(user: UserId, input: Pick<MissionInput, 'schedule' | 'zone'>): Promise<Preview>
  /** The user's zone, if one is set, and the one that is used. */
  zone(user: UserId): Promise<{ readonly own?: string; readonly used: string }>
  setZone(user: UserId, zone: string | null): Promise<void>
}

export type MissionsParts = {
  readonly store: Pick<Store, 'missions'>
  readonly turns: Pick<Turns, 'startBy' | 'changed'>
  /** The names of a user's tools. */
  readonly toolNames: (user: UserId) => ReadonlySet<string>
  /** A schedule has changed. */
  readonly onChange: () => void
}

export function createMissions({ store, turns, toolNames, onChange }: MissionsParts): Missions {
  const { missions } = store

  function announce(user: UserId): void {
    onChange()
    turns.changed(user)
  }

  async function zoneOf(user: UserId): Promise<string> {
    return (await missions.zone(user)) ?? machineZone()
  }

  async function find(user: UserId, id: string): Promise<Mission> {
    const mission = await missions.get(user, id)
    if (!mission) throw new AppError('not_found', 'the mission does not exist')
    return mission
  }

  /** The schedule that begins now, and its first instant. */
  async function begin(text: string, zone: string): Promise<{ schedule: Schedule; nextAt: number; now: number }> {
    const { now } = await missions.nearest()
    const schedule = readSchedule(text, zone, now)
    const [nextAt] = nextRuns(schedule, now, 1)
    if (nextAt === undefined) throw neverComes(text)
    return { schedule, nextAt, now }
  }

  function check(user: UserId, { prompt, title, tools, capUsd }: MissionInput): void {
    if (prompt !== undefined) checkText('prompt', prompt, maxPromptChars)
    if (title !== undefined) checkText('title', title, maxTitleChars)
    if (tools) {
      const known = toolNames(user)
      const unknown = tools.find((name) => !known.has(name))
      if (unknown !== undefined)
        throw wrongField(
          'tools',
          `has ${JSON.stringify(unknown.slice(0, 64))}, which is no tool here: atrium tool list names them`,
        )
      if (tools.length > maxTools) throw wrongField('tools', `has at most ${maxTools} names`)
    }
    if (capUsd !== undefined && capUsd !== null && !(capUsd > 0 && capUsd <= maxCapUsd))
      throw wrongField('cap_usd', 'must be a number above 0')
  }

  /** The effect of a change of the schedule, its zone or its status on the next instant. */
  async function timing(before: Mission, given: MissionInput & { status?: MissionStatus }): Promise<MissionChange> {
    const { schedule = before.schedule, zone = before.zone } = given
    const anew = schedule !== before.schedule || zone !== before.zone
    const status = given.status ?? (anew && before.status === 'done' ? 'active' : before.status)
    if (anew) {
      const { schedule: begun, nextAt, now } = await begin(schedule, zone)
      const next = status === 'active' ? nextAt : null
      return { schedule, zone, from: begun.from, status, nextAt: next, plannedAt: now }
    }
    if (status === 'paused' && before.status === 'done')
      throw wrongField('status', 'cannot be paused: the mission is done')
    if (status === before.status) return {}
    if (status === 'paused') return { status, nextAt: null }
    // The rhythm goes on from where the schedule began; what passed in the pause is not made up for.
    const { now } = await missions.nearest()
    const [nextAt] = nextRuns(readSchedule(schedule, zone, before.from), now, 1)
    if (nextAt === undefined) throw neverComes(schedule)
    return { status, nextAt, plannedAt: now }
  }

  return {
    check,
    async add(user, input) {
      const { prompt = '', schedule: text = '', zone = await zoneOf(user), tools, capUsd, missed = 'once' } = input
      check(user, { ...input, prompt })
      const { schedule, nextAt, now } = await begin(text, zone)
      const title = input.title ?? titleIn(prompt)
      const mission = await missions.add(
        user,
        {
          title,
          prompt,
          schedule: text.trim(),
          zone,
          missed,
          from: schedule.from,
          nextAt,
          ...(tools && { tools }),
          ...(capUsd !== undefined && capUsd !== null && { capUsd }),
        },
        maxMissions,
      )
      announce(user)
      return view(mission, now)
    },
    async list(user, cursor) {
      const { now } = await missions.nearest()
      const views: MissionView[] = []
      const { rows, nextCursor } = await missions.list(user, cursor)
      for (const { mission, lastRun } of rows) {
        views.push(view(mission, now, lastRun))
        // A schedule takes milliseconds to read and to tell.
        await pace()
      }
      return { rows: views, ...(nextCursor !== undefined && { nextCursor }) }
    },
    async get(user, id) {
      const mission = await find(user, id)
      const [lastRun] = (await missions.runs(user, id, { limit: 1 })).rows
      return view(mission, (await missions.nearest()).now, lastRun)
    },
    async change(user, id, { status, ...given }) {
      check(user, given)
      for (let tries = 0; tries < maxTries; tries++) {
        const before = await find(user, id)
        const { prompt, tools, capUsd, missed } = given
        // A title that was taken from the prompt follows it.
        const follows = prompt !== undefined && before.title === titleIn(before.prompt)
        const title = given.title ?? (follows ? titleIn(prompt) : undefined)
        const changed = await missions.change(
          before,
          {
            ...withoutUndefined({ prompt, title, tools, capUsd, missed }),
            ...(await timing(before, { ...given, ...(status && { status }) })),
          },
          maxMissions,
        )
        if (!changed) continue
        announce(user)
        return this.get(user, id)
      }
      throw new AppError('overloaded', 'the mission changes all the time: try again in a moment', { retryAfterSecs: 1 })
    },
    async remove(user, id) {
      if (!(await missions.remove(user, id))) throw new AppError('not_found', 'the mission does not exist')
      announce(user)
    },
    async run(user, id) {
      const mission = await find(user, id)
      const [{ now }, last] = await Promise.all([missions.nearest(), missions.lastRun(user, id)])
      let begun: MissionRun | undefined
      const started = await turns.startBy(turnOfRun(mission, now, last), async (turn) => {
        const { stored, run } = await missions.runNow(mission, turn, maxRunningMissions)
        begun = run
        return stored
      })
      started?.events.close()
      announce(user)
      if (!begun) throw new Error('the run was not stored')
      return begun
    },
    async runs(user, id, query) {
      await find(user, id)
      return missions.runs(user, id, query)
    },
    async preview(user, { schedule: text = '', zone: given }) {
      const zone = given ?? (await zoneOf(user))
      const { schedule, now } = await begin(text, zone)
      const runs = nextRuns(schedule, now)
      return { understood: understood(schedule, runs), nextRuns: runs, zone }
    },
    async zone(user) {
      const own = await missions.zone(user)
      return { ...(own !== undefined && { own }), used: own ?? machineZone() }
    },
    async setZone(user, zone) {
      if (zone !== null) checkZone(zone)
      await missions.setZone(user, zone ?? undefined)
    },
  }
}

function view(mission: Mission, now: number, lastRun?: MissionRun): MissionView {
  const schedule = storedSchedule(mission)
  const last = lastRun && { lastRun }
  if (typeof schedule === 'string') return { ...mission, understood: schedule, nextRuns: [], ...last }
  const runs = mission.status === 'active' ? nextRuns(schedule, now) : []
  return {
    ...mission,
    understood: understood(schedule, runs, mission.status === 'paused'),
    nextRuns: runs,
    ...last,
  }
}

function titleIn(prompt: string): string {
  return titleOf([textMessage('user', prompt)])
}

function checkText(param: string, text: string, maxChars: number): void {
  if (text.trim() === '') throw wrongField(param, 'must not be empty')
  if (text.includes('\0')) throw wrongField(param, 'must not contain a NUL character')
  // A character of text is one or two of `length`: a text that is far too long is not taken apart.
  if (text.length > 2 * maxChars || charCount(text) > maxChars)
    throw wrongField(param, `has at most ${maxChars} characters`)
}
