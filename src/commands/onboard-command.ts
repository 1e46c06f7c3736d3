// `atrium onboard`: prepares a home before its first start: the folder, the key, the operator's token, the database.
import { existsSync } from 'node:fs'
import { loadConfig } from '#config.ts'
import { openHomeStore } from '#app/open-storage.ts'
import { provisionedToken, tokenFile } from '#home.ts'
import { print } from './report.ts'

/** Existing files stay as they are. The token is never printed, only the path of its file. */
export async function onboard(options: { json?: boolean }): Promise<void> {
  const config = loadConfig()
  const { home, store } = await openHomeStore(config)
  try {
    const file = tokenFile(home)
    const fresh = !existsSync(file)
    provisionedToken(home)
    const { model } = loadConfig(await store.settings.all())
    const replaced = config.operatorToken !== undefined
    const data = {
      home: home.path,
      token_file: file,
      token_made: fresh,
      token_replaced: replaced,
      database: store.backend,
      provider: model.provider,
      model: model.name,
    }
    const token = replaced
      ? 'SERVICE_REBORN_WEBUI_TOKEN is set: it stands in place of the token in the file.'
      : `The operator's token ${fresh ? 'is made, and' : 'was there already: it'} stands in ${file}.`
    const next = model.provider === 'offline' ? ['Connect a model:  atrium model set ollama qwen3'] : []
    const lines = [`${home.path} is ready.`, token, '', ...next, 'Start the service:  atrium serve']
    print(options, data, lines.join('\n'))
  } finally {
    await store.close()
  }
}
