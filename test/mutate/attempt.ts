// Runs one test file in a process of its own, with a fault planted or with coverage, and cleans up behind it.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { variableNames } from '#config/variables.ts'

/** A source file by its URL, and the file with the text that is loaded in its place. */
export type Planting = { readonly place: string; readonly text: string }

export type Attempt = { readonly verdict: 'passed' | 'failed' | 'late'; readonly ms: number }

const here = (name: string): string => pathToFileURL(join(import.meta.dirname, name)).href

export type Order = {
  readonly root: string
  /** Beside the environment of this process, without the settings of the person at the keyboard. */
  readonly env: NodeJS.ProcessEnv
  readonly timeoutMs: number
  readonly planting?: Planting
}

/** The address that plants a fault where it is imported before anything else; without one it counts what is executed. */
export function planter({ place, text }: Partial<Planting> = {}): string {
  const query = new URLSearchParams({ ...(place && { place }), ...(text && { text }) })
  return `${here('plant.ts')}?${query.toString()}`
}

export async function attempt(test: string, { root, env, timeoutMs, planting }: Order): Promise<Attempt> {
  // A test that is stopped leaves its files behind. Short: a socket's path has little room.
  const scratch = mkdtempSync(join(tmpdir(), 'mutate-'))
  const dropped: readonly string[] = [...variableNames, 'NODE_TEST_CONTEXT', 'NODE_OPTIONS', 'NODE_COMPILE_CACHE']
  const outer = Object.entries(process.env).filter(([name]) => !dropped.includes(name))
  const startedAt = performance.now()
  const child = spawn(
    process.execPath,
    ['--disable-warning=ExperimentalWarning', `--test-reporter=${here('stop.ts')}`, test],
    {
      cwd: root,
      env: {
        ...Object.fromEntries(outer),
        TMPDIR: scratch,
        NODE_OPTIONS: `--import=${planter(planting)}`,
        TEST_DATABASES: 'sqlite',
        ...env,
      },
      stdio: 'ignore',
      // A group of its own, so that nothing it started outlives it.
      detached: true,
    },
  )
  const cleanUp = (): void => {
    endGroup(child.pid)
    rmSync(scratch, { recursive: true, force: true, maxRetries: 3 })
  }
  process.once('exit', cleanUp)
  let late = false
  const timer = setTimeout(() => {
    late = true
    endGroup(child.pid)
  }, timeoutMs)
  try {
    const [code] = (await once(child, 'exit')) as [number | null]
    const verdict = late ? 'late' : code === 0 ? 'passed' : 'failed'
    return { verdict, ms: Math.round(performance.now() - startedAt) }
  } finally {
    clearTimeout(timer)
    process.off('exit', cleanUp)
    cleanUp()
  }
}

function endGroup(pid: number | undefined): void {
  if (pid === undefined) return
  try {
    process.kill(-pid, 'SIGKILL')
  } catch (error) {
    // ESRCH: all have ended by themselves.
    if (!(error instanceof Error && 'code' in error && error.code === 'ESRCH')) throw error
  }
}
