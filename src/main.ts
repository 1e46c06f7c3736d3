// The entry: loads one command, and of that no more than it needs. The launcher has set a compile cache.

const [command, ...rest] = process.argv.slice(2)
try {
  // The starts that people wait for do without the parser of arguments.
  if (command === undefined) await (await import('#commands/start-command.ts')).start()
  else if (command === 'serve' && rest.length === 0) await (await import('#commands/serve-command.ts')).serve()
  else await (await import('#commands/program.ts')).runProgram(process.argv)
} catch (error) {
  // A package that is not there stops a command before it can tell its own faults.
  const { missingPackage } = await import('#lib/missing.ts')
  const missing = missingPackage(error)
  if (missing === undefined) throw error
  process.stderr.write(`error: ${missing}\n`)
  process.exitCode = 1
}
