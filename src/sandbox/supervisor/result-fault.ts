// The faults in what a guest's process answered.
import type { LogLine, Result } from '#sandbox/child/guest.ts'
import { type InstalledTool, missingCredential, refusedCredential } from '#sandbox/component-tools.ts'
import type { Traffic } from '#sandbox/egress/egress.ts'
import { oneLine } from '#safety/printable.ts'
import { ToolFault, type ToolFaultCode } from '#sandbox/sandbox-fault.ts'

/**
 * A fault for a missing or refused credential, whatever the guest answered: the call runs again once the credential is set.
 * A call that has changed something must not run again, so the guest's answer is kept.
 */
export function credentialFault(tool: InstalledTool, { missing, refused, wrote }: Traffic): ToolFault | undefined {
  if (wrote) return undefined
  const [missingSecret] = missing
  const [refusedSecret] = refused
  if (missingSecret !== undefined) return missingCredential(tool, missingSecret)
  return refusedSecret === undefined ? undefined : refusedCredential(tool, refusedSecret)
}

export function faultOf(result: Result, name: string): ToolFault {
  if (result.type === 'error') return new ToolFault('tool_error', result.error)
  if (result.type === 'fault') return new ToolFault(result.code as ToolFaultCode, `${name}: ${result.message}`)
  return new ToolFault('response_invalid', `${name}: the tool gave an answer of the wrong kind`)
}

/** Schema and description have no place for an error: a guest that breaks off may have told the log why. */
export function describeFault(result: Result, logs: readonly LogLine[]): ToolFault {
  const why = logs.findLast(({ level }) => level === 'error')?.message
  return result.type === 'fault' && result.code === 'trap' && why !== undefined
    ? new ToolFault('trap', `the tool broke off: ${oneLine(why)}`)
    : faultOf(result, 'the tool')
}
