// Tools and scripted models for the agent's tests.
import type { Call, Item } from '#core/item.ts'
import { userId } from '#core/ids.ts'
import type { Judged } from '#core/policy.ts'
import type { Model, ModelEvent, ModelRequest } from '#core/model.ts'
import type { Tool, ToolContext, ToolSpec } from '#core/tool.ts'
import { noUsage, type Usage } from '#core/turn.ts'
import { createToolbox, type Toolbox, type ToolboxParts } from '#agent/toolbox.ts'
import type { Json } from '#core/json.ts'
import { createJudge } from '#safety/policy.ts'

type Run = (args: string, context: ToolContext) => Promise<string>

export function tool(name: string, over: Partial<Omit<Tool, 'spec' | 'run'>> = {}, run?: Run): Tool {
  return {
    spec: specOf(name),
    effects: 'read',
    repeatable: true,
    untrusted: false,
    run: run ?? (() => Promise.resolve(`${name} ran`)),
    ...over,
  }
}

export function specOf(name: string): ToolSpec {
  return { name, description: name, parameters: { type: 'object' } }
}

export function toolsOf(tools: readonly Tool[]) {
  return { byName: new Map(tools.map((each) => [each.spec.name, each])), specs: tools.map(({ spec }) => spec) }
}

const stays = () => Promise.reject(new Error('no call stays open here'))

/** For calls that mask nothing, show nothing and do not stay open. */
export const runParts = {
  mask: (text: string): string => text,
  emitProgress() {},
  showsImages: false,
  askInput: stays,
  answerTo: stays,
}

/** A toolbox of these tools, in which every call is allowed. */
export function boxOf(tools: readonly Tool[], over: Partial<ToolboxParts> = {}): Toolbox {
  return createToolbox({
    tools: toolsOf(tools),
    callerTools: [],
    window: 0,
    items: () => [],
    tokensInSpec: () => 0,
    judge: () => ({ do: 'allow' }),
    prepare: () => Promise.resolve(),
    skills: () => [],
    ...over,
  })
}

/** `read` may be repeated, `once` may not, `write` is asked for; `fn` and `fn2` are the caller's. */
export function toolboxOf(more: readonly Tool[] = []): Toolbox {
  const own = [
    tool('read'),
    tool('once', { repeatable: false }),
    tool('write', { effects: 'write', repeatable: false }),
  ]
  return boxOf([...own, ...more], {
    callerTools: [specOf('fn'), specOf('fn2')],
    judge: (call, tool) => createJudge()(judged(call, tool)),
  })
}

/** A call as the policy sees it: of Ada's, in a thread where nothing was read. */
export function judged(call: Call, tool: Tool, over: Partial<Judged> = {}): Judged {
  return { user: userId('ada'), threadId: 't', call, tool, taint: undefined, items: [], specs: [], ...over }
}

export function call(callId: string, name: string, args: Json = {}): Call {
  return { type: 'call', callId, name, args: JSON.stringify(args) }
}

export type Saying = string | { readonly name: string; readonly args?: Json | string } | ModelEvent
export type Script = (request: ModelRequest, signal: AbortSignal) => AsyncIterable<readonly ModelEvent[]>

/** One reply of a model: texts and calls, each a batch of its own, then the end. */
export function saying(sayings: readonly Saying[], usage: Usage = noUsage): Script {
  return async function* () {
    for (const each of sayings) {
      await Promise.resolve()
      yield [eventOf(each)]
    }
    yield [{ type: 'done', usage }]
  }
}

function eventOf(saying: Saying): ModelEvent {
  if (typeof saying === 'string') return { type: 'text', text: saying }
  if ('type' in saying) return saying
  const args = typeof saying.args === 'string' ? saying.args : JSON.stringify(saying.args ?? {})
  return { type: 'call', name: saying.name, args }
}

export type ScriptedModel = Model & { readonly requests: { items: Item[]; tools: readonly ToolSpec[] }[] }

/** A model that gives its replies in order, and an error once it has no more. It keeps what it was asked. */
export function scripted(replies: readonly (readonly Saying[] | Script)[]): ScriptedModel {
  const requests: ScriptedModel['requests'] = []
  return {
    provider: 'test',
    name: 'test',
    window: 100_000,
    requests,
    stream(request, signal) {
      const reply = replies[requests.length]
      requests.push({ items: [...request.items], tools: request.tools })
      if (!reply) throw new Error(`the model was asked ${requests.length} times, its script has ${replies.length}`)
      return typeof reply === 'function' ? reply(request, signal) : saying(reply)(request, signal)
    },
  }
}
