// Routes of missions, and of the caller's own time zone.
import * as z from 'zod/mini'
import { AppError } from '#core/errors.ts'
import { isUuid, type UserId } from '#core/ids.ts'
import { maxFileBodyBytes } from '#http/body.ts'
import { type Caller, requireAllTools } from '#http/caller.ts'
import { type Route, route } from '#http/routes.ts'
import type { MissionInput, Missions } from '#missions/missions.ts'
import { missionsWire, missionWire, previewWire, runWire } from '#missions/mission-wire.ts'
import { MeAnswer, MissionsAnswer, MissionWire, PreviewAnswer, RunAnswer, RunsAnswer } from '#doors/web/wire/mission.ts'
import { cursor, limit } from './paging.ts'

const fields = {
  prompt: z.optional(z.string()),
  schedule: z.optional(z.string()),
  zone: z.optional(z.string()),
  title: z.optional(z.string()),
  tools: z.nullish(z.array(z.string())),
  cap_usd: z.nullish(z.number()),
  missed: z.optional(z.enum(['once', 'skip'], 'must be once or skip')),
}
const MissionBody = z.object({ ...fields, prompt: z.string(), schedule: z.string() })
const ChangeBody = z.object({
  ...fields,
  status: z.optional(z.enum(['active', 'paused'], 'must be active or paused')),
})
const PreviewBody = z.object({ schedule: z.string(), zone: z.optional(z.string()) })
const MissionsQuery = z.object({ cursor })
const RunsQuery = z.object({ limit: limit({ defaultLimit: 20, maxLimit: 100 }), cursor })
const MeBody = z.object({ zone: z.nullable(z.string()) })

/** Missions are loaded at the first request. */
export type MissionRouteParts = { readonly missions: () => Promise<Missions> }

export function missionRoutes({ missions }: MissionRouteParts): Route[] {
  const me = async (caller: {
    readonly user: Parameters<Missions['zone']>[0]
    readonly name: string
    readonly operator: boolean
  }) => {
    const { own, used } = await (await missions()).zone(caller.user)
    return {
      user: caller.name,
      operator: caller.operator,
      zone: own ?? null,
      default_zone: used,
    } satisfies z.output<typeof MeAnswer>
  }
  return [
    route({
      method: 'GET',
      path: '/api/missions',
      who: 'user',
      summary: 'List missions, newest first: those that are not done, and done ones in pages',
      query: MissionsQuery,
      answers: { 200: MissionsAnswer },
      handle: async ({ query: { cursor }, caller: { user } }) =>
        missionsWire(await (await missions()).list(user, cursor)) satisfies z.output<typeof MissionsAnswer>,
    }),
    route({
      method: 'POST',
      path: '/api/missions',
      who: 'user',
      summary: 'Create a mission',
      body: MissionBody,
      maxBodyBytes: maxFileBodyBytes,
      answers: { 201: MissionWire },
      async handle({ body, caller }, reply) {
        return reply.code(201).send(missionWire(await (await missions()).add(withAllTools(caller), inputOf(body))))
      },
    }),
    route({
      method: 'POST',
      path: '/api/missions/preview',
      who: 'user',
      summary: 'What a schedule means, in words, and its next three runs',
      body: PreviewBody,
      answers: { 200: PreviewAnswer },
      handle: async ({ body, caller: { user } }) => previewWire(await (await missions()).preview(user, body)),
    }),
    route({
      method: 'GET',
      path: '/api/missions/:id',
      who: 'user',
      summary: 'Read a mission',
      answers: { 200: MissionWire },
      handle: async ({ params, caller: { user } }) => missionWire(await (await missions()).get(user, idOf(params.id))),
    }),
    route({
      method: 'PATCH',
      path: '/api/missions/:id',
      who: 'user',
      summary: 'Change, pause or resume a mission',
      body: ChangeBody,
      maxBodyBytes: maxFileBodyBytes,
      answers: { 200: MissionWire },
      async handle({ params, body, caller }) {
        const change = { ...inputOf(body), status: body.status }
        return missionWire(await (await missions()).change(withAllTools(caller), idOf(params.id), change))
      },
    }),
    route({
      method: 'DELETE',
      path: '/api/missions/:id',
      who: 'user',
      summary: 'Remove a mission and its runs; their threads stay',
      answers: { 204: null },
      async handle({ params, caller: { user } }, reply) {
        await (await missions()).remove(user, idOf(params.id))
        return reply.code(204).send()
      },
    }),
    route({
      method: 'POST',
      path: '/api/missions/:id/run',
      who: 'user',
      counted: true,
      summary: 'Run a mission now, also while it is paused',
      answers: { 202: RunAnswer },
      async handle({ params, caller }, reply) {
        return reply.code(202).send(runWire(await (await missions()).run(withAllTools(caller), idOf(params.id))))
      },
    }),
    route({
      method: 'GET',
      path: '/api/missions/:id/runs',
      who: 'user',
      summary: 'List the runs of a mission, latest first',
      query: RunsQuery,
      answers: { 200: RunsAnswer },
      async handle({ params, query: { limit, cursor }, caller: { user } }) {
        const page = await (await missions()).runs(user, idOf(params.id), { limit, ...(cursor && { cursor }) })
        return { runs: page.rows.map(runWire), next_cursor: page.nextCursor ?? null } satisfies z.output<
          typeof RunsAnswer
        >
      },
    }),
    route({
      method: 'GET',
      path: '/api/me',
      who: 'user',
      summary: 'Who is calling, and their time zone',
      answers: { 200: MeAnswer },
      handle: ({ caller }) => me(caller),
    }),
    route({
      method: 'PATCH',
      path: '/api/me',
      who: 'user',
      summary: 'Set your time zone; null takes the machine’s',
      body: MeBody,
      answers: { 200: MeAnswer },
      async handle({ body: { zone }, caller }) {
        await (await missions()).setZone(caller.user, zone)
        return me(caller)
      },
    }),
  ]
}

/** A token with fewer tools must not have prompts run by the clock with more. */
function withAllTools(caller: Caller): UserId {
  requireAllTools(caller, 'make and run missions')
  return caller.user
}

function inputOf({ cap_usd: capUsd, ...body }: z.output<typeof ChangeBody>): MissionInput {
  const { prompt, schedule, zone, title, tools, missed } = body
  return { prompt, schedule, zone, title, tools, capUsd, missed }
}

function idOf(id: string): string {
  if (!isUuid(id)) throw new AppError('not_found', 'the mission does not exist')
  return id
}
