// One request about missions as data: commands send it to a running service, or handle it themselves.
import type { UserId } from '#core/ids.ts'
import type { MissionInput, Missions } from './missions.ts'
import { missionsWire, missionWire, runWire } from './mission-wire.ts'

export type MissionRequest =
  | ({ readonly do: 'add' } & MissionInput)
  | { readonly do: 'list'; readonly cursor?: string }
  | { readonly do: 'show' | 'run' | 'pause' | 'resume' | 'remove'; readonly id: string }
  | { readonly do: 'runs'; readonly id: string; readonly limit: number }

/** The answer is JSON: a mission, a run, or a list of them; nothing for a removal. */
export async function answerRequest(missions: Missions, user: UserId, request: MissionRequest): Promise<unknown> {
  switch (request.do) {
    case 'add':
      return missionWire(await missions.add(user, request))
    case 'list':
      return missionsWire(await missions.list(user, request.cursor))
    case 'show':
      return missionWire(await missions.get(user, request.id))
    case 'run':
      return runWire(await missions.run(user, request.id))
    case 'pause':
      return missionWire(await missions.change(user, request.id, { status: 'paused' }))
    case 'resume':
      return missionWire(await missions.change(user, request.id, { status: 'active' }))
    case 'remove':
      return missions.remove(user, request.id)
    case 'runs':
      return (await missions.runs(user, request.id, { limit: request.limit })).rows.map(runWire)
    default:
      return request satisfies never
  }
}
