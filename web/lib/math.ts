// Formulas by KaTeX. A chunk of its own, loaded with the first formula.
import { render } from 'katex'
import 'katex/dist/katex.min.css'

/** Formulas are untrusted: limits on macro expansions and on sizes in em. */
const bounds = { maxExpand: 200, maxSize: 20 }

/** Renders a formula into an element; a faulty one shows its source. */
export function typeset(tex: string, into: HTMLElement, displayMode: boolean): void {
  render(tex, into, { displayMode, throwOnError: false, trust: false, strict: 'ignore', ...bounds })
}
