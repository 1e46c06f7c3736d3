// The tools of MCP servers as a source. They come from the store: a prompt does not change because a server is down.
import { AppError } from '#core/errors.ts'
import { operator } from '#core/ids.ts'
import { type McpServer, type McpTool, type OfferedTool, statusOf } from '#core/mcp.ts'
import type { ToolSource } from '#core/tool-source.ts'
import type { Tool } from '#core/tool.ts'
import { type Masks, toolTrial } from './admin.ts'
import { answered, askFirst, inputRequest, pagesRound, protocolAnswer, roundOf } from './input.ts'
import { pinOf } from './pin.ts'
import type { Servers } from './servers.ts'
import { secretsIn } from './values.ts'

/** Rounds of one run in which a server of the newer era wants nothing but to be called again. */
const maxRounds = 10

/** A tool and what it was made from. A stored tool that has not changed is the same object. */
type Made = { readonly target: string; readonly everyone: boolean; readonly from: McpTool; readonly tool: Tool }

export function createMcpSource(servers: Servers, masks: Masks): ToolSource {
  let made: ReadonlyMap<string, Made> = new Map()
  let all: readonly Tool[] = []
  let common: readonly Tool[] = []

  function build(): void {
    const next = new Map<string, Made>()
    const offered = servers.all().flatMap((server) => {
      const { everyone } = server
      const target = JSON.stringify(server.target)
      return server.tools.flatMap((from) => {
        if (statusOf(from) !== 'on' || !from.pinned) return []
        const before = made.get(from.as)
        const isSame = before?.from === from && before.target === target && before.everyone === everyone
        const each = isSame ? before : { target, everyone, from, tool: agentTool(server, from, from.pinned, servers) }
        next.set(from.as, each)
        return [each]
      })
    })
    made = next
    all = unlessSame(
      all,
      offered.map(({ tool }) => tool),
    )
    common = unlessSame(
      common,
      offered.filter(({ everyone }) => everyone).map(({ tool }) => tool),
    )
  }
  servers.onChange(build)

  const find = (name: string): { server: McpServer; tool: McpTool } | undefined => {
    for (const server of servers.all()) {
      const tool = server.tools.find(({ as }) => as === name)
      if (tool) return { server, tool }
    }
    return undefined
  }

  return {
    tools: (user) => (user === operator ? all : common),
    view: () =>
      Promise.resolve(
        servers.all().flatMap((server) =>
          server.tools.flatMap((tool) => {
            if (statusOf(tool) !== 'on' || !tool.pinned) return []
            const { description, schema } = tool.pinned
            const effects = tool.effect === 'read' ? ('read' as const) : ('write' as const)
            return [
              {
                name: tool.as,
                description,
                source: 'mcp' as const,
                server: server.name,
                ...(!server.everyone && { operatorOnly: true as const }),
                schema,
                effects,
                rows: [effects],
              },
            ]
          }),
        ),
      ),
    async test(name, { params }) {
      const found = find(name)
      return found && toolTrial(servers, { server: found.server.name, tool: found.tool.name, params, ...masks })
    },
    // oxlint-disable-next-line require-await -- a refusal is a rejection
    async remove(name) {
      const found = find(name)
      if (!found) return false
      const message = `${name} is a tool of the MCP server ${found.server.name}: switch it off, or remove the server`
      throw new AppError('tool_refused', message)
    },
    reload: () => servers.reload(),
    close: () => servers.close(),
  }
}

/** The same array while its tools are the same. */
function unlessSame(before: readonly Tool[], after: readonly Tool[]): readonly Tool[] {
  return before.length === after.length && before.every((tool, at) => tool === after[at]) ? before : after
}

function agentTool(server: McpServer, { name, as, effect }: McpTool, pinned: OfferedTool, servers: Servers): Tool {
  const { target } = server
  const secrets = secretsIn(target.kind === 'stdio' ? target.env : target.headers)
  const host = target.kind === 'http' ? new URL(target.url).host : undefined
  const effects = effect === 'read' ? 'read' : 'write'
  return {
    spec: { name: as, description: pinned.description, parameters: pinned.schema },
    effects,
    repeatable: effects === 'read',
    untrusted: true,
    searchable: true,
    ...(secrets.length > 0 && { secrets }),
    // Its parameters mean what the server says: a `path` is not one of the workspace.
    reach: () => undefined,
    async run(args, context) {
      const { signal, threadId, askInput, reportUse, reportProgress, showImages } = context
      const elicit = async (params: unknown): Promise<Record<string, unknown>> =>
        askInput ? protocolAnswer(params, await askInput(inputRequest(server.name, params))) : { action: 'decline' }
      let round = answered(context.input)
      for (let rounds = 0; rounds < maxRounds; rounds++) {
        if (round) askFirst(server.name, round)
        const answer = await servers.connection(server.name).call({
          tool: pinned,
          args,
          signal,
          threadId,
          elicit,
          check: () => mustBePinned(servers, server.name, pinned),
          ...(reportProgress && { onProgress: reportProgress }),
          ...(round && !round.pages && { input: { responses: round.responses, state: round.state } }),
        })
        reportUse?.({ ...(host !== undefined && { sent: [{ method: 'POST', host }] }), secrets })
        if (answer.type !== 'result') {
          const { name: from } = server
          round =
            answer.type === 'pages' ? pagesRound(from, answer.pages) : roundOf(from, answer.requests, answer.state)
          continue
        }
        if (answer.isError) throw new AppError('tool_refused', answer.text === '' ? `${name} failed` : answer.text)
        showImages?.(answer.images)
        return answer.text
      }
      throw new AppError('tool_refused', `the MCP server ${server.name} asks again and again`)
    },
  }
}

/** The list is read at each start: a tool that is another one now is not called. */
function mustBePinned(servers: Servers, server: string, pinned: OfferedTool): void {
  const now = servers.tool(server, pinned.name)
  if (now?.pinned && statusOf(now) === 'on' && pinOf(now.pinned) === pinOf(pinned)) return
  const why = now?.refused ?? 'the server describes it in another way now, or no longer has it'
  throw new AppError(
    'tool_refused',
    `${pinned.name} of the MCP server ${server} was not called: ${why}. The operator sees more with \`atrium mcp review ${server}\``,
  )
}
