// The entry: answers what needs no service at once, and loads the rest behind a compile cache.
import { enableCompileCache } from 'node:module'
import { fileURLToPath } from 'node:url'

enableCompileCache(fileURLToPath(new URL('../node_modules/.cache/atrium', import.meta.url)))
const { runProgram } = await import('#commands/program.ts')
await runProgram(process.argv)
