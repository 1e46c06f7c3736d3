// A home for the tests of `atrium tool`, where the weather component can be installed under other names.
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before } from 'node:test'
import { fileURLToPath } from 'node:url'
import { atrium, type Ran } from '../atrium.ts'
import { newHome } from '../new-home.ts'
import { copyCode } from '../sandbox/tool-cache.ts'

const folder = fileURLToPath(new URL('../../tools/weather', import.meta.url))
const component = join(folder, 'dist', 'weather.wasm')
export const capabilities = JSON.parse(readFileSync(join(folder, 'capabilities.json'), 'utf8')) as {
  http: { allowlist: { host: string; path_prefix: string; methods: string[] }[] }
}

/** A home while the tests of a file run, with the code of the component. */
export function useWeatherHome() {
  const home = newHome()
  after(home.remove)
  // Its code takes seconds to make: other tests make that of a new tool.
  before(() => copyCode(readFileSync(component), home.path))
  return {
    home,
    /** Writes a file into the home and returns its path. */
    file: (name: string, content: unknown): string => {
      const path = join(home.path, name)
      writeFileSync(path, typeof content === 'string' ? content : JSON.stringify(content))
      return path
    },
    install: (name: string, capabilityFile: string, ...more: string[]): Promise<Ran> =>
      atrium(home.path, ['tool', 'install', component, '--capabilities', capabilityFile, '--name', name, ...more]),
  }
}
