// The tools that come with the service, for `atrium tool`: listed, shown and tried like installed ones.
import { loadConfig, secretsIn } from '#config.ts'
import type { Store } from '#core/store.ts'
import type { Tool } from '#core/tool.ts'
import { openBuiltInTools } from '#app/built-in-tools.ts'
import { createDocuments } from '#memory/documents.ts'
import { createMemoryTools } from '#memory/memory-tools.ts'
import { createLeakScan } from '#safety/leaks.ts'

export function builtIn(store: Store): readonly Tool[] {
  const documents = createDocuments({ store: store.documents })
  const config = loadConfig()
  const own = openBuiltInTools(config, () => createLeakScan(secretsIn(config)))
  return [...own.tools(), ...createMemoryTools(documents).tools()]
}
