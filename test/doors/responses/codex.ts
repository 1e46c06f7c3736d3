// Codex's command line with its default settings, for tests.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { installed, type Running, start, workFolder } from './apps.ts'

/** One red pixel. */
const pixel = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg=='

/** Codex in a folder of its own. */
export async function openCodex(t: TestContext, url: string, token = 'ann') {
  const program = join(await installed('@openai/codex@0.166.0'), 'node_modules/@openai/codex/bin/codex.js')
  const folder = workFolder(t)
  writeFileSync(join(folder, 'pixel.png'), Buffer.from(pixel, 'base64'))
  writeFileSync(
    join(folder, 'config.toml'),
    `model = "any"
model_provider = "atrium"
[model_providers.atrium]
name = "Atrium"
base_url = "${url}/v1"
env_key = "ATRIUM_TOKEN"
wire_api = "responses"
`,
  )
  const flags = ['--json', '--skip-git-repo-check', '--dangerously-bypass-approvals-and-sandbox']
  const env = { CODEX_HOME: folder, ATRIUM_TOKEN: token }
  return (...args: string[]): Running => start([process.execPath, program, 'exec', ...flags, ...args], folder, env)
}
