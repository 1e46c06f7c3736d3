// Variables for a service whose model gives set replies.
import { hash } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** Writes the replies into the folder, beside others that were written there. */
export function scriptedEnv(folder: string, replies: readonly object[], { loop = false } = {}) {
  const script = JSON.stringify({ replies, loop })
  const file = join(folder, `script-${hash('sha256', script).slice(0, 8)}.json`)
  writeFileSync(file, script)
  return { LLM_PROVIDER: 'scripted', LLM_SCRIPT: file }
}
