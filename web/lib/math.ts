// Formulas, loaded when the first one is shown.
import { render } from 'katex'
import 'katex/dist/katex.min.css'

/** Formulas are written by others: macros expand so far, sizes so much. */
const bounds = { maxExpand: 200, maxSize: 20 }

/** Puts a formula into an element, by nodes and not by HTML; a faulty one shows its text. */
export function typeset(tex: string, into: HTMLElement, displayMode: boolean): void {
  render(tex, into, { displayMode, throwOnError: false, trust: false, strict: 'ignore', ...bounds })
}
