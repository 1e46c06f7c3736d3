// An HTML page as its title and its readable text. Runs in a worker: a page may be made to be slow to read.
import { type Element, textOfElement } from './text.ts'

export type Page = { readonly title: string; readonly text: string }

/** An article that is a smaller part of its page than this is taken for a wrong guess. */
const minArticleShare = 0.25
const maxTitleChars = 300
/** What the reader takes grows with the cube of the depth: a page that is deeper, or has more elements, is read as a whole. */
const maxReadDepth = 80
const maxReadElements = 30_000

type Node = Element & {
  remove(): void
  append(...nodes: Element[]): void
  querySelector(selector: string): Node | null
  querySelectorAll(selector: string): Iterable<Node>
}
type Document = Node & { readonly documentElement: Node; createElement(name: string): Node }

/** Reads a page: its article where it has one, else all that a person would see of it. */
export async function readPage(html: string, url: string): Promise<Page> {
  const { parseHTML } = await import('linkedom')
  const parse = (): Document => parsed(html, (text) => (parseHTML(text) as unknown as { document: Document }).document)
  const document = parse()
  const base = URL.parse(document.querySelector('base[href]')?.getAttribute('href') ?? '', url)?.href ?? url
  const title = oneLine(document.querySelector('title')?.textContent ?? metaOf(document, 'og:title')).slice(
    0,
    maxTitleChars,
  )
  const description = metaOf(document, 'description') || metaOf(document, 'og:description')
  const whole = wholeOf(document, base)
  // It changes what it reads, hence a document of its own.
  const article = isDeeper(document, maxReadDepth) ? '' : await articleOf(parse(), base)
  const text = article.length >= whole.length * minArticleShare ? article : whole
  return { title, text: text === '' ? shellText(description) : text }
}

/** Valid pages may leave out html, head and body; this parser would then make the first element the whole page. */
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
    // It throws at what it cannot take in.
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

/** What is left of a page that its scripts would make. */
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
