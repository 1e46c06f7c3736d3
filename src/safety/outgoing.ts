// Secrets in what would go out: the arguments of a call.
import { type LeakScan, stopsIn } from './leaks.ts'

/** Their arguments stay on this machine, and a person reads them first. */
const staying = new Set(['workspace_write', 'workspace_edit'])

/** The rule that a secret in the arguments met; undefined while there is none. Escapes are read by the scan. */
export function leakInCall(
  { name, args }: { readonly name: string; readonly args: string },
  scan: LeakScan,
): string | undefined {
  return staying.has(name) ? undefined : stopsIn(scan, [args])
}
