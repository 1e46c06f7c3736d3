// Processes of the sandbox whose scripts a test writes: the code of a tool, or a whole child.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after } from 'node:test'
import { prepareRuntime } from '#sandbox/build/runtime.ts'
import { nobodyUid } from '#sandbox/confine.ts'
import { type Host, startProcess } from '#sandbox/supervisor/process.ts'

export const root = process.getuid?.() === 0
export const host: Host = () => Promise.resolve({ head: { ok: true, status: 200, headers: '{}' } })
export const work = { kind: 'execute', params: '{}', secretNames: [], secretsSet: [] } as const

/** The framing of messages, for a child that is the attacker's own. */
export const frame = `const frame = (head) => { const t = Buffer.from(JSON.stringify(head)); const p = Buffer.alloc(8)
  p.writeUInt32LE(t.length, 0); p.writeUInt32LE(t.length, 4); return Buffer.concat([p, t]) }
const put = (bytes) => { for (let at = 0; at < bytes.length; ) try { at += writeSync(1, bytes, at) } catch {} }\n`

/** A folder in which scripts are written and started, while the tests of a file run. */
export function useChildScripts() {
  const folder = mkdtempSync(join(tmpdir(), 'atrium-process-'))
  const script = prepareRuntime(folder)
  after(() => rmSync(folder, { recursive: true, force: true }))
  return {
    folder,
    script,
    /** Starts the child with this code in place of the one that is generated for a tool. */
    startTool: (code: string) => {
      const tool = mkdtempSync(join(folder, 'tool-'))
      writeFileSync(join(tool, 'about.json'), JSON.stringify({ tool: 'tool', witVersion: '0.3' }))
      writeFileSync(join(tool, 'tool.js'), code)
      return startProcess({ script, folder: tool, ...(root && { uid: nobodyUid }) })
    },
    /** Starts this code in place of the child. */
    startChild: (code: string) => {
      const own = mkdtempSync(join(folder, 'child-'))
      const file = join(own, 'child.mjs')
      writeFileSync(file, `import { writeSync } from 'node:fs'\n${code}`)
      return startProcess({ script: file, folder: own })
    },
  }
}
