// Builds the tools, the bundle and the browser app if possible: at the end of `npm ci`, and by `npm run build`. Plain
// JavaScript, since without the development packages the machine's own Node runs it, which may be too old for TypeScript.
// It is no `prepare` script: npm warns of one when the package is installed.
import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const minNodeMajor = 24
const root = fileURLToPath(new URL('../', import.meta.url))

if (
  Number(process.versions.node.split('.')[0]) < minNodeMajor ||
  !existsSync(`${root}node_modules/componentize-qjs`) ||
  !existsSync(`${root}node_modules/rolldown`) ||
  !existsSync(`${root}node_modules/vite`)
) {
  console.log('tools, bundle and browser app are not built: the development packages are not installed')
} else {
  // Hides Node's warning that stripping types is experimental.
  process.removeAllListeners('warning')
  const { buildAll } = await import('./build.ts')
  await buildAll()
  const { buildBundle } = await import('./bundle.ts')
  try {
    await buildBundle(root)
  } catch (error) {
    console.log(`the bundle was not built, so the service runs from its sources and starts slower: ${error.message}`)
  }
  const { buildWeb } = await import('./web.ts')
  try {
    await buildWeb(root)
  } catch (error) {
    console.log(`the browser app was not built; the other doors work without it: ${error.message}`)
  }
}
