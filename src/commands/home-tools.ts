// Opens the tools of this home for one command, with or without a running service.
import { type Config, loadConfig } from '#config.ts'
import { openLiveSettings } from '#app/live-settings.ts'
import { openHomeStore } from '#app/open-storage.ts'
import { ownSecretsOf } from '#app/own-secrets.ts'
import { openTools, type OpenTools } from '#app/open-tools.ts'
import { createPolicy } from '#app/policy.ts'
import { silentLog } from '#lib/log.ts'
import { createDocuments } from '#memory/documents.ts'
import { createSkills } from '#skills/skills.ts'

/** Opens the same tools as the service, does the work, and always closes them. */
export async function withOpenTools(work: (tools: OpenTools) => Promise<void>): Promise<void> {
  await using opened = new AsyncDisposableStack()
  const { home, store, seal } = await openHomeStore(loadConfig())
  opened.defer(() => store.close())
  // A stored model that cannot be used must not prevent work on tools.
  const configure = () => loadConfig()
  const ownSecrets = (config: Config) => ownSecretsOf(home, config)
  const live = await openLiveSettings({ store, configure, ownSecrets, log: silentLog })
  const documents = createDocuments({ store: store.documents })
  const policy = createPolicy({ store, safety: live.safety, scan: live.scan })
  const skills = createSkills({ store: store.skills, marker: () => live.safety().marker() })
  const missions = () => Promise.reject(new Error('a command on tools runs no mission'))
  const tools = await openTools({ home, store, seal, live, documents, skills, policy, missions, log: silentLog })
  opened.defer(() => tools.close())
  await work(tools)
}
