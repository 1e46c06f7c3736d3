// What `npm ci` runs last: builds the tools where that is possible. Plain JavaScript, since without the development
// packages the machine's own Node runs it, which may be too old for anything else here.
import { existsSync } from 'node:fs'

const oldest = 24
const root = new URL('../', import.meta.url)

if (
  Number(process.versions.node.split('.')[0]) < oldest ||
  !existsSync(new URL('node_modules/componentize-qjs', root))
) {
  console.log('tools are not built: the development packages are not installed')
} else {
  // Stripping types is called experimental; a newcomer's first screen need not say so.
  process.removeAllListeners('warning')
  const { buildAll } = await import('./build.ts')
  await buildAll()
}
