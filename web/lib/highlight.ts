// Syntax highlighting. A chunk of its own, loaded with the first code block.
import hljs from 'highlight.js/lib/core'
import bash from 'highlight.js/lib/languages/bash'
import c from 'highlight.js/lib/languages/c'
import cpp from 'highlight.js/lib/languages/cpp'
import csharp from 'highlight.js/lib/languages/csharp'
import css from 'highlight.js/lib/languages/css'
import diff from 'highlight.js/lib/languages/diff'
import dockerfile from 'highlight.js/lib/languages/dockerfile'
import go from 'highlight.js/lib/languages/go'
import ini from 'highlight.js/lib/languages/ini'
import java from 'highlight.js/lib/languages/java'
import javascript from 'highlight.js/lib/languages/javascript'
import json from 'highlight.js/lib/languages/json'
import kotlin from 'highlight.js/lib/languages/kotlin'
import markdown from 'highlight.js/lib/languages/markdown'
import php from 'highlight.js/lib/languages/php'
import python from 'highlight.js/lib/languages/python'
import ruby from 'highlight.js/lib/languages/ruby'
import rust from 'highlight.js/lib/languages/rust'
import sql from 'highlight.js/lib/languages/sql'
import swift from 'highlight.js/lib/languages/swift'
import typescript from 'highlight.js/lib/languages/typescript'
import xml from 'highlight.js/lib/languages/xml'
import yaml from 'highlight.js/lib/languages/yaml'

/** Longer code stays plain: highlighting it would block the page. */
const maxLength = 60_000

const languages = { bash, c, cpp, csharp, css, diff, dockerfile, go, ini, java, javascript, json, kotlin, markdown }
const more = { php, python, ruby, rust, sql, swift, typescript, xml, yaml }
for (const [name, language] of Object.entries({ ...languages, ...more })) hljs.registerLanguage(name, language)

/** The code as nodes with classes; undefined if it is too long or its language unknown. */
export function highlight(code: string, language: string): DocumentFragment | undefined {
  if (code.length > maxLength || !hljs.getLanguage(language)) return undefined
  const { _emitter: emitter } = hljs.highlight(code, { language, ignoreIllegals: true }) as unknown as {
    _emitter: { rootNode: Piece }
  }
  const nodes = document.createDocumentFragment()
  append(nodes, emitter.rootNode)
  return nodes
}

type Piece = { readonly scope?: string; readonly children: readonly (Piece | string)[] }

/** Builds nodes from highlight.js's own tree: no HTML is parsed. */
function append(parent: Node, { children }: Piece): void {
  for (const child of children) {
    if (typeof child === 'string') parent.appendChild(document.createTextNode(child))
    else {
      const span = document.createElement('span')
      span.className = `code-${(child.scope ?? '').split('.', 1)[0]}`
      append(span, child)
      parent.appendChild(span)
    }
  }
}
