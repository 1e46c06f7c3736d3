// A build step that makes the price table cheap to load: the service needs the prices of the models and nothing else.
import { runInNewContext } from 'node:vm'
import type { Plugin } from 'rolldown'

/** Parts of the table that no look-up by provider, address and model reads. */
const unread = ['description', 'extractors', 'name', 'price_comments', 'pricing_urls', 'deprecated']

/**
 * Takes the unread parts out of the table, and makes it one JSON text, which V8 reads without compiling it. Also replaces
 * comparisons by locale, all of ASCII words: the first would load the collation tables of ICU.
 */
export async function lighten(code: string): Promise<string> {
  // Imported here, so that this file can be imported without the bundler installed.
  const { parseAst } = await import('rolldown/parseAst')
  const [first] = parseAst(code).body
  const table = first?.type === 'VariableDeclaration' ? first.declarations[0]?.init : undefined
  if (table?.type !== 'ArrayExpression') throw new Error('the price table is not the first array of its module')
  const providers: unknown = runInNewContext(`(${code.slice(table.start, table.end)})`)
  const text = JSON.stringify(providers, (key, value: unknown) => (unread.includes(key) ? undefined : value))
  const light = `${code.slice(0, table.start)}JSON.parse(${JSON.stringify(text)})${code.slice(table.end)}`
  return light.replaceAll(/([\w.]+)\.localeCompare\(([\w.]+)\)/g, '($1 < $2 ? -1 : $1 > $2 ? 1 : 0)')
}

export const lightPrices: Plugin = {
  name: 'light-prices',
  transform: { filter: { id: /genai-prices[\\/]dist[\\/]index\.js$/ }, handler: (code) => lighten(code) },
}
