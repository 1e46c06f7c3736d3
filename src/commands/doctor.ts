// `atrium doctor`: checks the installation and says what to mend.
import { statSync } from 'node:fs'
import { loadConfig, weakTokens } from '#config.ts'
import { AppError } from '#core/errors.ts'
import { openHome } from '#home.ts'
import { openModel } from '#models/open.ts'
import { runningService } from './attach.ts'
import { paint, print } from './report.ts'
import { withStore } from './store.ts'

type Finding = { readonly check: string; readonly state: 'ok' | 'warning' | 'fault'; readonly detail: string }

const ollamaProbe = 'http://127.0.0.1:11434/api/version'
const probeMs = 500

export async function doctor(options: { json?: boolean }): Promise<void> {
  const findings: Finding[] = []
  for (const [check, look] of Object.entries(checks)) findings.push(await examine(check, look))
  const signs = { ok: paint('36', '✓'), warning: paint('33', '●'), fault: paint('31', '▲') }
  print(options, findings, findings.map(({ check, state, detail }) => `${signs[state]} ${check}: ${detail}`).join('\n'))
  if (findings.some(({ state }) => state === 'fault')) process.exitCode = 1
}

type Look = () => Promise<string | { warning: string }>

const checks: Readonly<Record<string, Look>> = {
  node: () => Promise.resolve(process.version),
  configuration: () => Promise.resolve(loadConfig().notices.join(' ') || 'every variable is well-formed'),
  home: () => {
    const { path } = openHome(loadConfig().home)
    const mode = statSync(path).mode & 0o777
    return Promise.resolve(
      mode === 0o700 ? `${path}, private` : { warning: `${path} is open to others (mode ${mode.toString(8)})` },
    )
  },
  database: () =>
    withStore(async (store) => {
      await store.ping()
      return `${store.backend} answers`
    }),
  model: () =>
    withStore(async (store) => {
      const { model } = loadConfig(await store.settings.all())
      await openModel(model, (name) => store.secrets.get(name))
      if (model.provider !== 'offline') return `${model.provider} ${model.name}`
      const hint = (await ollamaAnswers())
        ? ' A local Ollama answers: try `atrium model set ollama`.'
        : ' Choose a real one with `atrium model set`.'
      return { warning: `the built-in offline model answers.${hint}` }
    }),
  tokens: () => {
    const config = loadConfig()
    const weak = weakTokens(config).join(' and ')
    const warning = `too short for a gateway on ${config.gateway.host}: ${weak}. Use \`openssl rand -hex 32\``
    return Promise.resolve(weak === '' ? 'nothing weak is exposed' : { warning })
  },
  service: async () =>
    (await runningService(loadConfig().home)) ? 'runs on this home' : 'does not run; start it with `atrium serve`',
}

async function examine(check: string, look: Look): Promise<Finding> {
  try {
    const found = await look()
    return typeof found === 'string'
      ? { check, state: 'ok', detail: found }
      : { check, state: 'warning', detail: found.warning }
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    return { check, state: 'fault', detail: error.message }
  }
}

async function ollamaAnswers(): Promise<boolean> {
  try {
    return (await fetch(ollamaProbe, { signal: AbortSignal.timeout(probeMs) })).ok
  } catch {
    return false
  }
}
