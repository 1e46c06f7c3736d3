// A message that begins with `!` at the terminal: a command of the operator for the shell of the workspace.
import { newCallId } from '#core/ids.ts'
import type { Call, Item } from '#core/item.ts'
import type { Tool } from '#core/tool.ts'
import { shellToolName } from '#core/tool-names.ts'

/** The command after the exclamation mark; undefined for an ordinary message. */
export function commandOf(text: string): string | undefined {
  const command = text.startsWith('!') ? text.slice(1).trim() : ''
  return command === '' ? undefined : command
}

/** The call that a command becomes, as if the model had made it: it needs the usual approval. */
export function shellCall(command: string): Call {
  return { type: 'call', callId: newCallId(), name: shellToolName, args: JSON.stringify({ command }) }
}

/** True when the tool that runs commands is among these. */
export function hasShell(tools: Iterable<Tool>): boolean {
  return Iterator.from(tools).some(({ spec }) => spec.name === shellToolName)
}

/** True for the call of a command. */
export function isShellCall(item: Item): boolean {
  return item.type === 'call' && item.name === shellToolName
}
