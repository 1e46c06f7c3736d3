// Tests of what `npm run prove` leaves behind when a fault fails or a signal ends it: no process and no file.
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { type TestContext, test } from 'node:test'
import { pathToFileURL } from 'node:url'
import { atriumEnv, mainFile } from '../atrium.ts'
import { openScratch } from '../scratch.ts'
import { until, untilEqual } from '../until.ts'

/** Only there the processes of a folder are found. */
const skip = existsSync('/proc/self/environ') ? false : 'this system has no /proc'
const command = join(import.meta.dirname, 'run.ts')

/** Over a database, which the arguments of the command name. */
export function leftoverTests(
  database: string,
  { args, signal }: { readonly args: readonly string[]; readonly signal: NodeJS.Signals },
): void {
  test(`a fault that fails ends a run over ${database} with its reason, and leaves nothing`, { skip }, async (t) => {
    const { said, ended, processes, files } = startRun(t, ['--ops', '40', '--faults', '1', ...args])
    const [code] = (await ended) as [number]
    assert.equal(code, 1)
    assert.match(
      await said,
      /^seed 1$[\s\S]*the fault "kill -9" failed: atrium serve ended early:\nthere is no second start/m,
    )
    await untilEqual(processes, [])
    assert.deepEqual(files(), [])
  })

  test(`a signal ends a run over ${database}, and leaves nothing`, { skip }, async (t) => {
    const { child, said, ended, processes, files } = startRun(t, ['--ops', '100000', '--faults', '0', ...args])
    await until(() => processes().some((line) => line.endsWith(' serve')))
    child.kill(signal)
    const [code] = (await ended) as [number]
    assert.equal(code, 130)
    assert.match(await said, new RegExp(`ended by ${signal}$`, 'm'))
    await untilEqual(processes, [])
    assert.deepEqual(files(), [])
  })
}

/** Runs the command with a service that starts once. All that it starts names its temporary folder. */
function startRun(t: TestContext, args: readonly string[]) {
  const [temporary, aside] = [openScratch('atrium-left-'), openScratch('atrium-main-')]
  const main = join(aside.path, 'main.mjs')
  writeFileSync(
    main,
    `import { existsSync, writeFileSync } from 'node:fs'
    const mark = ${JSON.stringify(join(aside.path, 'started'))}
    if (process.argv[2] === 'serve' && existsSync(mark)) {
      console.error('there is no second start')
      process.exit(1)
    }
    if (process.argv[2] === 'serve') writeFileSync(mark, '')
    // With the mark by which the process of the commands runs it again.
    await import(${JSON.stringify(pathToFileURL(mainFile).href)} + new URL(import.meta.url).search)`,
  )
  // As root PostgreSQL runs as another user.
  chmodSync(temporary.path, 0o755)
  const { PATH, NODE_COMPILE_CACHE } = atriumEnv(temporary.path)
  const child = spawn(process.execPath, [command, '--seed', '1', '--people', '2', ...args], {
    env: { PATH, NODE_COMPILE_CACHE, TMPDIR: temporary.path, TEST_MAIN: main },
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  t.after(() => {
    for (const { pid } of processesOf(temporary.path)) process.kill(pid, 'SIGKILL')
    temporary.remove()
    aside.remove()
  })
  return {
    child,
    said: text(child.stderr),
    ended: once(child, 'exit'),
    /** Their command lines. */
    processes: () => processesOf(temporary.path).map(({ line }) => line),
    files: () => readdirSync(temporary.path),
  }
}

/** The processes with a text in their command line or their environment. */
function processesOf(words: string): { readonly pid: number; readonly line: string }[] {
  const pids = readdirSync('/proc').map(Number).filter(Number.isInteger)
  return pids.flatMap((pid) => {
    try {
      const [line, environment] = ['cmdline', 'environ'].map((name) => readFileSync(`/proc/${pid}/${name}`, 'utf8'))
      if (!`${line}${environment}`.includes(words)) return []
      return [{ pid, line: (line ?? '').split('\0').join(' ').trim() }]
    } catch {
      // It has ended, or belongs to somebody else.
      return []
    }
  })
}
