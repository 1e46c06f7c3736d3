// Builds the browser app into web/dist: small files with a hash in the name, compressed once here, so that the gateway
// need not compress them at each request. Run by `npm ci` (postprepare) and before the tests.
import { globSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { brotliCompressSync, constants, gzipSync } from 'node:zlib'
import type { Plugin } from 'vite'
import { besideOf, replaceFolder } from './place.ts'

/** Smaller files gain nothing from compression. */
const minBytes = 512
/** Files of the service that the app loads. */
const shared = [
  'src/core/{failure-words,find-pattern,page-limits,turn-status,words}.ts',
  'src/lib/evict.ts',
  'src/safety/printable.ts',
]
const compressible = /\.(html|js|css|svg|webmanifest)$/

/** Builds the app of a checkout, whole or not at all. Does nothing unless a source is newer. */
export async function buildWeb(root: string): Promise<void> {
  const web = join(root, 'web')
  const dist = join(web, 'dist')
  if (isFresh(root, join(dist, 'index.html'))) return
  const made = besideOf(dist)
  try {
    await bundle(web, made)
    compress(made)
    replaceFolder(made, dist)
  } finally {
    rmSync(made, { recursive: true, force: true })
  }
}

async function bundle(web: string, outDir: string): Promise<void> {
  // Imported here, so that this file can be imported without vite installed.
  const { build } = await import('vite')
  await build({
    root: web,
    configFile: false,
    logLevel: 'warn',
    plugins: [modernFonts(), retriedStyles()],
    build: {
      outDir,
      emptyOutDir: true,
      target: 'esnext',
      assetsInlineLimit: 0,
      modulePreload: { polyfill: false },
      chunkSizeWarningLimit: 1_000,
      rolldownOptions: {
        // Without it, constants that two files share become a file of their own.
        optimization: { inlineConst: true },
        // One file for the first load: what later chunks share with it would else be a dozen small ones, which pack worse.
        output: { codeSplitting: { groups: [{ name: 'first', tags: ['$initial'] }] } },
        // Hides a warning about the time of our one transform, which shows only on slow machines.
        checks: { pluginTimings: false },
      },
    },
  })
}

/** Leaves out the woff and ttf fonts: every browser that runs this app reads woff2. */
function modernFonts(): Plugin {
  return {
    name: 'modern-fonts',
    enforce: 'pre',
    transform: (code, id) =>
      id.includes('katex') && id.endsWith('.css')
        ? code.replaceAll(/,\s*url\([^)]*\.(woff|ttf)\)\s*format\("[^"]*"\)/g, '')
        : undefined,
  }
}

/** Before a chunk, Vite loads its style sheet. One that failed is loaded again with the next use of the chunk. */
function retriedStyles(): Plugin {
  return {
    name: 'retried-styles',
    transform: {
      filter: { id: /vite\/preload-helper/ },
      handler: (code) => {
        const again = code
          .replace(/seen\[href\] = void 0;(\s*throw err)/, 'delete seen[href];$1')
          .replace(/\(\) => (rej\(.*\))\);/, '() => { link.remove(); $1 });')
        if (!/delete seen[^]*link\.remove/.test(again)) throw new Error('Vite loads style sheets in another way now')
        return again
      },
    },
  }
}

function compress(folder: string): void {
  for (const name of globSync('**/*', { cwd: folder })) {
    const path = join(folder, name)
    if (!compressible.test(name)) continue
    const bytes = readFileSync(path)
    if (bytes.length < minBytes) continue
    writeFileSync(`${path}.gz`, gzipSync(bytes, { level: 9 }))
    const params = { [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY }
    writeFileSync(`${path}.br`, brotliCompressSync(bytes, { params }))
  }
}

function isFresh(root: string, built: string): boolean {
  const at = statSync(built, { throwIfNoEntry: false })?.mtimeMs
  if (at === undefined) return false
  const sources = globSync(['web/**/*', ...shared, 'tools/web.ts', 'package-lock.json'], {
    cwd: root,
    exclude: (name) => name.startsWith('dist') || name.startsWith('web/dist'),
  })
  return sources.every((path) => statSync(join(root, path)).mtimeMs <= at)
}
