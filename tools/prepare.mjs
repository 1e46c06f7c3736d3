// What `npm ci` runs last: builds the tools, the bundle and the browser app where that is possible. Plain JavaScript, since without the
// development packages the machine's own Node runs it, which may be too old for anything else here.
import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const oldest = 24
const root = fileURLToPath(new URL('../', import.meta.url))

if (
  Number(process.versions.node.split('.')[0]) < oldest ||
  !existsSync(`${root}node_modules/componentize-qjs`) ||
  !existsSync(`${root}node_modules/rolldown`) ||
  !existsSync(`${root}node_modules/vite`)
) {
  console.log('tools, bundle and browser app are not built: the development packages are not installed')
} else {
  // Stripping types is called experimental; a newcomer's first screen need not say so.
  process.removeAllListeners('warning')
  const { buildAll } = await import('./build.ts')
  await buildAll()
  const { buildBundle } = await import('./bundle.ts')
  try {
    await buildBundle(root)
  } catch (error) {
    console.log(`no bundle, so the sources run, which takes longer to start: ${error.message}`)
  }
  const { buildWeb } = await import('./web.ts')
  try {
    await buildWeb(root)
  } catch (error) {
    console.log(`no browser app, the other doors work without it: ${error.message}`)
  }
}
