// Routes of MCP servers. A command is never set over HTTP: only servers with a URL are added here.
import * as z from 'zod/mini'
import type { ToolTrial } from '#core/admin.ts'
import { AppError } from '#core/errors.ts'
import type { McpAdmin } from '#core/mcp.ts'
import { isServiceSecret } from '#core/secret.ts'
import { countOn, offeredWords } from '#core/words.ts'
import { maxFileBodyBytes } from '#http/body.ts'
import { type Route, route } from '#http/routes.ts'
import { McpEffects, McpServersAnswer, McpServerWire } from '#doors/web/wire/mcp.ts'
import { ToolTrialAnswer } from '#doors/web/wire/tool.ts'
import { serverWire } from './mcp-wire.ts'
import { trialWire } from './tool-routes.ts'

const maxMs = 11 * 60_000

const text = z.string().check(z.maxLength(8_192))
const AddBody = z.strictObject({ name: text, url: text, headers: z.optional(z.record(z.string(), text)) })
const EffectBody = z.object({ effect: McpEffects })
const ReviewBody = z.object({
  tool: z.optional(text),
  changes: z.optional(z.array(text).check(z.maxLength(1_000))),
})
const TestBody = z.object({ tool: z.optional(text), params: z.optional(z.unknown()) })

export type McpParts = { readonly mcp: () => Promise<McpAdmin> }

export function mcpRoutes({ mcp }: McpParts): Route[] {
  return [
    route({
      method: 'GET',
      path: '/api/mcp',
      who: 'operator',
      summary: 'List the MCP servers and their tools',
      answers: { 200: McpServersAnswer },
      async handle() {
        return { servers: (await (await mcp()).list()).map(serverWire) } satisfies z.output<typeof McpServersAnswer>
      },
    }),
    route({
      method: 'POST',
      path: '/api/mcp',
      who: 'operator',
      summary: 'Add an MCP server by its URL: it is asked once for what it offers',
      body: AddBody,
      answers: { 201: McpServerWire },
      async handle({ body: { name, url, headers = {} } }, reply) {
        checkSecrets(headers)
        const target = { kind: 'http', url, headers } as const
        const added = await (await mcp()).add({ name, target, everyone: false }, AbortSignal.timeout(maxMs))
        return reply.code(201).send(serverWire(added))
      },
    }),
    route({
      method: 'PATCH',
      path: '/api/mcp/:name/tools/:tool',
      who: 'operator',
      summary: 'Say what calls of a tool may do',
      body: EffectBody,
      answers: { 200: McpServerWire },
      handle: async ({ params: { name, tool }, body: { effect } }) =>
        serverWire(await (await mcp()).setEffect(name, tool, effect)),
    }),
    route({
      method: 'POST',
      path: '/api/mcp/:name/review',
      who: 'operator',
      summary: 'Accept what a server changed, in one tool or in all; changes names what you saw',
      body: ReviewBody,
      answers: { 200: McpServerWire },
      handle: async ({ params: { name }, body: { tool, changes: seen } }) =>
        serverWire(await (await mcp()).review(name, { tool, seen })),
    }),
    route({
      method: 'POST',
      path: '/api/mcp/:name/test',
      who: 'operator',
      summary: 'Start a server and read its list, or make one call',
      maxBodyBytes: maxFileBodyBytes,
      body: TestBody,
      answers: { 200: ToolTrialAnswer },
      async handle({ params: { name }, body: { tool, params = {} } }) {
        const servers = await mcp()
        const signal = AbortSignal.timeout(maxMs)
        const trial =
          tool === undefined
            ? await startTrial(servers, name, signal)
            : await servers.test(name, { tool, params: JSON.stringify(params) }, signal)
        return trialWire(trial)
      },
    }),
    route({
      method: 'DELETE',
      path: '/api/mcp/:name',
      who: 'operator',
      summary: 'Remove an MCP server and its tools',
      answers: { 204: null },
      async handle({ params: { name } }, reply) {
        if (!(await (await mcp()).remove(name))) throw new AppError('not_found', 'there is no MCP server of this name')
        return reply.code(204).send()
      },
    }),
  ]
}

/** A session that was taken over must not send the service's own keys, or those of components, to a server of its choice. */
function checkSecrets(headers: Readonly<Record<string, string>>): void {
  for (const [header, from] of Object.entries(headers)) {
    if (from.startsWith('$') || from.startsWith('tool/') || isServiceSecret(from)) {
      const message = `${header}: over HTTP a header names a sealed secret, and neither one of the service itself nor one of a component`
      throw new AppError('invalid_input', message, { param: 'headers' })
    }
  }
}

async function startTrial(servers: McpAdmin, name: string, signal: AbortSignal): Promise<ToolTrial> {
  const nothing = { logs: [], requests: [], blocked: [] }
  try {
    const { tools } = await servers.check(name, signal)
    return { output: `${name} answers: ${offeredWords(countOn(tools), tools.length)}`, error: null, ...nothing }
  } catch (error) {
    if (!(error instanceof AppError) || error.code === 'not_found') throw error
    return { output: null, error: error.message, ...nothing }
  }
}
