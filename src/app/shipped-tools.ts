// The components shipped with the project: stored once, and again when a new version ships a changed one. Their schemas
// were written at build time, so they are offered before their code is compiled.
import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { isObject } from '#core/json.ts'
import type { Store } from '#core/store.ts'
import type { Log } from '#lib/log.ts'
import { inCheckout } from '#lib/checkout.ts'

/** Names of the shipped tools; each has a folder below tools/. */
export const shipped = ['weather'] as const
const setting = 'default_tools'

/** The JSON file that the build of a tool writes beside its component. */
export type About = { readonly sha256: string; readonly description: string; readonly schema: string }

/** Stores new versions. A tool that the operator removed or replaced is left alone. */
export async function storeShipped(store: Pick<Store, 'tools' | 'settings'>, log: Log): Promise<void> {
  const stored = (await store.settings.all())[setting]
  const known = isObject(stored) ? stored : {}
  for (const name of shipped) {
    try {
      const sha256 = await storeOne(store, name, known[name])
      if (sha256 === undefined) continue
      await store.settings.change(({ [setting]: now }) => {
        return { [setting]: { ...(isObject(now) && now), [name]: sha256 } }
      })
      log.info({ tool: name }, 'installed a tool that ships with Atrium')
    } catch (error) {
      log.warn({ tool: name, err: error }, 'could not install a tool that ships with Atrium')
    }
  }
}

async function storeOne({ tools }: Pick<Store, 'tools'>, name: string, known: unknown): Promise<string | undefined> {
  const folder = inCheckout('tools', name)
  const about = JSON.parse(await readFile(join(folder, 'dist', `${name}.json`), 'utf8')) as About
  if (known === about.sha256) return undefined
  const there = (await tools.list()).find((tool) => tool.name === name)
  if (there ? there.sha256 !== known : known !== undefined) return undefined
  const [component, capabilities] = await Promise.all([
    readFile(join(folder, 'dist', `${name}.wasm`)),
    readFile(join(folder, 'capabilities.json'), 'utf8'),
  ])
  const found = createHash('sha256').update(component).digest('hex')
  if (found !== about.sha256) throw new Error(`dist/${name}.json was written for another component: build it again`)
  await tools.put({ name, capabilities, ...about }, component)
  return about.sha256
}
