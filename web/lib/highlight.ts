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
import { codeChunks } from './chunks.ts'

/** Longer code stays plain: highlighting it would block the page. */
const maxLength = 30_000
/** Highlight.js takes quadratic time for some texts, so that long code is given to it in chunks. */
const maxChunk = 3_000

/** Strings in code in strings, and so on. */
const maxDepth = 50

const languages = { bash, c, cpp, csharp, css, diff, dockerfile, go, ini, java, javascript, json, kotlin, markdown }
const more = { php, python, ruby, rust, sql, swift, typescript, xml, yaml }
for (const [name, language] of Object.entries({ ...languages, ...more })) hljs.registerLanguage(name, language)

/** Code in colours: plain strings, and pieces with the kind of what they hold. */
export type CodePiece = string | { readonly scope: string; readonly pieces: readonly CodePiece[] }

/** The code in pieces; undefined if it is too long or its language unknown. */
export function highlight(code: string, language: string): readonly CodePiece[] | undefined {
  if (code.length > maxLength || !hljs.getLanguage(language)) return undefined
  return codeChunks(code, maxChunk).flatMap((chunk) =>
    chunk.length > maxChunk ? [chunk] : piecesOf(treeOf(chunk, language), 0),
  )
}

function treeOf(code: string, language: string): Node {
  const { _emitter: emitter } = hljs.highlight(code, { language, ignoreIllegals: true })
  // The package's types leave out the tree.
  return (emitter as typeof emitter & { readonly rootNode: Node }).rootNode
}

/** Highlight.js's own tree: no HTML is made or parsed. */
type Node = { readonly scope?: string; readonly children: readonly (Node | string)[] }

function piecesOf({ children }: Node, depth: number): readonly CodePiece[] {
  if (depth > maxDepth) throw new Error(`the code has more than ${maxDepth} levels`)
  return children.map((child) =>
    typeof child === 'string'
      ? child
      : { scope: (child.scope ?? '').split('.', 1)[0] ?? '', pieces: piecesOf(child, depth + 1) },
  )
}
