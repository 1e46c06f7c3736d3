// Loaded before a test: puts a fault in place of one source file, in this process, its threads and its children.
import { readFileSync } from 'node:fs'
import { registerHooks } from 'node:module'

const { MUTATE_URL: place, MUTATE_TEXT: text } = process.env
if (place && text) {
  registerHooks({
    load: (url, context, next) => {
      const loaded = next(url, context)
      return url.split('?')[0] === place ? { ...loaded, source: readFileSync(text, 'utf8') } : loaded
    },
  })
}
