// The entry: loads one command behind a compile cache, and of that no more than it needs.
import { enableCompileCache } from 'node:module'
import { fileURLToPath } from 'node:url'

enableCompileCache(fileURLToPath(new URL('../node_modules/.cache/atrium', import.meta.url)))
const [command, ...rest] = process.argv.slice(2)
// The starts that people wait for do without the parser of arguments.
if (command === undefined) await (await import('#commands/start.ts')).start()
else if (command === 'serve' && rest.length === 0) await (await import('#commands/serve.ts')).serve()
else await (await import('#commands/program.ts')).runProgram(process.argv)
