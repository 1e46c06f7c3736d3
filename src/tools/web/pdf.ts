// Extracts the text of a PDF, page by page. Runs in a worker process.
import type { PdfText } from '#core/pdf.ts'
import type { Page } from './page.ts'

const maxPages = 300
/** Text of all pages together. Further pages are not read. */
const maxChars = 2 * 1024 * 1024

export async function readPdf(bytes: Uint8Array): Promise<PdfText> {
  const { getDocumentProxy, getMeta } = await import('unpdf')
  const document = await getDocumentProxy(bytes).catch((error: unknown) => {
    if (error instanceof Error && error.name === 'PasswordException') throw new Error('it is protected by a password')
    throw error
  })
  const texts: string[] = []
  let chars = 0
  for (let number = 1; number <= Math.min(document.numPages, maxPages) && chars < maxChars; number++) {
    const { items } = await (await document.getPage(number)).getTextContent()
    const text = items.map((item) => ('str' in item ? item.str + (item.hasEOL ? '\n' : '') : '')).join('')
    texts.push(text.trim().slice(0, maxChars - chars))
    chars += text.length
  }
  const { info } = (await getMeta(document)) as { info?: { Title?: unknown } }
  const title = typeof info?.Title === 'string' ? info.Title.trim() : ''
  return { title, pages: document.numPages, texts }
}

/** A PDF as a page of the web. Pure. */
export function pageOfPdf({ title, pages, texts }: PdfText): Page {
  if (texts.every((text) => text === '')) return { title, text: '(The PDF has no text: its pages are pictures.)' }
  const rest = pages > texts.length ? [`[the PDF has ${pages} pages, the first ${texts.length} were read]`] : []
  return { title, text: [...texts.map((text, at) => `[page ${at + 1} of ${pages}]\n${text}`), ...rest].join('\n\n') }
}
