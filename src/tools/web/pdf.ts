// Extracts the text of a PDF, page by page. Runs in a worker.
import type { Page } from './page.ts'

const maxPages = 300

export async function readPdf(bytes: Uint8Array): Promise<Page> {
  const { getDocumentProxy, getMeta } = await import('unpdf')
  const document = await getDocumentProxy(bytes)
  const count = document.numPages
  const pages: string[] = []
  for (let number = 1; number <= Math.min(count, maxPages); number++) {
    const { items } = await (await document.getPage(number)).getTextContent()
    const text = items.map((item) => ('str' in item ? item.str + (item.hasEOL ? '\n' : '') : '')).join('')
    pages.push(text.trim())
  }
  const { info } = (await getMeta(document)) as { info?: { Title?: unknown } }
  const title = typeof info?.Title === 'string' ? info.Title.trim() : ''
  if (pages.every((page) => page === '')) return { title, text: '(The PDF has no text: its pages are pictures.)' }
  const rest = count > maxPages ? [`[the PDF has ${count} pages, the first ${maxPages} were read]`] : []
  return { title, text: [...pages.map((page, at) => `[page ${at + 1} of ${count}]\n${page}`), ...rest].join('\n\n') }
}
