// A gate as the loop makes it for a call of a built-in tool, or of one that has no words of its own.
import { gateDraft } from '#agent/settle.ts'
import { userId } from '#core/ids.ts'
import type { Gate } from '#core/item.ts'
import { boxOf, runParts, tool } from '../agent/tools.ts'
import { patienceMs } from '../until.ts'
import { builtInTools } from './built-in.ts'

/** Throws where the call is refused instead. */
export async function gateAsking(name: string, args: string): Promise<Gate> {
  const toolbox = boxOf([builtInTools.get(name) ?? tool(name, { effects: 'write' })])
  const context = { user: userId('ada'), signal: AbortSignal.timeout(patienceMs) }
  const call = { type: 'call', callId: 'c', name, args } as const
  const { item } = await gateDraft({ call, how: 'approval' }, { toolbox, context, mask: runParts.mask })
  if (item.type !== 'gate') throw new Error(JSON.stringify(item))
  return item
}
