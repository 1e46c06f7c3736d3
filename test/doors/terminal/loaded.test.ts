// What the commands that open no terminal load of the terminal UI: nothing. Told by the processes themselves.
import assert from 'node:assert/strict'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test, type TestContext } from 'node:test'
import { pathToFileURL } from 'node:url'
import { atrium, atriumProcess, serve, sources } from '../../atrium.ts'
import { newHome } from '../../new-home.ts'

/** Writes down every module that a process loads, as it is loaded. */
const recorder = `
import { appendFileSync } from 'node:fs'
import { registerHooks } from 'node:module'
registerHooks({
  load(url, context, next) {
    appendFileSync(process.env.LOADED, url + '\\n')
    return next(url, context)
  },
})
`

function prepare(t: TestContext): { home: string; env: Record<string, string>; loaded: () => string } {
  const home = newHome()
  t.after(home.remove)
  const file = join(home.path, 'recorder.mjs')
  const list = join(home.path, 'loaded')
  writeFileSync(file, recorder)
  const env = { LOADED: list, NODE_OPTIONS: `--import=${pathToFileURL(file).href}` }
  return { home: home.path, env, loaded: () => (existsSync(list) ? readFileSync(list, 'utf8') : '') }
}

const ofTheTerminal = /pi-tui|doors\/terminal\//

test('`run` loads nothing of the terminal UI', async (t) => {
  const { home, env, loaded } = prepare(t)
  assert.equal((await atriumProcess(home, ['run', '1+1'], { env, program: sources })).code, 0)
  assert.match(loaded(), /src\/commands\/run-command\.ts$/m)
  assert.doesNotMatch(loaded(), ofTheTerminal)
})

test('`serve` loads nothing of the terminal UI, also when it is talked to', async (t) => {
  const { home, env, loaded } = prepare(t)
  const service = await serve(home, env, sources)
  t.after(() => service.stop())
  assert.equal((await atrium(home, ['run', '1+1'])).code, 0)
  assert.match(loaded(), /src\/commands\/serve-command\.ts$/m)
  assert.doesNotMatch(loaded(), ofTheTerminal)
})
