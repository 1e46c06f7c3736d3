// Turns an HTML page into its title and readable text. Runs in a worker, since a page may be slow to parse on purpose.
import { type Element, textOfElement } from './text.ts'

export type Page = { readonly title: string; readonly text: string }

/** A found article that is a smaller part of the page's text is taken for a wrong guess. */
const minArticleShare = 0.25
const maxTitleChars = 300
/** Readability's time grows with the cube of the depth, so a deeper or larger page is read as a whole. */
const maxReadDepth = 80
const maxReadElements = 30_000

type Node = Element & {
  remove(): void
  append(...nodes: Element[]): void
  querySelector(selector: string): Node | null
  querySelectorAll(selector: string): Iterable<Node>
}
type Document = Node & { readonly documentElement: Node; createElement(name: string): Node }

/** Reads a page: its article if it has one, else all visible text. */
export async function readPage(html: string, url: string): Promise<Page> {
  const { parseHTML } = await import('linkedom')
  // The package's types are those of the DOM, which the service does not load.
  const parse = (): Document => parsed(html, (text) => (parseHTML(text) as unknown as { document: Document }).document)
  const document = parse()
  const base = URL.parse(document.querySelector('base[href]')?.getAttribute('href') ?? '', url)?.href ?? url
  const found = oneLine(document.querySelector('title')?.textContent ?? metaOf(document, 'og:title'))
  const title = found.slice(0, maxTitleChars).toWellFormed()
  const description = metaOf(document, 'description') || metaOf(document, 'og:description')
  const whole = wholeOf(document, base)
  // Readability changes its document, so it gets a fresh one.
  const article = isDeeper(document, maxReadDepth) ? '' : await articleOf(parse(), base)
  const text = article.length >= whole.length * minArticleShare ? article : whole
  return { title, text: text === '' ? shellText(description) : text }
}

/** Adds missing html and body elements, which valid pages may omit: linkedom would take the first element for the page. */
function parsed(html: string, parse: (html: string) => Document): Document {
  const document = parse(/<html[\s>]/i.test(html) ? html : `<html><head></head><body>${html}</body></html>`)
  const root = document.documentElement
  if (!root.querySelector('body')) {
    const body = document.createElement('body')
    body.append(...Array.from(root.childNodes).filter(({ localName }) => localName !== 'head'))
    root.append(body)
  }
  return document
}

async function articleOf(document: Document, base: string): Promise<string> {
  const { Readability } = await import('@mozilla/readability')
  try {
    const reader = new Readability<Element>(document, {
      serializer: (node) => node,
      disableJSONLD: true,
      maxElemsToParse: maxReadElements,
    })
    const content = reader.parse()?.content
    return content ? textOfElement(content, base) : ''
  } catch {
    // Readability throws on pages that it cannot handle, such as those over its limit.
    return ''
  }
}

function isDeeper(document: Document, levels: number): boolean {
  let level: Element[] = [document.documentElement]
  for (let depth = 0; depth < levels && level.length > 0; depth++) {
    level = level.flatMap(({ childNodes }) => Array.from(childNodes).filter(({ nodeType }) => nodeType === 1))
  }
  return level.length > 0
}

function wholeOf(document: Document, base: string): string {
  const body = document.querySelector('body')
  if (!body) return ''
  for (const part of body.querySelectorAll('nav, footer, [role=navigation], [role=contentinfo]')) part.remove()
  return textOfElement(body, base)
}

/** The text for a page whose content is made by scripts. */
function shellText(description: string): string {
  const note = '(The page has no text of its own: its scripts would make it, and they are not run.)'
  return description === '' ? note : `${note}\nIt describes itself: ${description}`
}

function metaOf(document: Document, name: string): string {
  const found = document.querySelector(`meta[name="${name}"], meta[property="${name}"]`)
  return oneLine(found?.getAttribute('content') ?? '')
}

function oneLine(text: string): string {
  return text.replaceAll(/\s+/g, ' ').trim()
}
