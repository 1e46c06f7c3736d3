// Whether a child process has its pipes. Where this process may open no other file, Node returns a child without them and
// tells the error later. Until then `kill` of that child would signal the process group of this process.
import type { ChildProcess } from 'node:child_process'

/** Why a child without pipes was not started. */
export const pipeFault = 'too many open files: raise the limit with `ulimit -n`'

/** Ask it right after the spawn. False for a child that must not be touched; its error is ignored. */
export function hasPipes(child: Pick<ChildProcess, 'on'> & { readonly stdio?: unknown }): boolean {
  if (child.stdio !== undefined) return true
  child.on('error', () => {})
  return false
}
