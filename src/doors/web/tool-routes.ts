// Routes of tools: list, enable or disable, remove, and a trial call.
import * as z from 'zod/mini'
import { AppError } from '#core/errors.ts'
import type { AccessRow, ToolAdmin, ToolTrial, ToolView } from '#core/admin.ts'
import { operator, type UserId } from '#core/ids.ts'
import { isObject } from '#core/json.ts'
import type { OpenStep, ToolAccess } from '#core/tool-access.ts'
import { maxFileBodyBytes } from '#http/body.ts'
import type { Path } from '#http/lossless-json.ts'
import { type Route, route } from '#http/routes.ts'
import { type AccessWire, ToolsAnswer, ToolTrialAnswer, ToolWire } from '#doors/web/wire/tool.ts'
import { isoTime } from '#core/time.ts'

const EnableBody = z.object({ enabled: z.boolean() })
const TestBody = z.object({ params: z.optional(z.unknown()), context: z.optional(z.unknown()) })

export type ToolsParts = {
  readonly toolAdmin: ToolAdmin
  /** Opened at the first call. */
  readonly access: () => Promise<Pick<ToolAccess, 'openSteps'>>
}

/** The objects of a trial that are passed on as written: the parameters of a call and its context. */
export function trialPaths(body: unknown): Path[] {
  return isObject(body)
    ? ['params', 'context'].filter((name) => isObject(body[name])).map((name) => [name] as const)
    : []
}

const none: ReadonlyMap<string, OpenStep> = new Map()

export function toolRoutes({ toolAdmin, access }: ToolsParts): Route[] {
  /** What a user has to do for each of the tools. */
  const stepsFor = async (tools: readonly ToolView[], user: UserId): Promise<typeof none> =>
    tools.some(({ source }) => source === 'component') ? (await access()).openSteps(user) : none
  return [
    route({
      method: 'GET',
      path: '/api/tools',
      who: 'user',
      summary: 'List the tools, built in and installed',
      answers: { 200: ToolsAnswer },
      async handle({ caller: { user } }) {
        const tools = (await toolAdmin.list()).filter(({ operatorOnly }) => user === operator || !operatorOnly)
        const steps = await stepsFor(tools, user)
        return { tools: tools.map((tool) => toolWire(tool, steps)) } satisfies z.output<typeof ToolsAnswer>
      },
    }),
    route({
      method: 'PATCH',
      path: '/api/tools/:name',
      who: 'operator',
      summary: 'Enable or disable a tool',
      body: EnableBody,
      answers: { 200: ToolWire },
      async handle({ params: { name }, body: { enabled }, caller: { user } }) {
        const found =
          (await toolAdmin.enable(name, enabled)) && (await toolAdmin.list()).find((tool) => tool.name === name)
        if (!found) throw noTool()
        return toolWire(found, await stepsFor([found], user))
      },
    }),
    route({
      method: 'DELETE',
      path: '/api/tools/:name',
      who: 'operator',
      summary: 'Remove a component and its secrets',
      answers: { 204: null },
      async handle({ params: { name } }, reply) {
        if (!(await toolAdmin.remove(name))) throw noTool()
        return reply.code(204).send()
      },
    }),
    route({
      method: 'POST',
      path: '/api/tools/:name/test',
      who: 'operator',
      summary: 'Test a tool: run one call and show its output, log and requests',
      maxBodyBytes: maxFileBodyBytes,
      body: TestBody,
      answers: { 200: ToolTrialAnswer },
      async handle({ params: { name }, body: { params = {}, context } }) {
        const call = {
          params: JSON.stringify(params),
          ...(context !== undefined && { context: JSON.stringify(context) }),
        }
        const trial = await toolAdmin.test(name, call)
        if (!trial) throw noTool()
        return trialWire(trial)
      },
    }),
  ]
}

/** The outcome of a trial, of a tool or of a call of an MCP server. */
export function trialWire({ output, error, logs, requests, blocked }: ToolTrial): z.output<typeof ToolTrialAnswer> {
  return { output, error, logs: [...logs], requests: [...requests], blocked: [...blocked] }
}

function noTool(): AppError {
  return new AppError('not_found', 'there is no tool of this name')
}

function toolWire(
  { capabilities: _file, operatorOnly: _whose, ...view }: ToolView,
  steps: ReadonlyMap<string, OpenStep>,
): z.output<typeof ToolWire> {
  const needs = steps.get(view.name)
  const { installedAt, access, about, policy, actions, ...tool } = view
  return {
    ...tool,
    policy: [...policy],
    ...(about && { brief: about.brief, may: [...about.may], cannot: [...about.cannot] }),
    ...(access && { access: access.map(accessWire) }),
    ...(actions && { actions: [...actions] }),
    ...(installedAt !== undefined && { installed_at: isoTime(installedAt) }),
    ...(needs && { needs }),
  }
}

function accessWire(row: AccessRow): z.output<typeof AccessWire> {
  if (row.kind === 'http') return { ...row, methods: [...row.methods] }
  return row.kind === 'secret' ? { ...row, hosts: [...row.hosts] } : row
}
