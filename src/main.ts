// The entry: loads one command, and of that no more than it needs. The launcher has set a compile cache.
import { argv } from 'node:process'

const [command, ...rest] = argv.slice(2)
// The starts that people wait for do without the parser of arguments.
if (command === undefined) await (await import('#commands/start.ts')).start()
else if (command === 'serve' && rest.length === 0) await (await import('#commands/serve.ts')).serve()
else await (await import('#commands/program.ts')).runProgram(argv)
